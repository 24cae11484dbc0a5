/** A pattern is found exactly where a comparison at every position finds it. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Pattern } from '../../src/base/arrays/pattern.js';

/** The position after each instance of the pattern. */
function endsIn(row: readonly number[], pattern: readonly number[]): number[] {
  const wanted = new Pattern(pattern);
  let matched = 0;
  return row.flatMap((number, at) => {
    matched = wanted.next(matched, number);
    return matched === pattern.length ? [at + 1] : [];
  });
}

it('finds every instance, also those that overlap', () => {
  const few = fc.integer({ min: 0, max: 2 });
  const [row, pattern] = [
    fc.array(few, { maxLength: 40 }),
    fc.array(few, { minLength: 1, maxLength: 6 }),
  ];
  fc.assert(
    fc.property(row, pattern, (row, pattern) => {
      const isEnd = (end: number) =>
        end >= pattern.length &&
        pattern.every((number, i) => row[end - pattern.length + i] === number);
      const expected = [...row.keys()].map((at) => at + 1).filter(isEnd);
      expect(endsIn(row, pattern)).toEqual(expected);
    }),
  );
});
