/** Times of damaged files. */
import { describe, expect, it } from 'vitest';
import { isoTime } from '../../src/base/clock.js';

describe('isoTime', () => {
  it('returns the nearest possible time for one that no Date can have', () => {
    expect(isoTime(1e17)).toBe('+275760-09-13T00:00:00.000Z');
    expect(isoTime(-1e17)).toBe('-271821-04-20T00:00:00.000Z');
  });

  it('is exact for all other times', () => {
    for (const time of [-1, 0, 1_700_000_000_123, 8.64e15]) {
      expect(isoTime(time)).toBe(new Date(time).toISOString());
    }
  });
});
