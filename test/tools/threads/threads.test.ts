/** The toolset `threads` through the official client and the built command, on real files. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Place, type Session, withClient, withPlace } from '../../e2e/harness.js';

interface Thread {
  id: string;
  module?: string;
  title?: string;
  messageCount: number;
  meta?: Record<string, unknown>;
}
interface Message {
  id: string;
  seq: number;
  role: string;
  content: string;
}
interface Answer {
  id: string;
  seq: number;
  total: number;
  hasMore: boolean;
  nextOffset?: number;
  nextBeforeSeq?: number;
  nextCursor?: string;
  relaxed: boolean;
  explanation?: string;
  thread: Thread;
  threads: Thread[];
  messages: Message[];
}
interface SearchAnswer extends Answer {
  results: {
    thread: Thread;
    matchCount: number;
    matchedMessages: (Message & { snippet: string })[];
  }[];
}
interface RecentAnswer extends Answer {
  results: { thread: Thread; message: Message }[];
}

let place: Place;
let session: Session;
let finish: () => void;
let ended: Promise<void>;

beforeEach(async () => {
  await new Promise<void>((ready) => {
    ended = withPlace((made) =>
      withClient(made, (opened) => {
        place = made;
        session = opened;
        ready();
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      }),
    );
  });
});
afterEach(async () => {
  finish();
  await ended;
});

async function call<T = Answer>(name: string, args: Record<string, unknown> = {}): Promise<T> {
  return (await session.call(name, args)) as unknown as T;
}
async function threadWith(module: string, ...bodies: string[]): Promise<string> {
  const { id } = await call('history_threads_create', { module, title: 'Talk' });
  for (const [index, body] of bodies.entries()) {
    const role = index % 2 === 0 ? 'user' : 'assistant';
    await call('history_threads_append_message', { threadId: id, role, body });
  }
  return id;
}
const codeOf = async (name: string, args: Record<string, unknown>) =>
  (await session.failure(name, args)).code;

describe('creating and reading', () => {
  it('works as in the seed, also with dotted names', async () => {
    const made = await call('odei.history.threads.create.v1', {
      module: 'discuss',
      title: 'Constitutional alignment review',
      meta: { tags: ['values', 'goals'], status: 'open' },
    });
    const said = await call('odei.history.threads.appendMessage.v1', {
      threadId: made.id,
      role: 'user',
      body: 'What values relate to autonomy?',
    });
    expect(said).toMatchObject({ threadId: made.id, seq: 1, messageCount: 1 });
    const listed = await call('odei.history.threads.list.v1', { module: 'discuss', limit: 1 });
    expect(listed).toMatchObject({
      success: true,
      total: 1,
      hasMore: false,
      threads: [
        {
          id: made.id,
          module: 'discuss',
          title: 'Constitutional alignment review',
          messageCount: 1,
          meta: { tags: ['values', 'goals'], status: 'open' },
        },
      ],
    });
    const read = await call('odei.history.threads.get.v1', { threadId: made.id, limit: 25 });
    expect(read.messages).toMatchObject([
      { id: said.id, seq: 1, role: 'user', content: 'What values relate to autonomy?' },
    ]);
    const found = await call<SearchAnswer>('odei.history.threads.search.v1', { q: 'autonomy' });
    expect(found.results[0]?.matchedMessages[0]).toMatchObject({ id: said.id, seq: 1 });
    const recent = await call<RecentAnswer>('odei.history.messages.recent.v1', {
      module: 'discuss',
      since: '2020-12-20T00:00:00Z',
      limit: 50,
    });
    expect(recent.results).toMatchObject([{ thread: { id: made.id }, message: { id: said.id } }]);
  });

  it('creates conversations that every other toolset reads, and reads theirs', async () => {
    const id = await threadWith('plan', 'Peas');
    const read = await session.call('get_conversation', { conversationId: id });
    expect(read).toMatchObject({ module: 'plan', total: 1, messages: [{ content: 'Peas' }] });
    const own = { conversationId: 'garden', module: 'plan', role: 'user', content: 'Beans' };
    await session.call('save_message', own);
    const thread = await call('history_threads_get', { threadId: 'garden' });
    expect(thread.thread).toMatchObject({ module: 'plan', clientId: 'garden' });
    const more = { threadId: 'garden', role: 'assistant', content: 'Noted' };
    expect(await call('history_threads_append_message', more)).toMatchObject({ seq: 2 });
  });

  it('says only once that a module is empty', async () => {
    const { message } = await session.failure('history_threads_create', { module: '' });
    expect(message).toMatch(/^[^:]*: "module" is empty\.[^"]*$/);
  });

  it('refuses a module of white space only', async () => {
    const { code, message } = await session.failure('history_threads_create', { module: ' \t' });
    expect([code, message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringContaining('The module is empty.'),
    ]);
  });

  it('lists the modules in use if no conversation has the given one', async () => {
    await threadWith('garden', 'Beans');
    const module = 'gardn';
    for (const [name, args] of [
      ['history_threads_list', { module }],
      ['history_messages_recent', { module }],
      ['get_context_summary', { module }],
      ['get_relevant_snippets', { module, query: 'beans' }],
    ] as const) {
      const { note } = await session.call(name, args);
      expect({ name, note }).toEqual({ name, note: expect.stringContaining('"garden"') });
    }
    expect((await session.call('get_conversations', { module }))['note']).toContain('"garden"');
    expect((await session.call('session_start', { module }))['notes']).toEqual([
      expect.stringContaining('"garden"'),
    ]);
    for (const [name, args] of [
      ['search_messages', { module, query: 'beans' }],
      ['history_threads_search', { module, q: 'beans' }],
    ] as const) {
      expect((await session.call(name, args))['explanation']).toContain('"garden"');
    }
    const without = await session.call('search_messages', { module: 'garden', query: 'peas' });
    expect(without['explanation']).not.toContain('Modules in use');
    const later = { module: 'garden', since: '2999-01-01' };
    expect(await session.call('history_messages_recent', later)).not.toHaveProperty('note');
  });

  it('accepts the longest module that save_message stores', async () => {
    const module = 'm'.repeat(200);
    const own = { conversationId: 'garden', module, role: 'user', content: 'Beans' };
    await session.call('save_message', own);
    expect(await call('history_threads_list', { module })).toMatchObject({ total: 1 });
  });

  it('has pages backwards with beforeSeq', async () => {
    const id = await threadWith('plan', '1', '2', '3', '4', '5', '6', '7');
    const pages: Answer[] = [];
    let beforeSeq: number | undefined;
    do {
      const args = { threadId: id, limit: 3, ...(beforeSeq !== undefined && { beforeSeq }) };
      const page = await call('history_threads_get', args);
      pages.push(page);
      beforeSeq = page.nextBeforeSeq;
    } while (beforeSeq !== undefined);
    expect(pages.map(({ messages }) => messages.map(({ seq }) => seq))).toEqual([
      [5, 6, 7],
      [2, 3, 4],
      [1],
    ]);
    expect(pages.map(({ hasMore, total }) => [hasMore, total])).toEqual([
      [true, 7],
      [true, 7],
      [false, 7],
    ]);
    const first = await call('history_threads_get', { threadId: id, beforeSeq: 1 });
    expect(first).toMatchObject({ messages: [], hasMore: false, total: 7 });
    const beyond = await call('history_threads_get', { threadId: id, beforeSeq: 900, limit: 1 });
    expect(beyond.messages).toMatchObject([{ seq: 7 }]);
  });

  it('does not exceed its budget, and the next page continues there', async () => {
    const long = 'word '.repeat(4000);
    const id = await threadWith('plan', long, long, long);
    const page = await call('history_threads_get', { threadId: id });
    expect(page).toMatchObject({ nextBeforeSeq: 3, hasMore: true, messages: [{ seq: 3 }] });
    const recent = await call<RecentAnswer>('history_messages_recent', { limit: 3 });
    expect(recent).toMatchObject({ total: 3, hasMore: true, results: [{ message: { seq: 3 } }] });
    const next = { cursor: recent.nextCursor };
    const older = await call<RecentAnswer>('history_messages_recent', next);
    expect(older.results).toMatchObject([{ message: { seq: 2 } }]);
  });

  it('stores the tags of a new thread as save_message does, and reports private parts', async () => {
    const tags = [' #spring ', 'Spring', '', '#', 'late  '];
    const module = 'plan <private>b</private>';
    const made = await session.call('history_threads_create', { module, meta: { tags, kind: 1 } });
    expect(made['thread']).toMatchObject({ meta: { tags: ['spring', 'late'], kind: 1 } });
    expect(made['note']).toContain('Not stored: 1 part');
    const plain = await session.call('history_threads_create', { module: 'plan' });
    expect(plain).not.toHaveProperty('note');
    for (const wrong of [['x'.repeat(201)], Array.from({ length: 101 }, (_, n) => `t${n}`)]) {
      const given = { module: 'plan', meta: { tags: wrong } };
      expect(await codeOf('history_threads_create', given)).toBe('VALIDATION_ERROR');
    }
  });

  it('refuses invalid input', async () => {
    const id = await threadWith('plan');
    const message = { threadId: id, role: 'user' };
    expect(await codeOf('history_threads_append_message', message)).toBe('VALIDATION_ERROR');
    const twice = { ...message, body: 'a', content: 'b' };
    expect(await codeOf('history_threads_append_message', twice)).toBe('VALIDATION_ERROR');
    expect(await codeOf('history_threads_create', {})).toBe('VALIDATION_ERROR');
    const badTags = { module: 'plan', meta: { tags: 'one' } };
    expect(await codeOf('history_threads_create', badTags)).toBe('VALIDATION_ERROR');
    const absent = '20200101-1577836800000';
    expect(await codeOf('history_threads_get', { threadId: absent })).toBe(
      'CONVERSATION_NOT_FOUND',
    );
    expect(await codeOf('history_messages_recent', { since: 'soon' })).toBe('VALIDATION_ERROR');
    expect(await codeOf('history_messages_recent', { cursor: '1' })).toBe('VALIDATION_ERROR');
    const syntax = { q: 'a AND', matchType: 'fts5' };
    expect(await codeOf('history_threads_search', syntax)).toBe('QUERY_SYNTAX');
  });
});

describe('modules', () => {
  it('are separate in every tool', async () => {
    const discuss = await threadWith('discuss', 'Autonomy as a core principle');
    const execute = await threadWith('execute', 'Autonomy of the release script');
    await session.call('save_message', { role: 'user', content: 'Autonomy of nobody' });
    const within = { module: 'discuss' };
    expect((await call('history_threads_list', within)).threads).toMatchObject([{ id: discuss }]);
    expect((await call('history_threads_list')).total).toBe(3);
    const found = await call<SearchAnswer>('history_threads_search', { q: 'autonomy', ...within });
    expect(found).toMatchObject({ total: 1, results: [{ thread: { id: discuss } }] });
    const recent = await call<RecentAnswer>('history_messages_recent', within);
    expect(recent).toMatchObject({ total: 1, results: [{ thread: { id: discuss } }] });
    const other = { threadId: execute, ...within };
    expect(await codeOf('history_threads_get', other)).toBe('CONVERSATION_NOT_FOUND');
    const foreign = { ...other, role: 'user', body: 'x' };
    expect(await codeOf('history_threads_append_message', foreign)).toBe('CONVERSATION_NOT_FOUND');
    expect(await call('history_threads_get', { threadId: execute })).toMatchObject({ total: 1 });
  });
});

describe('listing, searching, recent', () => {
  it('lists the last used thread first, in pages', async () => {
    const ids = [];
    for (const body of ['a', 'b', 'c']) ids.push(await threadWith('plan', body));
    await call('history_threads_append_message', { threadId: ids[0], role: 'user', body: 'again' });
    const first = await call('history_threads_list', { limit: 2 });
    expect(first).toMatchObject({ total: 3, hasMore: true, nextOffset: 2 });
    expect(first.threads.map(({ id }) => id)).toEqual([ids[0], ids[2]]);
    const second = await call('history_threads_list', { limit: 2, offset: first.nextOffset });
    expect(second).toMatchObject({ hasMore: false, threads: [{ id: ids[1] }] });
  });

  it('finds each thread once, with its best messages and their number', async () => {
    const much = await threadWith('plan', ...Array.from({ length: 9 }, (_, n) => `goal ${n}`));
    const little = await threadWith('plan', 'a goal of mine, among much else that was said', 'no');
    const marks = { highlightStart: '[', highlightEnd: ']' };
    const marked = await call<SearchAnswer>('history_threads_search', { q: 'mine', ...marks });
    expect(marked.results).toMatchObject([
      { matchedMessages: [{ snippet: expect.stringContaining('[mine]') }] },
    ]);
    const found = await call<SearchAnswer>('history_threads_search', { q: 'goal', limit: 1 });
    expect(found).toMatchObject({ total: 2, hasMore: true, nextOffset: 1, relaxed: false });
    expect(found.results).toMatchObject([{ thread: { id: much }, matchCount: 9 }]);
    expect(found.results[0]?.matchedMessages).toHaveLength(3);
    expect(found.results[0]?.matchedMessages[0]?.snippet).toContain('<mark>goal</mark>');
    const next = { q: 'goal', limit: 1, offset: 1 };
    expect(await call<SearchAnswer>('history_threads_search', next)).toMatchObject({
      hasMore: false,
      results: [{ thread: { id: little }, matchCount: 1, matchedMessages: [{ seq: 1 }] }],
    });
    const near = await call<SearchAnswer>('history_threads_search', { q: 'goal NEAR/2 mine' });
    expect(near.results.map(({ thread }) => thread.id)).toEqual([little]);
    const none = await call<SearchAnswer>('history_threads_search', { q: 'zebra', module: 'plan' });
    expect(none).toMatchObject({ total: 0, results: [] });
    expect(none.explanation).toContain('zebra');
  });

  it('returns the newest messages of all threads in pages, each once', async () => {
    const one = await threadWith('plan', 'first', 'second');
    const two = await threadWith('plan', 'third');
    await call('history_threads_append_message', { threadId: one, role: 'user', body: 'fourth' });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const args = { limit: 3, ...(cursor !== undefined && { cursor }) };
      const page: RecentAnswer = await call<RecentAnswer>('history_messages_recent', args);
      expect(page.total).toBe(4);
      seen.push(...page.results.map(({ message }) => message.content));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(['fourth', 'third', 'second', 'first']);
    expect(two).not.toBe(one);
  });

  it('shows where a thread was imported from, without the digests for the next import', async () => {
    const text = JSON.stringify({ messages: [{ role: 'user', content: 'Does the pump leak?' }] });
    await call('import_conversations', { text, name: 'pump.json' });
    const { threads } = await call('history_threads_list');
    const source = { kind: 'openai', id: expect.any(String) };
    expect(threads).toMatchObject([{ meta: { source: expect.any(Object) } }]);
    expect(threads[0]?.meta?.['source']).toEqual(source);
    const { results } = await call<RecentAnswer>('history_messages_recent');
    expect(results[0]?.thread.meta?.['source']).toEqual(source);
    // What update_conversation replaces is returned as it is stored.
    const id = threads[0]?.id;
    const whole = await session.call('get_conversation', { conversationId: id });
    expect(whole).toMatchObject({ metadata: { source: { said: expect.any(String) } } });
  });

  it('counts and returns only messages after `since`', async () => {
    const id = await threadWith('plan', 'old', 'new');
    const path = join(place.root, 'conversation-logs', id, 'conversation.json');
    const file = JSON.parse(await readFile(path, 'utf8'));
    file.messages[0].createdAt = '2020-01-01T00:00:00.000Z';
    await writeFile(path, JSON.stringify(file, null, 2));
    await expect
      .poll(() => call<RecentAnswer>('history_messages_recent', { since: '2021-01-01' }))
      .toMatchObject({ total: 1, results: [{ message: { content: 'new' } }] });
  });
});
