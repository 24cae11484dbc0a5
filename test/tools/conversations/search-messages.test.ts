/** The tool search_messages with its defaults, filters as people write them, pages and limits. */
import { describe, expect, it, vi } from 'vitest';
import type { App } from '../../../src/app.js';
import { foundMessages, searchMessages } from '../../../src/tools/conversations/search-messages.js';
import { openPlace } from '../../search/search-place.js';
import { errorOf } from '../../support/error-of.js';

const DAY_MS = 24 * 60 * 60 * 1000;

async function openTool() {
  const { store, messageSearch } = await openPlace();
  const archives = { count: async () => 0 };
  const app = { conversations: store, messageSearch, archives } as unknown as App;
  const call = { signal: new AbortController().signal, isRemote: false, progress: () => undefined };
  const run = async (args: Record<string, unknown>, signal = call.signal) =>
    searchMessages.output.parse(
      await searchMessages.run(searchMessages.input.parse(args), app, { ...call, signal }),
    );
  const say = async (content: string, fields: Record<string, unknown> = {}) =>
    (await store.create({ ...fields, messages: [{ role: 'user', content }] })).conversationId;
  const runAll = (args: Record<string, unknown>, signal = call.signal) =>
    foundMessages(
      { ...searchMessages.input.parse(args), limit: Number.POSITIVE_INFINITY },
      app,
      { ...call, signal },
      { maxTokens: Number.POSITIVE_INFINITY },
    );
  return { store, archives, run, runAll, say, messageSearch };
}

