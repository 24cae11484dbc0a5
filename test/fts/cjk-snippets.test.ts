/** Snippets of what FTS5 cannot find: CJK text by a part of it, words with symbols. */
import { describe, expect, it } from 'vitest';
import type { MatchType } from '../../src/fts/query/match-type-names.js';
import { createTextIndex } from '../../src/fts/text-index.js';

function snippetOf(text: string, query: string, matchType: MatchType = 'auto', tokens = 32) {
  const index = createTextIndex({ columns: ['content', 'title'] });
  index.put(7, { content: text });
  const result = index.search(query, { matchType });
  expect(result.hits.map(({ id }) => id)).toEqual([7]);
  return result.snippet(7, { content: text }, { open: '[', close: ']', tokens });
}

describe('snippets of CJK text', () => {
  it('mark exactly the typed characters, also inside a longer run', () => {
    expect(snippetOf('明日は東京駅で会いましょう。', '東京')).toBe(
      '明日は[東京]駅で会いましょう。',
    );
  });

  it('have a window of characters around the match', () => {
    const text = `${'あ'.repeat(200)}東京駅${'い'.repeat(200)}`;
    const snippet = snippetOf(text, '東京', 'auto', 8);
    expect(snippet).toMatch(/^\.\.\.あ+\[東京\]駅い+\.\.\.$/);
    expect(snippet.replace(/[.[\]]/g, '')).toHaveLength(16);
  });

  it('mark several matches, join overlapping ones, and never divide a character', () => {
    expect(snippetOf('今日は京都、明日は京都駅', '京都 明日')).toBe(
      '今日は[京都]、[明日]は[京都]駅',
    );
    const text = `${'𠮷'.repeat(40)}東京${'𠮷'.repeat(40)}`;
    expect(snippetOf(text, '東京', 'auto', 5).isWellFormed()).toBe(true);
    expect(snippetOf('ああああ', 'ああ', 'exact')).toBe('[ああああ]');
  });

  it('mark the words of FTS5 if those were found', () => {
    expect(snippetOf('tea in 東京', 'tea 東京')).toBe('[tea] in [東京]');
  });
});

describe('snippets of words with symbols', () => {
  it.each([
    ['We write C++ and C', 'C++', 'We write [C]++ and C'],
    ['open src/a_b.ts now, not src/b', 'src/a_b.ts', 'open [src/a_b.ts] now, not src/b'],
    ['see foo_bar() and foo bar', 'foo_bar()', 'see [foo_bar]() and foo bar'],
    ['a => b', '=>', 'a => b'],
  ])('%s: %s', (text, query, expected) => {
    expect(snippetOf(text, query)).toBe(expected);
  });
});
