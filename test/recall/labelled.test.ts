/**
 * A labelled set of the project's own: questions with the messages that must be found and those that
 * must not, in English, German, French and Japanese. Asked of the tools over real files.
 */
import { describe, expect, it } from 'vitest';
import type { App } from '../../src/app.js';
import { RelevantSnippets } from '../../src/context/snippets/relevant-snippets.js';
import { getRelevantSnippets } from '../../src/tools/context/get-relevant-snippets.js';
import { searchMessages } from '../../src/tools/conversations/search-messages.js';
import { openPlace } from '../search/search-place.js';

interface Case {
  readonly query: string;
  readonly first: string;
  readonly never?: string;
}

/** By name, so that a case reads without counting. */
const SAID: Readonly<Record<string, string>> = {
  planting: 'We planted twelve tomatoes along the south wall of the old greenhouse.',
  roof: 'The roof of the shed leaks, so Marek will bring new shingles on Friday.',
  oldDeadline: 'The deadline for the grant application is April 15.',
  newDeadline: 'The deadline for the grant application has been moved to May 2.',
  dentist: 'My appointment with the dentist is on 9 September at noon.',
  german: 'Wir haben gestern die Häuser gestrichen und die Tomaten im Garten gegossen.',
  germanCat: 'Die Katze schläft den ganzen Tag auf dem warmen Ofen in der Küche.',
  french: 'Nous avons décidé de vendre les chevaux et de garder la maison de campagne.',
  frenchFood: 'Pour le dîner nous allons préparer une soupe avec des légumes du marché.',
  japanese: '来月の京都旅行のホテルを予約しました。',
  japaneseWork: '会議の資料は明日までに送ってください。',
};

const CASES: readonly Case[] = [
  { query: 'tomato', first: 'planting', never: 'roof' },
  { query: 'what did we plant by the southern walls', first: 'planting' },
  { query: 'Who brings the shingle?', first: 'roof', never: 'dentist' },
  { query: 'appointments with dentists', first: 'dentist', never: 'roof' },
  { query: 'Tomate gießen Haus', first: 'german', never: 'germanCat' },
  { query: 'Was müssen wir streichen?', first: 'german', never: 'germanCat' },
  { query: 'Wo schlafen die Katzen?', first: 'germanCat', never: 'german' },
  { query: 'Quand avons-nous vendu les chevaux ?', first: 'french', never: 'frenchFood' },
  { query: 'vendu', first: 'french', never: 'frenchFood' },
  { query: 'cheval', first: 'french', never: 'frenchFood' },
  { query: 'Quelle décision pour la maison et le cheval ?', first: 'french' },
  { query: 'légume', first: 'frenchFood', never: 'french' },
  { query: '京都のホテル', first: 'japanese', never: 'japaneseWork' },
  { query: '会議資料', first: 'japaneseWork', never: 'japanese' },
];

async function open() {
  const place = await openPlace();
  const { store, messageSearch } = place;
  const start = Date.parse('2025-03-01T09:00:00Z');
  const names = new Map<string, string>();
  for (const [day, [name, content]] of Object.entries(SAID).entries()) {
    const createdAt = new Date(start + day * 24 * 3_600_000).toISOString();
    const { conversationId } = await store.create({
      messages: [{ role: 'user', content, createdAt }],
    });
    names.set(conversationId, name);
  }
  const relevantSnippets = new RelevantSnippets(place.recall);
  const archives = { count: async () => 0 };
  const app = { conversations: store, messageSearch, archives, relevantSnippets } as unknown as App;
  const call = { signal: new AbortController().signal, isRemote: false, progress: () => undefined };
  const nameOf = ({ conversationId }: { conversationId: string }) => names.get(conversationId);
  const search = async (args: Record<string, unknown>) =>
    searchMessages.run(searchMessages.input.parse(args), app, call);
  const snippets = async (args: Record<string, unknown>) =>
    getRelevantSnippets.run(getRelevantSnippets.input.parse(args), app, call);
  return { ...place, nameOf, search, snippets };
}

