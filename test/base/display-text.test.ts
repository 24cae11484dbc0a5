/** Texts in answers: a number before a noun. */
import { describe, expect, it } from 'vitest';
import { countOf, shortened } from '../../src/base/text/display-text.js';

it('a long title ends before a surrogate pair that it would divide', () => {
  const title = 't'.repeat(199);
  expect([shortened(`${title}🌲`), shortened(`${title}s🌲`)]).toEqual([`${title}…`, `${title}s…`]);
});

describe('a number before a noun', () => {
  it.each([
    [0, '0 facts'],
    [1, '1 fact'],
    [2, '2 facts'],
  ])('%i is %s', (count, text) => {
    expect(countOf(count, 'fact')).toBe(text);
  });

  it('can be followed by a verb in the singular or the plural', () => {
    const matching = (count: number) => countOf(count, 'fact matches', 'facts match');
    expect([matching(1), matching(2)]).toEqual(['1 fact matches', '2 facts match']);
  });
});
