/** Tests for every source: nothing is doubled or overwritten, and the next run finishes an interrupted one. */
import { rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ImportProgress } from '../../src/import/import-types.js';
import { Archives } from '../../src/maintenance/archives/archives.js';
import { errorOf } from '../support/error-of.js';
import { zipOf } from '../support/zip.js';
import { counts, fileWith, folderWith, lines, openImportBench, said } from './bench.js';

interface Turn {
  id: string;
  role?: string;
  text: string;
  time?: number;
}

/** A ChatGPT conversation without branches. */
function conversation(id: string, turns: readonly Turn[], more: object = {}) {
  const nodes = turns.map(({ id: nodeId, role = 'user', text, time = 1737724800 }, index) => [
    nodeId,
    {
      id: nodeId,
      parent: turns[index - 1]?.id ?? null,
      message: {
        id: nodeId,
        author: { role },
        create_time: time + index,
        content: { content_type: 'text', parts: [text] },
      },
    },
  ]);
  return {
    id,
    title: 'Shed',
    create_time: 1737724800,
    update_time: 1737724900,
    mapping: Object.fromEntries(nodes),
    current_node: turns.at(-1)?.id,
    ...more,
  };
}

const A = { id: 'message-0000-0000-000a', text: 'one' };
const B = { id: 'message-0000-0000-000b', role: 'assistant', text: 'two' };
const C = { id: 'message-0000-0000-000c', text: 'three' };
const D = { id: 'message-0000-0000-000d', role: 'assistant', text: 'four' };

describe('branches of a damaged export', () => {
  it('imports a conversation that is a branch of itself, also through another', async () => {
    const bench = await openImportBench();
    const thread = (conversationId: string, parent: string) => ({
      conversationId,
      branchOf: { conversationId: parent, messageId: A.id },
      messages: [{ id: A.id, role: 'user', content: `of ${conversationId}` }],
    });
    const conversations = [thread('one', 'one'), thread('two', 'three'), thread('three', 'two')];
    const report = await bench.importText({ format: 'daybook-export', version: 1, conversations });
    expect(counts(report)).toMatchObject({ added: 3 });
    expect(report.problems).toEqual([]);
  });
});

