import { describe, expect, it } from 'vitest';
import { Uint32List, withCapacity } from '../../src/base/arrays/typed-array.js';

describe('growing typed arrays', () => {
  it('returns the same array if it is long enough', () => {
    const array = new Uint8Array(4);
    expect(withCapacity(array, 4)).toBe(array);
  });

  it('copies a full array into one of the same type and at least twice the length', () => {
    const longer = withCapacity(Float64Array.of(1.5, 2.5), 3);
    expect(longer).toBeInstanceOf(Float64Array);
    expect([...longer]).toEqual([1.5, 2.5, 0, 0]);
  });

  it('appends many numbers to a list, which releases a large array when it is cleared', () => {
    const list = new Uint32List();
    for (let i = 0; i < 300_000; i++) list.push(i);
    expect(list.count).toBe(300_000);
    expect(list.array[299_999]).toBe(299_999);
    list.clear();
    expect(list.count).toBe(0);
    expect(list.array.length).toBeLessThan(300_000);
  });
});
