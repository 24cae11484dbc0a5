/** Listing, changing, deleting, branching and merging through the official client, on real files. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown> = {}) => opened.session.call(name, args);
const failure = async (name: string, args: Record<string, unknown>) =>
  (await opened.session.failure(name, args)).code;
const save = (conversationId: string, content: string, more: Record<string, unknown> = {}) =>
  call('save_message', { conversationId, role: 'user', content, ...more });

interface Listed {
  conversationId: string;
  title?: string;
  clientId?: string;
}
const listed = (answer: Record<string, unknown>) => answer['conversations'] as Listed[];

describe("seed 000's own test code", () => {
  it('saves ten messages at once into a new conversation', async () => {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, i) => save('test-convo', `Message ${i}`)),
    );
    expect(results.every(({ success }) => success)).toBe(true);
    const { conversations, total } = await call('get_conversations');
    expect(total).toBe(1);
    expect(conversations).toMatchObject([{ clientId: 'test-convo', messageCount: 10 }]);
  });

  it('finds the capital of France', async () => {
    const saved = await call('save_message', {
      role: 'user',
      content: 'What is the capital of France?',
    });
    const { results } = await call('search_messages', { query: 'capital France' });
    expect(results).toMatchObject([{ conversationId: saved['conversationId'] }]);
    const { conversations } = await call('get_conversations', { query: 'capital' });
    expect(conversations).toMatchObject([{ title: 'What is the capital of France?' }]);
  });
});

describe('save_message', () => {
  it('names the fields that an existing conversation keeps, only if they differ', async () => {
    const given = { title: 'Garden', tags: ['spring'] };
    expect(await save('plan', 'Peas', given)).not.toHaveProperty('note');
    expect(await save('plan', 'Beans', given)).not.toHaveProperty('note');
    const { note } = await save('plan', 'Kale', { ...given, title: 'Yard', module: 'home' });
    expect(note).toContain('keeps its title and module. ');
    expect(listed(await call('get_conversations'))).toMatchObject([given]);
  });

  it('reports private parts in title, module and tags if it starts a conversation', async () => {
    const [title, module, tag] = ['t', 'm', 'g'].map((text) => `<private>${text}</private>`);
    const given = { title, module, tags: [tag] };
    const { note } = await save('new', 'Peas <private>and salt</private>', given);
    expect(note).toContain('Not stored: 4 parts (private part).');
    expect(await save('new', 'Beans')).not.toHaveProperty('note');
    const message = { role: 'user', content: 'Kale' };
    expect((await call('save_message', { ...message, ...given }))['note']).toContain('3 parts');
    const named = { ...message, title: 'A [private part left out]' };
    expect(await call('save_message', named)).not.toHaveProperty('note');
  });

  it('treats a blank module as absent, and removes white space around a tag', async () => {
    for (const [key, module] of ['', ' '].entries()) await save(`k${key}`, 'Peas', { module });
    await save('t', 'Beans', { tags: [' #spring ', 'Spring', 'late  '] });
    const [tagged, ...others] = listed(await call('get_conversations'));
    expect(tagged).toMatchObject({ tags: ['spring', 'late'] });
    for (const other of others) expect(other).not.toHaveProperty('module');
    expect(await failure('update_conversation', { conversationId: 't', module: ' ' })).toBe(
      'VALIDATION_ERROR',
    );
  });
});

describe('get_conversations', () => {
  it('filters, and has pages in both directions while messages arrive', async () => {
    for (const n of [1, 2, 3, 4]) await save(`c${n}`, `Garden ${n}`, { module: 'home' });
    await save('other', 'Something else');
    const first = await call('get_conversations', { query: 'gard', limit: 2 });
    expect(first).toMatchObject({ success: true, total: 4, hasMore: true });
    expect(listed(first).map(({ clientId }) => clientId)).toEqual(['c4', 'c3']);
    await save('c1', 'moves to the top');
    const next = { query: 'gard', limit: 2, cursor: first['nextCursor'] };
    const second = await call('get_conversations', next);
    expect(listed(second).map(({ clientId }) => clientId)).toEqual(['c2', 'c1']);
    expect(second).toMatchObject({ hasMore: false });
    const back = { query: 'gard', limit: 2, cursor: second['previousCursor'] };
    expect(listed(await call('get_conversations', back))).toEqual(listed(first));
    const anew = await call('get_conversations', { module: 'home', limit: 1 });
    expect(listed(anew).map(({ clientId }) => clientId)).toEqual(['c1']);
    expect(await failure('get_conversations', { ...next, query: 'other' })).toBe(
      'VALIDATION_ERROR',
    );
    expect(await failure('get_conversations', { updatedAfter: 'soon' })).toBe('VALIDATION_ERROR');
    expect(await call('get_conversations', { createdBefore: '2001-01-01' })).toMatchObject({
      total: 0,
      conversations: [],
    });
  });

  it('does not exceed its budget with long titles, and the next page continues there', async () => {
    const title = '標'.repeat(900);
    for (let n = 0; n < 30; n += 1) await save(`c${n}`, 'x', { title });
    const seen: string[] = [];
    let cursor: unknown;
    do {
      const args = { limit: 100, maxTokens: 2000, ...(cursor === undefined ? {} : { cursor }) };
      const page = await call('get_conversations', args);
      expect(JSON.stringify(page).length).toBeLessThan(2000 * 4);
      seen.push(...listed(page).map(({ conversationId }) => conversationId));
      cursor = page['nextCursor'];
    } while (cursor !== undefined);
    expect(new Set(seen).size).toBe(30);
    expect(seen).toHaveLength(30);
  });
});

describe('update_conversation', () => {
  it('changes the given fields, and all tools show the change', async () => {
    await save('k', 'Hello there');
    const updated = await call('update_conversation', {
      conversationId: 'k',
      title: 'Zebra crossing',
      tags: ['a', 'b'],
      pinned: true,
      metadata: { mood: 'good' },
    });
    expect(updated).toMatchObject({
      title: 'Zebra crossing',
      tags: ['a', 'b'],
      pinned: true,
      metadata: { mood: 'good' },
      updated: ['title', 'tags', 'pinned', 'metadata'],
    });
    expect(await call('get_conversations', { pinned: true })).toMatchObject({ total: 1 });
    expect(await call('search_messages', { query: 'zebra' })).toMatchObject({ total: 1 });
    const cleared = await call('update_conversation', { conversationId: 'k', title: null });
    expect(cleared['title']).toBeUndefined();
    expect(await call('search_messages', { query: 'zebra' })).toMatchObject({ total: 0 });
    expect(await failure('update_conversation', { conversationId: 'k' })).toBe('VALIDATION_ERROR');
    expect(await failure('update_conversation', { conversationId: 'none', title: 'x' })).toBe(
      'CONVERSATION_NOT_FOUND',
    );
  });
});

it('different private parts in tags become one tag, in conversations and insights', async () => {
  const tags = ['<private>a</private>', 'late', '<private>b</private>'];
  const stored = { tags: ['[private part left out]', 'late'] };
  await save('plan', 'Peas', { tags });
  expect(await call('get_conversation', { conversationId: 'plan' })).toMatchObject(stored);
  const { id } = await call('save_insight', { content: 'Old tea', context: 'global', tags });
  expect((await call('get_insight', { id }))['insight']).toMatchObject(stored);
  await call('update_insight', { id, tags: [...tags, '<private>c</private>'] });
  expect((await call('get_insight', { id }))['insight']).toMatchObject(stored);
});

describe('the note about what was not stored', () => {
  it('names no part that is in a field which the call does not change', async () => {
    await save('plan', 'Peas', { module: '<private>m</private>', tags: ['<private>t</private>'] });
    const conversationId = 'plan';
    const pinned = await call('update_conversation', { conversationId, pinned: true });
    expect(pinned).not.toHaveProperty('note');
    const named = await call('update_conversation', { conversationId, tags: ['spring'] });
    expect(named).not.toHaveProperty('note');
  });

  it('is in the answers of branches and merges with a private part in their title', async () => {
    const title = 'Beds <private>at the wall</private>';
    const { messageId } = await save('one', 'Peas');
    await save('two', 'Beans');
    const branch = await call('branch_conversation', { conversationId: 'one', messageId, title });
    expect(branch['note']).toContain('Not stored: 1 part');
    const merged = await call('merge_conversations', { conversationIds: ['one', 'two'], title });
    expect(merged['note']).toContain('Not stored: 1 part');
  });
});

describe('delete_conversation', () => {
  it('moves a conversation to the trash or removes it permanently; then no search finds it', async () => {
    await save('k', 'Pomegranate');
    await save('l', 'Pomegranate too');
    expect(await call('search_messages', { query: 'pomegranate' })).toMatchObject({ total: 2 });
    const soft = await call('delete_conversation', { conversationId: 'k' });
    expect(soft).toMatchObject({ deleted: true, permanent: false });
    expect(existsSync(join(String(soft['trashPath']), 'conversation.json'))).toBe(true);
    expect(await call('search_messages', { query: 'pomegranate' })).toMatchObject({ total: 1 });
    const gone = await call('delete_conversation', { conversationId: 'l', permanent: true });
    expect(gone).toMatchObject({ deleted: true, permanent: true });
    expect(gone['trashPath']).toBeUndefined();
    expect(await call('search_messages', { query: 'pomegranate' })).toMatchObject({ total: 0 });
    expect(await call('get_conversations')).toMatchObject({ total: 0 });
    expect(await failure('delete_conversation', { conversationId: 'k' })).toBe(
      'CONVERSATION_NOT_FOUND',
    );
  });
});

describe('branch_conversation and merge_conversations', () => {
  it('split a conversation and join it again', async () => {
    const first = await save('k', 'Persimmon one');
    await save('k', 'Persimmon two');
    const branch = await call('branch_conversation', {
      conversationId: 'k',
      messageId: first['messageId'],
      title: 'Branch',
    });
    expect(branch).toMatchObject({
      title: 'Branch',
      messageCount: 1,
      branchOf: { conversationId: first['conversationId'], messageId: first['messageId'] },
    });
    expect(branch['lastMessageId']).not.toBe(first['messageId']);
    expect(await call('search_messages', { query: 'persimmon' })).toMatchObject({ total: 3 });
    const untitled = { conversationId: 'k', messageId: first['messageId'], title: '' };
    const copy = await call('branch_conversation', untitled);
    expect(copy).toMatchObject({ title: first['title'] });
    await call('delete_conversation', { conversationId: copy['conversationId'] });
    const conversationIds = ['k', branch['conversationId']];
    const merged = await call('merge_conversations', { conversationIds, title: ' ' });
    expect(merged).toMatchObject({ messageCount: 2, clientId: 'k', title: 'Branch' });
    expect(merged['mergedFrom']).toHaveLength(2);
    expect(await call('search_messages', { query: 'persimmon' })).toMatchObject({ total: 2 });
    expect(await call('get_conversations')).toMatchObject({ total: 1 });
    expect(await save('k', 'on')).toMatchObject({ conversationId: merged['conversationId'] });
    expect(await failure('merge_conversations', { conversationIds: ['k'] })).toBe(
      'VALIDATION_ERROR',
    );
    expect(await failure('branch_conversation', { conversationId: 'k', messageId: 'no' })).toBe(
      'MESSAGE_NOT_FOUND',
    );
  });
});

describe('the active conversation of the state', () => {
  it.each([
    'b',
    'id of b',
    'a',
  ])('becomes the merged one if it is one of its sources: %s', async (active) => {
    await save('a', 'one');
    const { conversationId } = await save('b', 'two');
    await call('set_state', { activeConversation: active === 'id of b' ? conversationId : active });
    const merged = await call('merge_conversations', { conversationIds: ['a', 'b'] });
    const expected = active === 'a' ? 'a' : merged['conversationId'];
    expect(await call('get_state')).toMatchObject({
      activeConversation: expected,
      activeConversationFound: true,
    });
  });

  it('stays if it is another one', async () => {
    for (const key of ['a', 'b', 'c']) await save(key, 'one');
    await call('set_state', { activeConversation: 'c' });
    await call('merge_conversations', { conversationIds: ['a', 'b'] });
    expect(await call('get_state')).toMatchObject({ activeConversation: 'c' });
  });
});

describe('export_conversations', () => {
  it('says how many attachments are not in the text or the file', async () => {
    const { conversationPath } = await call('save_message', { role: 'user', content: 'x' });
    const shown = (args: Record<string, unknown>) => call('export_conversations', args);
    expect(await shown({})).not.toHaveProperty('attachmentsNotIncluded');
    mkdirSync(join(String(conversationPath), 'attachments'));
    writeFileSync(join(String(conversationPath), 'attachments', 'cat.png'), 'cat');
    for (const args of [{}, { format: 'jsonl', file: 'all.jsonl' }])
      expect(await shown(args)).toMatchObject({ attachmentsNotIncluded: 1 });
  });
});