describe('search_messages', () => {
  it('searches tool calls and thinking only if asked', async () => {
    const { store, run } = await openTool();
    const said = (text: string, metadata: Record<string, unknown>) =>
      ({ role: 'assistant', content: text, metadata }) as const;
    const { conversationId } = await store.create({
      module: 'shed',
      messages: [
        { role: 'user', content: 'Where is the larch?' },
        said('In the shed.', {
          thinking: 'Perhaps the shed has a ladder.',
          tools: [
            { name: 'Grep', input: { pattern: 'larch planks' }, result: 'plan.md:3' },
            { name: 'Read', input: 'plan.md', result: 'Larch planks, a ladder, a ladder' },
          ],
        }),
        said('Done.', { thinking: 'A ladder is there.', model: 'ladder-1' }),
        said('See [1].', {
          sources: [{ id: 1, url: 'https://sheds.example/roof', title: 'Felt' }],
        }),
      ],
    });
    await store.create({ messages: [said('Other', { tools: 'ladder', model: 'ladder' })] });
    expect((await run({ query: 'ladder' })).total).toBe(0);
    const { total, tier, results } = await run({ query: 'ladder', activity: true, explain: true });
    expect({ total, tier }).toEqual({ total: 2, tier: 'keyword' });
    expect(results.map(({ seq }) => seq).sort()).toEqual([2, 3]);
    for (const each of results) {
      expect(each).toMatchObject({ conversationId, module: 'shed', why: { words: ['ladder'] } });
      expect(each.snippet).toContain('<mark>ladder</mark>');
    }
    const { explanation } = await run({ query: 'plank', activity: true });
    expect(explanation).toMatch(/^No tool call, thinking or cited page has: plank\./);
    const filtered = await run({ query: 'ladder', activity: true, module: 'other' });
    expect(filtered.explanation).not.toMatch(/^No tool call, thinking or cited page has/);
    const totalOf = async (args: object) => (await run({ activity: true, ...args })).total;
    expect(await totalOf({ query: '"larch planks"' })).toBe(1);
    expect(await totalOf({ query: 'plan.md', matchType: 'exact' })).toBe(1);
    expect(await totalOf({ query: 'felt sheds.example' })).toBe(1);
    expect(await totalOf({ query: 'model' })).toBe(0);
    expect(await totalOf({ query: 'ladder', module: 'other' })).toBe(0);
    expect(await totalOf({ query: 'ladder', role: 'user' })).toBe(0);
    expect(await totalOf({ query: 'ladder', endDate: '2000-01-01' })).toBe(0);
    const cancelled = run({ query: 'ladder', activity: true }, AbortSignal.abort());
    expect((await errorOf(cancelled)).code).toBe('CANCELLED');
    const page = await run({ query: 'ladder', activity: true, limit: 1, offset: 1 });
    expect(page).toMatchObject({
      total: 2,
      hasMore: false,
      results: [{ messageId: results[1]?.messageId }],
    });
  });

  it("finds exactly the one message of seed 000's own test", async () => {
    const { run, say } = await openTool();
    await say('What is the weather?');
    const conversationId = await say('What is the capital of France?');
    const { total, results, hasMore, relaxed } = await run({ query: 'capital France' });
    expect({ total, hasMore, relaxed }).toEqual({ total: 1, hasMore: false, relaxed: false });
    expect(results).toMatchObject([
      {
        conversationId,
        seq: 1,
        snippet: 'What is the <mark>capital</mark> of <mark>France</mark>?',
      },
    ]);
    expect(results[0]).not.toHaveProperty('content');
  });

  it('accepts an id or a key, a module, a role; refuses those that do not exist', async () => {
    const { store, run } = await openTool();
    const say = (ref: string, module: string, role: 'user' | 'assistant') =>
      store.append(ref, [{ role, content: `tea for ${ref}` }], { create: { module } });
    await say('first', 'home', 'user');
    await say('second', 'work', 'assistant');
    const totalOf = async (filter: object) => (await run({ query: 'tea', ...filter })).total;
    expect(await totalOf({})).toBe(2);
    expect(await totalOf({ conversationId: 'second' })).toBe(1);
    expect(await totalOf({ module: 'home' })).toBe(1);
    expect(await totalOf({ role: 'assistant', module: 'work' })).toBe(1);
    expect((await errorOf(totalOf({ conversationId: 'third' }))).code).toBe(
      'CONVERSATION_NOT_FOUND',
    );
    expect((await errorOf(totalOf({ conversationId: '../x' }))).code).toBe('VALIDATION_ERROR');
  });

  it('finds nothing with an empty tag or module, which no conversation has', async () => {
    const { say, run } = await openTool();
    await say('Sow peas.');
    await say('Pick peas.', { tags: ['garden'], module: 'garden' });
    for (const filter of [{ tag: '' }, { tag: '#' }, { module: '' }])
      expect(await run({ query: 'peas', ...filter })).toMatchObject({ total: 0 });
  });

  it('accepts days and times; a day is a whole day, and a time without a zone is UTC', async () => {
    const { run, say } = await openTool();
    await say('tea today');
    const now = Date.now();
    const day = (offset: number) => new Date(now + offset * DAY_MS).toISOString().slice(0, 10);
    const totalOf = async (filter: object) => (await run({ query: 'tea', ...filter })).total;
    expect(await totalOf({ startDate: day(-1), endDate: day(0) })).toBe(1);
    expect(await totalOf({ endDate: day(-1) })).toBe(0);
    const minute = new Date(now - 60_000).toISOString();
    expect(await totalOf({ startDate: minute.slice(0, 16) })).toBe(1);
    expect(await totalOf({ startDate: minute.replace('Z', '+00:00') })).toBe(1);
    expect(await totalOf({ endDate: minute })).toBe(0);
    for (const startDate of ['yesterday', '5', '2025-13-01', 'March 7, 2025', ''])
      expect((await errorOf(totalOf({ startDate }))).code, startDate).toBe('VALIDATION_ERROR');
  });

  it('returns more results than a page from one ranking, in the order of the pages', async () => {
    const { store, run, runAll, messageSearch } = await openTool();
    const messages = Array.from({ length: 230 }, (_, at) => ({
      role: 'user' as const,
      content: `tea ${'and water '.repeat(at % 7)}${at}`,
    }));
    await store.create({ messages });
    for (const args of [{ query: 'tea' }, { query: 'tea', matchType: 'any' }]) {
      const paged: string[] = [];
      for (let offset: number | undefined = 0; offset !== undefined; ) {
        const page = await run({ ...args, limit: 100, offset });
        paged.push(...page.results.map(({ messageId }) => messageId));
        offset = page.nextOffset;
      }
      const search = vi.spyOn(messageSearch, 'search');
      const all = await runAll(args);
      expect(search).toHaveBeenCalledTimes(1);
      search.mockRestore();
      expect(all).toMatchObject({ total: 230, hasMore: false });
      expect(all.results.map(({ messageId }) => messageId)).toEqual(paged);
      const rest = await runAll({ ...args, offset: 150 });
      expect(rest.results.map(({ messageId }) => messageId)).toEqual(paged.slice(150));
    }
  });

  it('can be cancelled while it reads the results', async () => {
    const { store, runAll } = await openTool();
    const messages = Array.from({ length: 300 }, (_, at) => ({
      role: 'user' as const,
      content: `where was the tea ${'and the water '.repeat(60)}${at}`,
    }));
    await store.create({ messages });
    await runAll({ query: 'tea' });
    const cancel = new AbortController();
    const part = vi.spyOn(store, 'part').mockImplementationOnce((...args) => {
      cancel.abort();
      return store.part(...args);
    });
    const failed = await errorOf(runAll({ query: 'where was the tea' }, cancel.signal));
    expect(failed.code).toBe('CANCELLED');
    expect(part.mock.calls.length).toBeLessThan(300);
  });

  it('returns every result once in pages, each with the offset of the next page', async () => {
    const { store, run } = await openTool();
    // All messages of one call have the same time.
    const messages = Array.from({ length: 23 }, (_, n) => ({
      role: 'user' as const,
      content: `tea number ${n}`,
    }));
    await store.append('long', messages, { create: true });
    const seen: number[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const page: Awaited<ReturnType<typeof run>> = await run({ query: 'tea', limit: 10, offset });
      expect(page.total).toBe(23);
      expect(page.hasMore).toBe(page.nextOffset !== undefined);
      seen.push(...page.results.map(({ seq }) => seq));
      offset = page.nextOffset;
    }
    expect(seen.sort((a, b) => a - b)).toEqual(Array.from({ length: 23 }, (_, index) => index + 1));
    expect(await run({ query: 'tea', offset: 50 })).toMatchObject({
      total: 23,
      results: [],
      hasMore: false,
    });
  });

  it('returns whole messages within the limit, and loses none between pages', async () => {
    const { run, say } = await openTool();
    for (let n = 0; n < 5; n += 1) await say(`tea ${'word '.repeat(2000)}`);
    await say(`coffee ${'x'.repeat(50_000)}`);
    const first = await run({ query: 'tea', includeContent: true });
    expect(first.results).toHaveLength(2);
    expect(first.nextOffset).toBe(2);
    const rest = await run({ query: 'tea', includeContent: true, offset: 2 });
    expect(rest.results[0]?.content).toContain('tea word');
    const [long] = (await run({ query: 'coffee', includeContent: true })).results;
    expect(long).not.toHaveProperty('content');
    expect(long?.snippet).toContain('<mark>coffee</mark>');
    expect(long?.snippet.length).toBeLessThan(2_100);
  });

  it('marks matches and cuts snippets as requested', async () => {
    const { run, say } = await openTool();
    await say(`${'before '.repeat(40)}tea${' after'.repeat(40)}`);
    const marks = { highlightStart: '[[', highlightEnd: ']]', snippetTokens: 3 };
    const { results } = await run({ query: 'tea', ...marks });
    expect(results[0]?.snippet).toBe('...before [[tea]] after...');
    const cut = await run({ query: 'tea', ...marks, ellipsis: ' (cut) ' });
    expect(cut.results[0]?.snippet).toBe(' (cut) before [[tea]] after (cut) ');
  });

  it('returns the metadata of messages only if requested', async () => {
    const { run, store } = await openTool();
    const say = (content: string, metadata: Record<string, unknown>) =>
      store.create({ messages: [{ role: 'assistant', content, metadata }] });
    const metadata = { citations: [{ url: 'https://example.org/tea' }], costUsd: 0.006 };
    await say('tea', metadata);
    const [found] = (await run({ query: 'tea', includeMetadata: true })).results;
    expect(found?.metadata).toEqual(metadata);
    const [plain] = (await run({ query: 'tea' })).results;
    expect(plain).not.toHaveProperty('metadata');
    const byKeyword = await run({ query: 'tea', mode: 'keyword', includeMetadata: true });
    expect(byKeyword.results[0]?.metadata).toEqual(metadata);
    await say('coffee', { long: 'word '.repeat(6_000) });
    const [long] = (await run({ query: 'coffee', includeMetadata: true })).results;
    expect(long).not.toHaveProperty('metadata');
  });

  it('answers a question by meaning, although another message has all its words', async () => {
    const { run, say } = await openTool();
    const filler = 'The shed, the roof and the gutter were painted last week. '.repeat(30);
    const long = await say(`${filler}What did the plan say about walls? We decide that later.`);
    const short = await say('We decided that the wall gets larch boards.');
    const query = 'what did we decide about the walls';
    const first = async (args: object) => (await run({ query, ...args })).results[0];
    expect((await first({ matchType: 'auto' }))?.conversationId).toBe(long);
    expect((await first({}))?.conversationId).toBe(short);
    // Keywords are not a question, so the order of FTS5 comes first.
    expect((await run({ query: 'decide walls' })).results[0]?.conversationId).toBe(long);
  });

  it('answers a question with a quoted title that no message has', async () => {
    const { run, say } = await openTool();
    await say('What the read when a of it is.');
    const conversationId = await say('We finished reading the novel about lean startups in June.');
    const found = await run({ query: 'When did I read "The Lean Startup" novel?' });
    expect(found).toMatchObject({ tier: 'words', relaxed: true });
    expect(found.results[0]).toMatchObject({ conversationId });
    // With a match type it is a keyword search.
    const query = { query: '"The Lean Startup"', matchType: 'fts5' };
    expect(await run(query)).toMatchObject({ tier: 'keyword', total: 0 });
  });

  it('explains an empty result: unknown words, and how many matches each filter excluded', async () => {
    const { run, say } = await openTool();
    await say('tea and cake', { module: 'home' });
    expect((await run({ query: 'wombat' })).explanation).toContain('wombat');
    const filtered = await run({ query: 'tea', module: 'work', endDate: '2001-01-01' });
    expect(filtered.explanation).toContain('1 message matches without any filter');
    const one = await run({ query: 'tea', endDate: '2001-01-01' });
    expect(one.explanation).toContain('1 message matches without `endDate`');
    expect((await run({ query: '"cake tea"' })).explanation).toBeTruthy();
    expect(await run({ query: 'tea' })).not.toHaveProperty('explanation');
  });

  it.each([
    ['トマトは好きですか？', '昨日トマトを食べました。', '昨日<mark>トマト</mark>を食べました。'],
    ['カタカナ', 'ｶﾀｶﾅです', '<mark>ｶﾀｶﾅ</mark>です'],
  ])('marks a whole word of text without spaces, which the index has as pairs: %s', async (query, content, snippet) => {
    const { run, say } = await openTool();
    await say(content);
    expect((await run({ query })).results).toMatchObject([{ snippet }]);
  });

  it('says that what was deleted or archived was not searched, if it found nothing', async () => {
    const { store, archives, run, say } = await openTool();
    await store.trash(await say('a wombat'));
    const gone = (await run({ query: 'wombat' })).explanation;
    expect(gone).toMatch(
      /^No message has: wombat\..* Not included: 1 conversation in the trash\. /,
    );
    archives.count = async () => 2;
    const both = (await run({ query: 'wombat' })).explanation;
    expect(both).toContain('Not included: the conversations in 2 archives.');
    expect(both).toContain('Not included: 1 conversation in the trash.');
    await say('another wombat');
    expect(await run({ query: 'wombat' })).not.toHaveProperty('explanation');
  });

  it('reports that it searched for any of the words; only fts5 has syntax errors', async () => {
    const { run, say } = await openTool();
    await say('tea and cake');
    await say('coffee');
    expect(await run({ query: 'cake coffee' })).toMatchObject({ total: 2, relaxed: true });
    expect(await run({ query: 'what (about "cake' })).toMatchObject({ total: 1 });
    const error = await errorOf(run({ query: '(cake', matchType: 'fts5' }));
    expect(error.code).toBe('QUERY_SYNTAX');
    expect(error.details?.['position']).toBeTypeOf('number');
    expect(await run({ query: 'coffe', matchType: 'fuzzy' })).toMatchObject({ total: 1 });
    expect(await run({ query: 'cof', matchType: 'prefix' })).toMatchObject({ total: 1 });
    expect(await run({ query: 'and cake', matchType: 'exact' })).toMatchObject({ total: 1 });
  });

  it('reports that an operator was searched as a word, if the query is not valid FTS5', async () => {
    const { run, say } = await openTool();
    await say('peas, not beans');
    for (const query of ['NOT peas', 'peas AND', 'do NOT buy peas, or beans'])
      expect([query, (await run({ query })).note]).toEqual([
        query,
        expect.stringContaining('word'),
      ]);
    expect((await run({ query: 'NOT peas', mode: 'keyword' })).note).toContain('NOT');
    expect((await run({ query: 'NOT peas', matchType: 'auto' })).note).toContain('NOT');
    for (const query of ['peas NOT tea', 'not peas', 'peas, beans', 'NOTE peas'])
      expect(await run({ query })).not.toHaveProperty('note');
    expect(await run({ query: 'NOT peas', matchType: 'any' })).not.toHaveProperty('note');
  });

  it('is cancelled by its signal', async () => {
    const { run, say } = await openTool();
    await say('tea');
    expect((await errorOf(run({ query: 'tea' }, AbortSignal.abort()))).code).toBe('CANCELLED');
  });
});