describe('a repeated import', () => {
  it('adds new messages of a conversation, and keeps its folder', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B])]);
    const folders = bench.folders();
    bench.time.now += 5000;
    const report = await bench.importText([
      conversation('x1', [A, B, C, D], { title: 'The shed', update_time: 1737725000 }),
    ]);
    expect(counts(report)).toEqual({ added: 0, updated: 1, unchanged: 0, skipped: 0 });
    expect(report.messages).toBe(2);
    expect(bench.folders()).toEqual(folders);
    expect(bench.bySource('x1')).toMatchObject({
      title: 'The shed',
      messageCount: 4,
      updatedAt: '2025-01-24T13:23:20.000Z',
    });
    const before = bench.hash();
    await bench.importText([
      conversation('x1', [A, B, C, D], { title: 'The shed', update_time: 1737725000 }),
    ]);
    expect(bench.hash()).toBe(before);
  });

  it('replaces what changed in the source if it was not edited here', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B])]);
    await bench.importText([conversation('x1', [A, { ...B, text: 'two, and more' }])]);
    expect(said(bench.bySource('x1'))).toEqual(['user: one', 'assistant: two, and more']);
  });

  it('finds the new text and no longer the old one in a search that follows the store', async () => {
    const bench = await openImportBench();
    const seen: (number | undefined)[] = [];
    bench.store.follow(({ unchangedMessages }) => void seen.push(unchangedMessages));
    await bench.importText([conversation('x1', [A, B])]);
    await bench.importText([conversation('x1', [A, { ...B, text: 'other' }, C])]);
    expect(seen).toEqual([0, 1]);
  });

  it('keeps messages that the source has lost since', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B, C])]);
    await bench.importText([conversation('x1', [A])]);
    expect(said(bench.bySource('x1'))).toEqual(['user: one', 'assistant: two', 'user: three']);
    await bench.importText([conversation('x1', [B, D])]);
    expect(said(bench.bySource('x1'))).toHaveLength(3);
    const before = bench.hash();
    await bench.importText([conversation('x1', [B, D])]);
    expect(bench.hash()).toBe(before);
  });

  it('makes no branch of messages after the last message, although the source lost earlier ones', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B, C])]);
    const report = await bench.importText([conversation('x1', [B, C, D])]);
    expect(said(bench.bySource('x1'))).toHaveLength(4);
    expect(bench.folders()).toHaveLength(1);
    expect(report).toMatchObject({ added: 0, updated: 1, messages: 1, branched: [] });
  });

  it('keeps an edited message, and adds the new ones after it', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B])]);
    const { conversationId: id } = bench.bySource('x1');
    const edited = bench.jsonOf(id);
    edited.messages[1].content = 'two, put right by hand';
    bench.put(id, edited);
    await bench.importText([conversation('x1', [A, B])]);
    expect(said(bench.bySource('x1'))[1]).toBe('assistant: two, put right by hand');
    await bench.importText([conversation('x1', [A, B, C])]);
    expect(said(bench.bySource('x1'))).toEqual([
      'user: one',
      'assistant: two, put right by hand',
      'user: three',
    ]);
    expect(bench.folders()).toHaveLength(1);
  });

  it('imports a branch if a conversation continued both here and there, and updates it later', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B])]);
    const { conversationId: id } = bench.bySource('x1');
    await bench.store.append(id, [{ role: 'user', content: 'said here' }]);
    const report = await bench.importText([conversation('x1', [A, B, C])]);
    expect(report.branched).toEqual([id]);
    expect(said(bench.jsonOf(id))).toEqual(['user: one', 'assistant: two', 'user: said here']);
    const branch = bench.bySource('x1+');
    expect(branch.branchOf).toEqual({ conversationId: id, messageId: B.id });
    expect(said(branch)).toEqual(['user: three']);
    const before = bench.hash();
    await bench.importText([conversation('x1', [A, B, C])]);
    expect(bench.hash()).toBe(before);
    await bench.importText([conversation('x1', [A, B, C, D], { update_time: 1737725000 })]);
    expect(said(bench.bySource('x1+'))).toEqual(['user: three', 'assistant: four']);
    expect(bench.bySource('x1+').updatedAt).toBe('2025-01-24T13:23:20.000Z');
    expect(said(bench.jsonOf(id))).toHaveLength(3);
  });

  it('adds an answer that replaces another, also if a tag was added here and removed again', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A, B])]);
    const { conversationId, tags } = bench.bySource('x1');
    bench.time.now = Date.parse('2026-01-01T10:00:00.000Z');
    await bench.store.update(conversationId, { tags: ['shed'] });
    await bench.store.update(conversationId, { tags });
    const other = conversation('x1', [A, { ...B, id: D.id, text: 'other' }], {
      update_time: 1737724950,
    });
    const [one = '', two = ''] = [A.id, B.id];
    const before = conversation('x1', [A, B]).mapping[two];
    Object.assign(other.mapping, { [two]: { ...before, parent: one } });
    const report = await bench.importText([other]);
    expect(report).toMatchObject({ added: 1, updated: 1, messages: 1 });
    expect(said(bench.bySource('x1'))).toEqual(['user: one', 'assistant: other']);
  });

  it('keeps a title that a user set here', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A])]);
    await bench.store.update(bench.bySource('x1').conversationId, { title: 'Mine' });
    await bench.importText([conversation('x1', [A, B], { title: 'Theirs' })]);
    expect(bench.bySource('x1')).toMatchObject({ title: 'Mine', messageCount: 2 });
  });

  it('replaces a title that was derived from a message, also if a tag was added here', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A], { title: undefined })]);
    await bench.store.update(bench.bySource('x1').conversationId, { tags: ['shed'] });
    await bench.importText([conversation('x1', [A, B], { title: 'Theirs' })]);
    expect(bench.bySource('x1')).toMatchObject({ title: 'Theirs', tags: ['shed'] });
  });

  it('leaves out conversations that were deleted here', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A])]);
    await bench.store.trash(bench.bySource('x1').conversationId);
    const report = await bench.importText([conversation('x1', [A, B])]);
    expect(counts(report)).toEqual({ added: 0, updated: 0, unchanged: 0, skipped: 1 });
    expect(report.leftOut).toEqual({ 'deleted here': 1 });
  });

  it.each([
    'is in the trash',
    'was removed from the trash',
  ])('adds new messages of a conversation that was merged into another, which %s', async (where) => {
    const bench = await openImportBench();
    const other = ({ id, ...turn }: Turn): Turn => ({
      ...turn,
      id: `${id}-other`,
      text: `other ${turn.text}`,
    });
    const both = (first: readonly Turn[], second: readonly Turn[]) =>
      bench.importText([conversation('x1', first), conversation('x2', second.map(other))]);
    await both([A], [A]);
    const [first = '', second = ''] = ['x1', 'x2'].map((id) => bench.bySource(id).conversationId);
    await bench.store.update(first, { title: 'Mine' });
    const { conversationId } = (await bench.store.merge(first, second)).head;
    if (where === 'was removed from the trash') {
      for (const { name } of await bench.store.trashed()) await bench.store.purge(name);
    }
    const merged = () => bench.jsonOf(conversationId);
    expect(counts(await both([A], [A]))).toMatchObject({ added: 0, unchanged: 2, skipped: 0 });
    const report = await both([A, B], [A, B]);
    expect(report).toMatchObject({ added: 1, updated: 1, messages: 2, leftOut: {} });
    expect(merged().title).toBe('Mine');
    // The second one ends with the last message of the merged conversation, the first one does not.
    expect(said(merged())).toEqual(['user: one', 'user: other one', 'assistant: other two']);
    const branchOf = { conversationId, messageId: A.id };
    expect(bench.bySource('x1+')).toMatchObject({ branchOf, messages: [{ content: 'two' }] });
    const before = bench.hash();
    expect(counts(await both([A, B], [A, B]))).toMatchObject({ unchanged: 2, skipped: 0 });
    expect(bench.hash()).toBe(before);
    await bench.store.append(conversationId, [{ role: 'user', content: 'said here' }]);
    await both([A, B], [A, B, C]);
    expect(said(bench.bySource('x2+'))).toEqual(['user: other three']);
  });

  it.each([
    ['moved to the trash', { 'deleted here': 2 }],
    ['archived', { 'archived here': 2 }],
  ])('leaves out both sources of a merged conversation that was %s', async (what, leftOut) => {
    const bench = await openImportBench();
    const { store: conversations, logsFolder, stores } = bench;
    const clock = { now: () => bench.time.now, monotonic: () => performance.now() };
    const folder = join(logsFolder, '../archive');
    const archives = new Archives({ conversations, folder, logsFolder, fsync: false, clock });
    Object.assign(stores, { archived: () => archives.list() });
    const both = [conversation('x1', [A]), conversation('x2', [C])];
    await bench.importText(both);
    const [first = '', second = ''] = ['x1', 'x2'].map((id) => bench.bySource(id).conversationId);
    const { conversationId } = (await conversations.merge(first, second)).head;
    for (const { name } of await conversations.trashed()) await conversations.purge(name);
    if (what === 'archived') await archives.archive(await archives.choose({ olderThanDays: 0 }));
    else await conversations.trash(conversationId);
    expect(await bench.importText(both)).toMatchObject({ added: 0, skipped: 2, leftOut });
  });

  it('leaves out a conversation that an older version merged into another, and says so, until it is restored', async () => {
    const bench = await openImportBench();
    const others = [{ ...A, id: `${A.id}-other` }];
    await bench.importText([conversation('x1', [A]), conversation('x2', others)]);
    const [first = '', second = ''] = ['x1', 'x2'].map((id) => bench.bySource(id).conversationId);
    const { head } = await bench.store.merge(first, second);
    const mergedFrom = [{ conversationId: first }, { conversationId: second }];
    const { source } = bench.bySource('x1').metadata;
    await bench.store.revise(head.conversationId, ({ updatedAt }) => ({
      updatedAt,
      fields: { metadata: { source, mergedFrom } },
    }));
    const newer = [...others, { ...B, id: `${B.id}-other` }];
    const report = await bench.importText([conversation('x2', newer)]);
    expect(report.leftOut).toEqual({ 'merged here': 1 });
    await bench.store.restore(second);
    await bench.importText([conversation('x2', newer)]);
    expect(said(bench.bySource('x2'))).toHaveLength(2);
  });

  it('leaves out conversations that were archived here, until they are restored', async () => {
    const bench = await openImportBench();
    const { store: conversations, logsFolder, stores } = bench;
    const clock = { now: () => bench.time.now, monotonic: () => performance.now() };
    const folder = join(logsFolder, '../archive');
    const archives = new Archives({ conversations, folder, logsFolder, fsync: false, clock });
    Object.assign(stores, { archived: () => archives.list() });
    await bench.importText([conversation('x1', [A])]);
    const { conversationId } = bench.bySource('x1');
    await archives.archive(await archives.choose({ olderThanDays: 0 }));
    const report = await bench.importText([conversation('x1', [A, B])]);
    expect(counts(report)).toEqual({ added: 0, updated: 0, unchanged: 0, skipped: 1 });
    expect(report.leftOut).toEqual({ 'archived here': 1 });
    await archives.restore(conversationId);
    const after = await bench.importText([conversation('x1', [A, B])]);
    expect(counts(after)).toMatchObject({ updated: 1, skipped: 0 });
  });

  it('changes nothing in a dry run, and reports what it would import', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A])]);
    const before = bench.hash();
    const path = fileWith([conversation('x1', [A, B]), conversation('x2', [C])]);
    const planned = await bench.import(path, { dryRun: true });
    expect(bench.hash()).toBe(before);
    expect(counts(await bench.import(path))).toEqual(counts(planned));
  });
});

