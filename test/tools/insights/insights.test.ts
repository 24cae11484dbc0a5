/** The toolset `insights` through the official client and the built command, on real files. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

interface Insight {
  id: string;
  content: string;
  context: string;
  tags?: string[];
  metadata?: Record<string, unknown>;
  created_at: number;
  updated_at: number;
  expires_at?: number;
  snippet: string;
  isCut?: true;
}
interface Answer {
  id: string;
  context: string;
  created_at: number;
  found: boolean;
  updated: boolean;
  deleted: boolean;
  trashName?: string;
  insight: Insight;
  results: Insight[];
  total: number;
  hasMore: boolean;
  nextOffset?: number;
  relaxed: boolean;
  explanation?: string;
  note?: string;
}

const opened = useToolSession();
const call = async (name: string, args: Record<string, unknown> = {}) =>
  (await opened.session.call(name, args)) as unknown as Answer;
const codeOf = async (name: string, args: Record<string, unknown>) =>
  (await opened.session.failure(name, args)).code;
const save = async (content: string, others: Record<string, unknown> = {}) =>
  (await call('save_insight', { content, ...others })).id;
const contentsOf = ({ results }: Answer) => results.map(({ content }) => content);
const NOBODY = '00000000-0000-4000-8000-000000000000';

describe('an insight', () => {
  it('is saved, found, listed, read, changed and deleted', async () => {
    const before = Date.now();
    const { id, created_at, context } = await call('save_insight', {
      content: 'Auth uses JWT tokens in httpOnly cookies',
      metadata: { files: ['src/auth/middleware.ts'], category: 'authentication' },
      tags: ['security'],
    });
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    expect(context).toBe(process.cwd()); // the server's working folder, which the client set
    expect(created_at).toBeGreaterThanOrEqual(before);
    const { found, insight } = await call('get_insight', { id });
    expect(found).toBe(true);
    expect(insight).toEqual({
      id,
      content: 'Auth uses JWT tokens in httpOnly cookies',
      context,
      tags: ['security'],
      metadata: { files: ['src/auth/middleware.ts'], category: 'authentication' },
      created_at,
      updated_at: created_at,
    });
    for (const query of ['JWT cookies', 'authentication', 'security', 'middle*', 'J*']) {
      const answer = await call('search_insights', { query });
      expect(answer, query).toMatchObject({ total: 1, hasMore: false, relaxed: false });
      expect(answer.results[0]?.snippet, query).toContain('<mark>');
    }
    expect(await call('list_insights')).toMatchObject({ total: 1, hasMore: false });
    const changed = await call('update_insight', { id, content: 'Auth uses sessions' });
    expect(changed.updated).toBe(true);
    expect(changed.insight).toMatchObject({ content: 'Auth uses sessions', tags: ['security'] });
    expect(changed.insight.created_at).toBe(created_at);
    expect((await call('search_insights', { query: 'JWT', matchType: 'fts5' })).total).toBe(0);
    const replaced = await call('update_insight', { id, metadata: { a: 1 }, tags: [] });
    expect(replaced.insight).toMatchObject({ metadata: { a: 1 }, tags: [] });
    expect(await call('delete_insight', { id })).toMatchObject({ deleted: true, id });
    const deleted = await call('get_insight', { id });
    expect(deleted).toMatchObject({ success: true, found: false });
    expect(deleted.note).toMatch(/deleted at 20\S+Z and is in the trash/);
    expect(deleted.note).toContain(`daybook restore ${id}`);
    expect(deleted.note).toContain(`the name ${id} and the kind insight`);
    expect((await call('search_insights', { query: 'auth' })).total).toBe(0);
    expect((await call('list_insights')).total).toBe(0);
  });

  it('that does not exist is no error', async () => {
    expect(await call('get_insight', { id: NOBODY })).toEqual({ success: true, found: false });
    expect(await call('update_insight', { id: NOBODY, content: 'new' })).toEqual({
      success: true,
      updated: false,
    });
    for (const permanent of [false, true]) {
      const answer = await call('delete_insight', { id: NOBODY, permanent });
      expect(answer).toEqual({ success: true, deleted: false, id: NOBODY });
    }
  });

  it('has tools with old names with dashes, which are not listed', async () => {
    const { id } = await call('save-insight', { content: 'dashed' });
    expect((await call('search-insights', { query: 'd*' })).total).toBe(1);
    expect((await call('list-insights')).total).toBe(1);
    expect((await call('get-insight', { id })).found).toBe(true);
    expect((await call('update-insight', { id, content: 'dash' })).updated).toBe(true);
    expect((await call('delete-insight', { id })).deleted).toBe(true);
    const { tools } = await opened.session.client.listTools();
    expect(tools.filter(({ name }) => name.includes('-'))).toEqual([]);
  });

  it('says that an insight is expired when it is saved', async () => {
    const save = (expires: string) =>
      opened.session.call('save_insight', { content: 'Old tea', context: 'global', expires });
    expect((await save('2020-01-01'))['note']).toContain('in the past');
    expect(await save('2999-01-01')).not.toHaveProperty('note');
  });

  it('reports a private part that was in its context', async () => {
    const given = { content: 'Old tea', context: '/garden/<private>bed</private>' };
    expect((await opened.session.call('save_insight', given))['note']).toContain('1 part');
  });

  it('in the trash can only be deleted permanently, and the error says so', async () => {
    const id = await save('a thought');
    const { trashName } = await opened.session.call('delete_insight', { id });
    const again = await opened.session.failure('delete_insight', { id: trashName });
    const hint = expect.stringContaining('permanent: true');
    expect(again).toMatchObject({ code: 'VALIDATION_ERROR', hint });
    const permanent = { id: trashName, permanent: true };
    expect((await call('delete_insight', permanent)).deleted).toBe(true);
  });

  it('is refused if its fields are invalid', async () => {
    const wrong: [string, Record<string, unknown>][] = [
      ['save_insight', { content: 'ab' }],
      ['save_insight', { content: 'x'.repeat(100_001) }],
      ['save_insight', { content: 'abc', expires: 'soon' }],
      ['save_insight', { content: 'abc', metadata: [] }],
      ['save_insight', { content: 'abc', context: '' }],
      ['save_insight', { content: 'abc', id: NOBODY }],
      ['search_insights', { query: '' }],
      ['search_insights', { query: 'a', limit: 101 }],
      ['list_insights', { limit: 0 }],
      ['get_insight', { id: '../../conversation-logs/state' }],
      ['update_insight', { id: NOBODY }],
      ['update_insight', { id: NOBODY, content: 'ab' }],
      ['delete_insight', { id: 'no' }],
    ];
    for (const [name, args] of wrong) {
      expect(await codeOf(name, args), JSON.stringify(args).slice(0, 60)).toBe('VALIDATION_ERROR');
    }
    expect(await codeOf('search_insights', { query: '"', matchType: 'fts5' })).toBe('QUERY_SYNTAX');
  });

  it('can be read with an id in capitals', async () => {
    const id = await save('in capitals');
    expect((await call('get_insight', { id: id.toUpperCase() })).insight.id).toBe(id);
  });
});

describe('lists and searches', () => {
  it('have pages, the newest first, without gaps', async () => {
    const ids: string[] = [];
    for (let n = 1; n <= 7; n += 1) ids.unshift(await save(`finding number ${n}`));
    const seen: string[] = [];
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Answer = await call('list_insights', { limit: 3, offset });
      expect(page.total).toBe(7);
      expect(page.hasMore).toBe(page.nextOffset !== undefined);
      seen.push(...page.results.map(({ id }) => id));
      offset = page.nextOffset;
    }
    // Saved within one millisecond, two are in the order of their ids.
    expect([...seen].sort()).toEqual([...ids].sort());
    const found = await call('search_insights', { query: 'finding', limit: 3, offset: 3 });
    expect(found).toMatchObject({ total: 7, hasMore: true, nextOffset: 6 });
    expect(await call('list_insights', { offset: 50 })).toMatchObject({ total: 7, hasMore: false });
  });

  it('do not exceed the budget with long insights, and get_insight returns the whole text', async () => {
    const long = 'word '.repeat(15_000);
    const id = await save(long);
    for (let n = 0; n < 9; n += 1) await save(long, { metadata: { big: long } });
    const page = await call('list_insights', { maxTokens: 3000 });
    expect(page.results.length).toBeLessThan(10);
    expect(page).toMatchObject({ total: 10, hasMore: true, nextOffset: page.results.length });
    expect(page.results[0]).toMatchObject({ isCut: true });
    expect(JSON.stringify(page).length).toBeLessThan(20_000);
    expect((await call('get_insight', { id })).insight.content).toBe(long);
    const found = await call('search_insights', { query: 'word', maxTokens: 3000 });
    expect(JSON.stringify(found).length).toBeLessThan(20_000);
  });

  it('match like the other searches', async () => {
    await save('A raven and a writing-desk');
    await save('渋谷のカフェで設計を決めた');
    await save('Use rm -rf with care');
    const total = async (query: string, matchType: string) =>
      (await call('search_insights', { query, matchType })).total;
    expect(await total('raven OR care', 'fts5')).toBe(2);
    expect(await total('raven writing', 'exact')).toBe(0);
    expect(await total('rav wri', 'prefix')).toBe(1);
    expect(await total('raven care', 'any')).toBe(2);
    expect(await total('ravun', 'fuzzy')).toBe(1);
    expect(await total('設計', 'auto')).toBe(1);
    expect(await total('rm -rf', 'auto')).toBe(1);
    expect(await call('search_insights', { query: 'raven care' })).toMatchObject({
      total: 2,
      relaxed: true,
    });
    const marked = { highlightStart: '[', highlightEnd: ']' };
    const { results } = await call('search_insights', { query: 'raven', ...marked });
    expect(results[0]?.snippet).toBe('A [raven] and a writing-desk');
    await save(`owl ${'word '.repeat(100)}`);
    const cut = await call('search_insights', { query: 'owl', ...marked, ellipsis: ' (cut)' });
    expect(cut.results[0]?.snippet).toMatch(/^\[owl\] word .* \(cut\)$/);
  });

  it('find keys and values of metadata, also deep ones, and only in that column', async () => {
    await save('plain', { metadata: { area: { team: ['billing', 'line\nbreak'] }, done: true } });
    for (const query of ['billing', 'team', 'break', 'metadata : billing', 'true']) {
      expect((await call('search_insights', { query })).total, query).toBe(1);
    }
    expect((await call('search_insights', { query: 'content : billing' })).total).toBe(0);
  });

  it('filter by tags, all of which an insight must have', async () => {
    await save('one', { tags: ['a', 'b'] });
    await save('two', { tags: ['a'] });
    expect(contentsOf(await call('list_insights', { tags: ['a', 'b'] }))).toEqual(['one']);
    expect((await call('list_insights', { tags: ['a'] })).total).toBe(2);
    expect((await call('search_insights', { query: 'two', tags: ['b'] })).explanation).toBe(
      '1 insight matches without `tags`.',
    );
    expect((await call('list_insights', { tags: ['c'] })).explanation).toBe(
      '2 insights match without `tags`.',
    );
  });

  it('leave out expired insights, which can still be read', async () => {
    const id = await save('old news', { expires: '2020-01-01' });
    expect((await call('list_insights')).explanation).toBe(
      '1 insight matches with `includeExpired`.',
    );
    const later = await save('news of the day', { expires: '2999-12-31' });
    expect(contentsOf(await call('list_insights'))).toEqual(['news of the day']);
    expect((await call('search_insights', { query: 'old' })).explanation).toBe(
      '1 insight matches with `includeExpired`.',
    );
    expect((await call('list_insights', { includeExpired: true })).total).toBe(2);
    expect((await call('search_insights', { query: 'old', includeExpired: true })).total).toBe(1);
    const { insight } = await call('get_insight', { id });
    expect(insight.expires_at).toBe(Date.parse('2020-01-02T00:00:00Z') - 1);
    await call('update_insight', { id, expires: null });
    await call('update_insight', { id: later, expires: '2020-01-01T00:00:00Z' });
    expect(contentsOf(await call('list_insights'))).toEqual(['old news']);
  });

  it('do not count where expired insights are the only ones', async () => {
    const old = { context: 'project:old', expires: '2020-01-01' };
    await save('old news', old);
    const { explanation } = await call('list_insights');
    expect(explanation).toContain('No other context has insights.');
    await save('some words', { context: 'project:new' });
    await save('more old news', old);
    expect((await call('list_insights')).explanation).toContain(
      'Contexts with insights: project:new (1).',
    );
  });

  it('explain why nothing was found', async () => {
    const empty = await call('search_insights', { query: 'x' });
    expect(empty.explanation).toContain('no such insights');
    await save('some words');
    const unknown = await call('search_insights', { query: 'nowhere' });
    expect(unknown.explanation).toMatch(/^No insight of this context has: nowhere\. .*"fuzzy"\.$/);
    const apart = await call('search_insights', { query: '"words some"' });
    expect(apart.explanation).toBe('No insight of this context matches the whole query.');
    const blank = await call('search_insights', { query: ' ' });
    expect(blank.explanation).toBe('The query is empty.');
    const signs = await call('search_insights', { query: '🎉' });
    expect(signs.explanation).toContain('signs that are not searched');
  });
});

describe('concurrent calls', () => {
  it('of ten saves write ten complete files', async () => {
    const names = Array.from({ length: 10 }, (_, n) => `parallel ${n}`);
    const ids = await Promise.all(names.map((content) => save(content)));
    expect(new Set(ids).size).toBe(10);
    const folder = join(opened.place.root, 'memory-bank', 'insights');
    expect((await readdir(folder)).sort()).toEqual(ids.map((id) => `${id}.json`).sort());
    for (const [index, id] of ids.entries()) {
      const file = JSON.parse(await readFile(join(folder, `${id}.json`), 'utf8'));
      expect(file.content).toBe(names[index]);
    }
    expect(contentsOf(await call('list_insights')).sort()).toEqual([...names].sort());
  });

  it('of changes to one insight leave a complete file with the last value of each field', async () => {
    const id = await save('shared');
    const edits = Array.from({ length: 10 }, (_, n) => ({ id, content: `edit ${n}` }));
    const answers = await Promise.all([
      ...edits.map((edit) => call('update_insight', edit)),
      call('update_insight', { id, tags: ['kept'] }),
    ]);
    expect(answers.every(({ updated }) => updated)).toBe(true);
    const { insight } = await call('get_insight', { id });
    expect(insight.content).toMatch(/^edit \d$/);
    expect(insight.tags).toEqual(['kept']);
  });
});
