/** Quick find over names: beginnings, typing errors, scripts without spaces, recency, changes. */
import { describe, expect, it } from 'vitest';
import { runToCompletion } from '../../../src/base/async/time-slice.js';
import { type FindEntry, QuickFindIndex } from '../../../src/search/quick-find/quick-find-index.js';

const NOW = Date.UTC(2026, 0, 1);
const ALL = { now: NOW, limit: 100 };
const DAY = 24 * 60 * 60 * 1000;

const conversation = (id: string, title: string, more: Partial<FindEntry> = {}): FindEntry => ({
  kind: 'conversation',
  id,
  title,
  ...more,
});

function indexOf(...entries: FindEntry[]): QuickFindIndex {
  const index = new QuickFindIndex();
  for (const kind of new Set(entries.map((entry) => entry.kind))) {
    const own = entries.filter((entry) => entry.kind === kind);
    runToCompletion(index.syncInSteps(kind, own, (entry) => [entry]));
  }
  return index;
}
const find = (index: QuickFindIndex, query: string) =>
  runToCompletion(index.findInSteps(query, ALL));
const idsOf = (index: QuickFindIndex, query: string) =>
  find(index, query).hits.map(({ entry }) => entry.id);

describe('quick find', () => {
  it('names some of the matching tags of a conversation with thousands of them', () => {
    const tags = Array.from({ length: 10_000 }, (_, number) => `plan ${number}`);
    const names = [{ field: 'module', text: 'planning' }] as const;
    const [hit] = find(indexOf(conversation('a', 'A plan', { tags, names })), 'plan').hits;
    const fields = hit?.matches.map(({ field }) => field) ?? [];
    expect(fields.length).toBeLessThan(50);
    expect(new Set(fields)).toEqual(new Set(['title', 'tag', 'module']));
  });

  it.each([
    ['tomatoes', 'the word itself'],
    ['toma', 'the beginning of a word'],
    ['tomatos', 'a word with a letter missing'],
    ['tamotoes', 'two letters exchanged'],
    ['TOMATOES', 'another case'],
    ['garden toma', 'words in another order'],
  ])('finds "Tomatoes in the garden" by %s: %s', (query) => {
    const index = indexOf(conversation('a', 'Tomatoes in the garden'), conversation('b', 'Taxes'));
    expect(idsOf(index, query)[0]).toBe('a');
    expect(idsOf(index, query)).not.toContain('b');
  });

  it.each([
    ['tomto', 'a letter missing'],
    ['tomoto', 'a wrong letter'],
    ['tommato', 'a letter too many'],
    ['tomaot', 'two letters exchanged'],
    ['otma', 'the first two letters exchanged'],
    ['gadren tomto', 'an error in each word'],
  ])('finds "Tomatoes in the garden" by a beginning with a typing error: %s, %s', (query) => {
    const index = indexOf(
      conversation('a', 'Tomatoes in the garden'),
      conversation('b', 'Tons of taxes'),
    );
    expect(idsOf(index, query)).toEqual(['a']);
  });

  it('does not look for typing errors in a word that is longer than any name', () => {
    const index = indexOf(conversation('a', 'Tomatoes in the garden'));
    const long = 'tomatoes'.repeat(12_500);
    // MiniSearch would compare this word in a table of 10 GB.
    expect(idsOf(index, long)).toEqual([]);
    expect(idsOf(index, `garden ${long}`)).toEqual(['a']);
    expect(index.suggest(long, 5)).toEqual([]);
  });

  it('allows a typing error in a beginning only where nothing else is found, and not in short words', () => {
    const index = indexOf(conversation('a', 'Garden'), conversation('b', 'Cardinal'));
    expect(idsOf(index, 'gard')).toEqual(['a']);
    expect(idsOf(index, 'zard')).toEqual(expect.arrayContaining(['a', 'b']));
    expect(idsOf(index, 'zar')).toEqual([]);
  });

  it('finds Japanese by any two characters, and German with ss and without accents', () => {
    const index = indexOf(conversation('jp', '庭のトマト計画'), conversation('de', 'Große Straße'));
    expect(idsOf(index, 'トマト')).toEqual(['jp']);
    expect(idsOf(index, '計画')).toEqual(['jp']);
    expect(idsOf(index, 'strasse')).toEqual(['de']);
    expect(idsOf(index, 'grosse')).toEqual(['de']);
  });

  it.each([
    '庭',
    'の',
    '𠮷',
  ])('finds Japanese by one character, wherever it is: %s', (character) => {
    const index = indexOf(
      conversation('first', `${character}に植える`),
      conversation('last', `東京${character}`),
      conversation('only', character),
      conversation('other', '東京タワー'),
    );
    expect(idsOf(index, character).sort()).toEqual(['first', 'last', 'only']);
    const last = find(index, character).hits.find(({ entry }) => entry.id === 'last');
    expect(last?.matches).toEqual([{ field: 'title', text: `東京${character}` }]);
  });

  it('ranks a title above a tag, and a recent change above an old one', () => {
    const fields = indexOf(
      conversation('tag', 'Plants', { tags: ['garden'] }),
      conversation('title', 'Garden'),
    );
    expect(idsOf(fields, 'garden')).toEqual(['title', 'tag']);
    const ages = indexOf(
      conversation('old', 'Garden', { updatedAt: NOW - 400 * DAY }),
      conversation('new', 'Garden', { updatedAt: NOW - DAY }),
    );
    expect(idsOf(ages, 'garden')).toEqual(['new', 'old']);
  });

  it('prefers entries with all words, and otherwise returns entries with some of them', () => {
    const index = indexOf(conversation('both', 'Garden shed'), conversation('one', 'Garden'));
    expect(idsOf(index, 'garden shed')).toEqual(['both']);
    expect(idsOf(index, 'garden bicycle')).toEqual(expect.arrayContaining(['both', 'one']));
  });

  it('updates changed and removed entries, and keeps entries of other kinds', () => {
    const index = indexOf(conversation('a', 'Garden'), {
      kind: 'note',
      id: 'a',
      title: 'ideas/garden.md',
    });
    const changed = [conversation('a', 'Kitchen')];
    runToCompletion(index.syncInSteps('conversation', changed, (entry) => [entry]));
    expect(find(index, 'garden').hits.map(({ entry }) => entry.kind)).toEqual(['note']);
    expect(idsOf(index, 'kitchen')).toEqual(['a']);
    runToCompletion(index.syncInSteps('conversation', [], () => []));
    expect(index.size).toBe(1);
    expect(idsOf(index, 'kitchen')).toEqual([]);
  });

  it('returns the fields of an entry that have the words of the query', () => {
    const names = [{ field: 'module', text: 'Gardening' } as const];
    const entry = conversation('a', 'Peas', { tags: ['spring', 'garden'], names });
    const [hit] = find(indexOf(entry), 'gardn peas').hits;
    expect(hit?.matches).toEqual([
      { field: 'title', text: 'Peas' },
      { field: 'tag', text: 'garden' },
    ]);
    const [other] = find(indexOf(entry), 'gardening').hits;
    expect(other?.matches).toEqual(names);
  });

  it('suggests names for the beginning of a word, and none for a query without words', () => {
    const index = indexOf(conversation('a', 'Garden shed'));
    expect(index.suggest('gard', 5)).toContain('garden');
    expect(idsOf(index, '???')).toEqual([]);
  });
});