describe('the labelled set', () => {
  it('finds first what answers, and never what does not', async () => {
    const { search, nameOf } = await open();
    for (const { query, first, never } of CASES) {
      const found = (await search({ query })).results.map(nameOf);
      expect(found[0], query).toBe(first);
      if (never !== undefined) expect(found, query).not.toContain(never);
    }
  });

  it.each([
    ['Combien de légumes ?', 'frenchFood'],
    ['Weshalb die Tomaten?', 'german'],
  ])('leaves the question word out of %s', async (query, name) => {
    const { search, nameOf } = await open();
    const found = await search({ query });
    expect(found.results.map(nameOf)).toEqual([name]);
    expect(found.relaxed).toBe(false);
  });

  it.each([
    ['What did we say about the quarks?', 'quarks'],
    ['映画まで', '映画'],
  ])('finds nothing by the function words alone of %s', async (query, subject) => {
    const { search } = await open();
    const found = await search({ query });
    expect(found).toMatchObject({ total: 0, results: [] });
    expect(JSON.stringify(found)).toContain(subject);
  });

  it('explains whether a result has the word itself or another form of it', async () => {
    const { search } = await open();
    const { results, tier } = await search({ query: 'tomato', explain: true });
    expect(tier).toBe('words');
    expect(results[0]).toMatchObject({ why: { forms: ['tomato'] } });
    expect(results[0]?.snippet).toContain('<mark>tomatoes</mark>');
  });

  it('explains that only the title of the conversation has the word', async () => {
    const { store, search } = await open();
    await store.create({ title: 'The zephyr', messages: [{ role: 'user', content: 'Why?' }] });
    const { results } = await search({ query: 'zephyr', mode: 'keyword', explain: true });
    expect(results.map(({ why }) => why)).toEqual([{ title: ['zephyr'] }]);
    const begun = await search({ query: 'zeph*', explain: true });
    expect(begun.results.map(({ why }) => why)).toEqual([{ title: ['zephyr'] }]);
  });

  it('searches by keywords alone where operators, quotes, a match type or the mode say so', async () => {
    const { search } = await open();
    for (const args of [
      { query: '"tomato"' },
      { query: 'tomato NOT wall' },
      { query: 'tomato', matchType: 'auto' },
      { query: 'tomato', mode: 'keyword' },
    ])
      expect(await search(args)).toMatchObject({ tier: 'keyword', total: 0 });
    expect((await search({ query: 'tomato*' })).total).toBe(1);
  });

  it('follows what is written, changed and deleted after the first question', async () => {
    const { search, store } = await open();
    expect((await search({ query: 'zebra' })).total).toBe(0);
    const { conversationId } = await store.create({
      messages: [{ role: 'user', content: 'Two zebras crossed the road.' }],
    });
    expect((await search({ query: 'zebra' })).total).toBe(1);
    await store.append(conversationId, [{ role: 'user', content: 'And a third zebra.' }]);
    expect((await search({ query: 'zebra' })).total).toBe(2);
    await store.remove(conversationId);
    expect((await search({ query: 'zebra' })).total).toBe(0);
  });

  it('returns pages that have every match once', async () => {
    const { search } = await open();
    const whole = await search({ query: 'the deadline of the application', limit: 100 });
    const pages = [];
    for (let offset = 0; offset < whole.total; offset += 1)
      pages.push(
        ...(await search({ query: 'the deadline of the application', limit: 1, offset })).results,
      );
    expect(pages.map(({ messageId }) => messageId)).toEqual(
      whole.results.map(({ messageId }) => messageId),
    );
    expect(new Set(pages.map(({ messageId }) => messageId)).size).toBe(whole.total);
  });
});

describe('get_relevant_snippets', () => {
  it('marks a fact that changed by the later passage, and only that', async () => {
    const { snippets, nameOf } = await open();
    const found = await snippets({ query: 'When is the deadline for the grant application?' });
    const byName = new Map(found.snippets.map((snippet) => [nameOf(snippet), snippet]));
    const later = byName.get('newDeadline');
    expect(later).not.toHaveProperty('supersededBy');
    expect(byName.get('oldDeadline')?.supersededBy?.messageId).toBe(later?.messageId);
  });

  it('never exceeds its budget, and returns the number of passages that did not fit', async () => {
    const { snippets } = await open();
    const query =
      'deadline for the grant application, appointment with the dentist, roof of the shed';
    const all = await snippets({ query, maxTokens: 2_000 });
    const few = await snippets({ query, maxTokens: 50 });
    expect(few.tokensUsed).toBeLessThanOrEqual(50);
    expect(few.omitted).toBeGreaterThan(0);
    expect(few.snippets.length).toBeLessThan(all.snippets.length);
    expect(all.tokensUsed).toBe(all.snippets.reduce((sum, { tokens }) => sum + tokens, 0));
  });

  it('answers in the order of time where that is asked', async () => {
    const { snippets } = await open();
    const found = await snippets({
      query: 'deadline application dentist roof',
      strategy: 'temporal',
    });
    const times = found.snippets.map(({ createdAt }) => createdAt);
    expect(times.length).toBeGreaterThan(2);
    expect(times).toEqual([...times].sort());
  });

  it('gives the best passages whole and of the others what the question asks for', async () => {
    const { store, snippets } = await open();
    const chatter = 'Nobody remembers anything else about that long evening by the river. '.repeat(
      5,
    );
    const messages = Array.from({ length: 12 }, (_, year) => ({
      role: 'user' as const,
      content: `${chatter} The regatta of year ${year} was won by Anna. ${chatter}`,
    }));
    await store.create({ messages });
    const { snippets: found } = await snippets({ query: 'Who won the regatta?', maxTokens: 4_000 });
    expect(found).toHaveLength(12);
    for (const { text } of found.slice(0, 5)) expect(text).toContain(chatter.trim());
    for (const { text } of found.slice(5)) {
      expect(text).toContain('regatta');
      expect(text.split(' ').length).toBeLessThan(70);
    }
    const all = await snippets({ query: 'Give me a summary of the regatta', maxTokens: 700 });
    expect(all.snippets).toHaveLength(12);
    const few = await snippets({ query: 'Who won the regatta?', maxTokens: 90 });
    expect(few.snippets).toHaveLength(1);
  });
});