describe('an import', () => {
  it('imports two conversations of the same millisecond', async () => {
    const bench = await openImportBench();
    await bench.importText([conversation('x1', [A]), conversation('x2', [C])]);
    expect(bench.folders()).toEqual(['20250124-1737724800000', '20250124-1737724800001']);
    expect(bench.jsonOf('20250124-1737724800001').createdAt).toBe('2025-01-24T13:20:00.000Z');
  });

  it('can have more messages than assistants can add', async () => {
    const bench = await openImportBench({ maxMessages: 2 });
    await bench.importText([conversation('x1', [A, B, C])]);
    await bench.importText([conversation('x1', [A, B, C, D])]);
    const { conversationId: id, messageCount } = bench.bySource('x1');
    expect(messageCount).toBe(4);
    const more = bench.store.append(id, [{ role: 'user', content: 'five' }]);
    expect((await errorOf(more)).code).toBe('CONVERSATION_FULL');
  });

  it.each([
    ['longer', [A], [A, B]],
    ['shorter', [A, B], [A]],
  ])('imports all messages of a conversation that occurs twice and is %s', async (_, ...both) => {
    const bench = await openImportBench();
    const all = both.map((messages) => conversation('x1', messages));
    const path = fileWith(all);
    const planned = await bench.import(path, { dryRun: true });
    const report = await bench.import(path);
    expect(report).toMatchObject({ added: 1, skipped: 0, messages: 2 });
    expect(planned).toEqual(report);
    expect(report.problems).toEqual([]);
    expect(bench.bySource('x1')?.messages).toHaveLength(2);
    const before = bench.hash();
    await bench.importText(all);
    expect(bench.hash()).toBe(before);
  });

  it('imports only the requested day and project', async () => {
    const bench = await openImportBench();
    const path = fileWith([
      conversation('x1', [A], { update_time: 1600000000 }),
      conversation('x2', [B], { gizmo_id: 'g-p-garden' }),
      conversation('x3', [C]),
    ]);
    const report = await bench.import(path, {
      since: '2024-01-01T00:00:00.000Z',
      project: 'g-p-garden',
    });
    expect(counts(report)).toMatchObject({ added: 1 });
    expect(bench.bySource('x2')).toBeDefined();
  });

  it('takes the folder of a project with a slash at its end', async () => {
    const bench = await openImportBench();
    const meta = { type: 'session_meta', payload: { id: 's', cwd: '/home/ada/shed' } };
    const content = [{ type: 'input_text', text: 'one' }];
    const asked = { type: 'response_item', payload: { type: 'message', role: 'user', content } };
    const path = fileWith(lines(meta, asked), 'rollout-s.jsonl');
    expect(await bench.import(path, { project: '/home/ada/shed/' })).toMatchObject({ added: 1 });
  });

  it('uses the day of the file for a conversation without times', async () => {
    const bench = await openImportBench();
    const path = fileWith({ messages: [{ role: 'user', content: 'undated' }] });
    const { mtimeMs } = statSync(path);
    const since = (ms: number) => ({ since: new Date(mtimeMs + ms).toISOString() });
    expect(counts(await bench.import(path, since(60_000)))).toMatchObject({ added: 0 });
    expect(counts(await bench.import(path, since(-60_000)))).toMatchObject({ added: 1 });
  });

  it('refuses a file of no known format', async () => {
    const bench = await openImportBench();
    expect(await errorOf(bench.importText('just some text', 'a.bin'))).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await errorOf(bench.import('/nowhere/at/all'))).toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
  });

  const zipOfList = (list: unknown) =>
    zipOf([{ name: 'conversations.json', content: JSON.stringify(list) }]);
  const CLAUDE = [
    { uuid: 'c1', name: 'C', chat_messages: [{ uuid: 'm', sender: 'human', text: 'hi' }] },
  ];
  const TALK = '## User\n\nhello\n\n## Assistant\n\ngood day\n';

  it('imports the archives in a folder that is an export, and only names files that may be attachments', async () => {
    const bench = await openImportBench();
    const zip = zipOfList(CLAUDE);
    const path = folderWith({
      'conversations.json': [conversation('x1', [A])],
      'claude.zip': zip,
      'older.zip': zipOfList([conversation('x9', [C])]),
      'talk.md': TALK,
      'notes.md': 'No transcript.',
      'broken.zip': zip.subarray(0, 60),
      'cut.zip': zip.map((byte, at) => (at > 40 && at < 60 ? 0xff : byte)),
    });
    const report = await bench.import(path);
    expect(report.sources.map(({ kind }) => kind)).toEqual(['chatgpt', 'claude', 'chatgpt']);
    expect(counts(report)).toMatchObject({ added: 3 });
    const named = report.problems.map((problem) => problem.path.slice(path.length + 1));
    expect(named.filter((name) => name.startsWith('broken.zip'))).toHaveLength(1);
    expect(named.filter((name) => name.startsWith('cut.zip'))).toHaveLength(1);
    expect(report.problems.find((problem) => problem.path.endsWith('talk.md'))?.message).toContain(
      'To import it, give its path.',
    );
    const before = bench.hash();
    expect(counts(await bench.import(path))).toMatchObject({ added: 0, unchanged: 3 });
    expect(bench.hash()).toBe(before);
  });

  it('imports the newer content of two exports of one program in a folder', async () => {
    const bench = await openImportBench();
    const path = folderWith({
      '2024.zip': zipOfList([conversation('x1', [A])]),
      '2025.zip': zipOfList([conversation('x1', [A, B, C])]),
    });
    expect((await bench.import(path)).problems).toEqual([]);
    expect(said(bench.bySource('x1'))).toEqual(['user: one', 'assistant: two', 'user: three']);
  });

  it('reports a file of a folder that is removed during the import, and imports the others', async () => {
    const bench = await openImportBench();
    const path = folderWith({
      'a.zip': zipOfList([conversation('x1', [A])]),
      'b.zip': zipOfList([conversation('x2', [B])]),
      'c.zip': zipOfList([conversation('x3', [C])]),
    });
    const removed = join(path, 'b.zip');
    const onProgress = () => rmSync(removed, { force: true });
    expect(await bench.import(path, { onProgress })).toMatchObject({
      added: 2,
      problems: [{ path: removed, code: 'FILESYSTEM_ERROR' }],
    });
  });

  it('ends the import of a folder if the store cannot be written', async () => {
    const bench = await openImportBench();
    const path = folderWith({
      'a.zip': zipOfList([conversation('x1', [A])]),
      'b.zip': zipOfList([conversation('x2', [B])]),
    });
    const onProgress = ({ conversations }: ImportProgress) => {
      if (conversations === 0) return;
      rmSync(bench.logsFolder, { recursive: true, force: true });
      writeFileSync(bench.logsFolder, 'no folder');
    };
    expect(await errorOf(bench.import(path, { onProgress }))).toMatchObject({
      code: 'FILESYSTEM_ERROR',
      details: { path: expect.stringContaining(bench.logsFolder) },
    });
  });

  it('imports the single files of a folder that is not an export itself', async () => {
    const bench = await openImportBench();
    const path = folderWith({
      'a.zip': zipOfList(CLAUDE),
      'chats-of-may.json': [conversation('x1', [A])],
    });
    expect(await bench.import(path)).toMatchObject({ added: 2, problems: [] });
  });

  it('reports a damaged list of conversations beside an export that was imported', async () => {
    const bench = await openImportBench();
    const path = folderWith({ 'conversations.json': '[{"id": "x1", "map', 'talk.md': TALK });
    const report = await bench.import(path);
    expect(report.added).toBe(1);
    expect(report.problems).toMatchObject([
      { message: expect.stringContaining('conversations.json') },
    ]);
  });

  it('imports the archives of a folder that has nothing else, and refuses a folder without any', async () => {
    const bench = await openImportBench();
    const content = JSON.stringify([conversation('x1', [A])]);
    const zip = zipOf([{ name: 'conversations.json', content }]);
    expect(await bench.import(folderWith({ 'a.zip': zip }))).toMatchObject({ added: 1 });
    const empty = folderWith({ 'a.zip': zipOf([{ name: 'a.bin', content: 'x' }]), 'b.json': '{}' });
    expect(await errorOf(bench.import(empty))).toMatchObject({ code: 'VALIDATION_ERROR' });
    const damaged = folderWith({ 'a.zip': zip.subarray(0, 60) });
    expect(await errorOf(bench.import(damaged))).toMatchObject({ code: 'CORRUPT' });
  });

  it('checks at most 200 other files of a folder, and names the first that it did not check', async () => {
    const bench = await openImportBench();
    const names = Array.from({ length: 201 }, (_, at) => [
      `n${String(at).padStart(3, '0')}.txt`,
      'x',
    ]);
    const path = folderWith({
      ...Object.fromEntries(names),
      'conversations.json': [conversation('x1', [A])],
    });
    const report = await bench.import(path);
    expect(report).toMatchObject({
      added: 1,
      problems: [{ path: join(path, 'n200.txt'), code: 'TOO_LARGE' }],
    });
  });

  it('names the right kind if another kind was given', async () => {
    const bench = await openImportBench();
    const path = fileWith([conversation('x1', [A])]);
    const { code, message } = await errorOf(bench.import(path, { from: 'claude' }));
    expect(code).toBe('VALIDATION_ERROR');
    expect(message).toContain('is not of the kind claude. It is of the kind chatgpt (ChatGPT');
    const { message: other } = await errorOf(bench.import(path, { from: 'markdown' }));
    expect(other).toContain('is not of the kind markdown');
    const empty = await errorOf(bench.import(folderWith({}), { from: 'chatgpt' }));
    expect(empty.code).toBe('VALIDATION_ERROR');
  });

  it('imports a transcript that is given as text without a name, each text once', async () => {
    const bench = await openImportBench();
    const give = (content: string) =>
      bench.import([], { text: { name: undefined, content }, from: 'markdown' });
    const first = '## User\n\nhello\n\n## Assistant\n\ngood day\n';
    expect(await give(first)).toMatchObject({ added: 1 });
    expect(await give(first)).toMatchObject({ added: 0, unchanged: 1 });
    expect(await give(first.replace('hello', 'good evening'))).toMatchObject({ added: 1 });
    const titles = bench.folders().map((name) => bench.jsonOf(name).title);
    expect(titles.filter((title) => title?.startsWith('text-'))).toEqual([]);
  });

  it('reads nothing through a link in the folder, and reports the link', async () => {
    const bench = await openImportBench();
    const outside = fileWith([conversation('x9', [A])], 'conversations-001.json');
    const folder = folderWith({ 'conversations.json': [conversation('x1', [B])] });
    symlinkSync(outside, join(folder, 'conversations-001.json'));
    const report = await bench.import(folder);
    expect(report.problems).toMatchObject([
      { path: 'conversations-001.json', code: 'PATH_ESCAPE' },
    ]);
    expect(bench.folders()).toHaveLength(1);
  });

  it('waits for another import into the same root, and doubles no message', async () => {
    const bench = await openImportBench();
    const other = await openImportBench({ logsFolder: bench.logsFolder });
    const path = fileWith(
      Array.from({ length: 60 }, (_, index) =>
        conversation(`x${index}`, [{ ...A, id: `message-0000-0000-${1000 + index}` }]),
      ),
    );
    const reports = await Promise.all([bench.import(path), other.import(path)]);
    expect(reports.map(({ added }) => added).sort()).toEqual([0, 60]);
    expect(bench.folders()).toHaveLength(60);
  });

  it('doubles no message in a process that watches the store, after the import of another process', async () => {
    const first = await openImportBench();
    const second = await openImportBench({ logsFolder: first.logsFolder });
    await second.store.watch();
    const ids = Array.from({ length: 100 }, (_, index) => `c-${index}`);
    const file = fileWith(JSON.stringify(ids.map((id) => conversation(id, [{ ...A, id }]))));
    expect(counts(await first.import(file))).toMatchObject({ added: ids.length });
    expect(counts(await second.import(file))).toMatchObject({ added: 0, unchanged: ids.length });
    expect(first.folders()).toHaveLength(ids.length);
    await second.store.close();
  });

  it('continues an import that was interrupted', async () => {
    const bench = await openImportBench();
    const count = 600;
    const all = Array.from({ length: count }, (_, index) =>
      conversation(`x${index}`, [{ ...A, id: `message-0000-0000-${1000 + index}` }]),
    );
    const stop = new AbortController();
    const path = fileWith(all);
    const onProgress = ({ conversations }: ImportProgress) => conversations === 5 && stop.abort();
    await expect(bench.import(path, { signal: stop.signal, onProgress })).rejects.toThrow();
    const there = bench.folders().length;
    expect(there).toBeGreaterThanOrEqual(5);
    expect(there).toBeLessThan(count);
    const rest = { added: count - there, unchanged: there };
    expect(counts(await bench.import(path))).toMatchObject(rest);
  });
});

