/** The fields of a damaged JSON object that can be saved. */
import { describe, expect, it } from 'vitest';
import { recoverFields } from '../../src/files/read/recover-fields.js';

describe('the fields of a damaged object', () => {
  it('have any name', () => {
    const fields = recoverFields('{"a": 1, "__proto__": {"b": 2}, "constructor": 3, "d": ');
    expect(Object.entries(fields)).toEqual([
      ['a', 1],
      ['__proto__', { b: 2 }],
      ['constructor', 3],
    ]);
  });
});