describe('files that are large or not regular', () => {
  it('are not read if they are a device or a pipe', async () => {
    const bench = await openImportBench();
    expect(await errorOf(bench.import('/dev/zero'))).toMatchObject({ code: 'PATH_ESCAPE' });
  });

  it('are read with progress reports whose numbers grow', async () => {
    const bench = await openImportBench();
    const record = (n: number) =>
      `${JSON.stringify({
        type: 'user',
        uuid: `u${n}`,
        parentUuid: n === 0 ? null : `u${n - 1}`,
        sessionId: 's',
        message: { content: 'word '.repeat(2000) },
      })}\n`;
    const text = Array.from({ length: 1000 }, (_, n) => record(n)).join('');
    const seen: ImportProgress[] = [];
    const onProgress = (progress: ImportProgress) => void seen.push(progress);
    await bench.import(fileWith(text, 'large.jsonl'), { onProgress });
    const whileRead = seen.filter(({ conversations }) => conversations === 0);
    const parts = whileRead.map(({ reading }) => reading?.bytes ?? 0);
    expect(parts.length).toBeGreaterThan(5);
    expect(whileRead.every(({ reading }) => reading?.sizeBytes === text.length)).toBe(true);
    expect(parts.at(-1)).toBe(text.length);
    expect(seen.at(-1)).toEqual({ conversations: 1 });
  });
});
