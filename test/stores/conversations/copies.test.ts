/** Branches and merges: their content, and that a merge is done completely or not at all. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryName } from '../../../src/files/atomic/staging.js';
import { readStampNow } from '../../../src/files/read/stamp.js';
import { messageHash } from '../../../src/stores/conversations/document/message-hash.js';
import type { Conversation } from '../../../src/stores/conversations/document/schema.js';
import { copyAttachmentsTo } from '../../../src/stores/conversations/files/attachments.js';
import { contentOf, put } from '../../maintenance/roots.js';
import { errorOf } from '../../support/error-of.js';
import { type FsCall, tapFs } from '../../support/fs-tap.js';
import { tempFolder } from '../../support/temp-folder.js';
import { assistant, ID0, openStore, T0, user } from './store.js';

const contents = ({ messages }: Conversation) => messages.map(({ content }) => content);

it('a decrypted copy of an attachment that has an encrypted file inside is the same file', async () => {
  const folder = tempFolder();
  const path = join(folder, 'backup.tar');
  const inner = `daybook-sealed 1 ${'a'.repeat(16)}\n${'s'.repeat(100)}`;
  writeFileSync(path, 'p'.repeat(64 * 1024) + inner); // at the beginning of a part that is read
  const attachment = { name: 'backup.tar', path, sizeBytes: 0 };
  await copyAttachmentsTo(join(folder, 'copy'), [attachment], { fsync: false, isPlain: true });
  const copy = readFileSync(join(folder, 'copy', 'attachments', 'backup.tar'));
  expect(copy.equals(readFileSync(path))).toBe(true);
});

describe('branch', () => {
  it('copies the messages up to the chosen one, with valid links, and does not change the source', async () => {
    const { store, time } = await openStore();
    const made = await store.create({
      title: 'T',
      module: 'plan',
      tags: ['x'],
      metadata: { own: 1 },
      clientId: 'k',
      messages: [
        { ...user('q'), id: 'm1' },
        { ...assistant('a'), id: 'm2', parentMessageId: 'm1', metadata: { model: 'x' } },
        { ...user('q2'), id: 'm3', parentMessageId: 'm2' },
      ],
    });
    time.now += 5000;
    const branch = await store.branch('k', 'm2');
    expect(branch).toMatchObject({
      branchOf: { conversationId: ID0, messageId: 'm2' },
      title: 'T',
      module: 'plan',
      tags: ['x'],
      createdAt: '2025-01-24T13:20:05.123Z',
      messageCount: 2,
    });
    expect([branch.clientId, branch.metadata]).toEqual([undefined, undefined]);
    const [first, second] = branch.messages;
    expect(first?.id).not.toBe('m1');
    expect(second).toEqual({
      id: second?.id,
      role: 'assistant',
      content: 'a',
      createdAt: made.createdAt,
      parentMessageId: first?.id,
      metadata: { model: 'x' },
    });
    expect(await store.load(ID0)).toEqual(made);
    expect((await store.branch(ID0, 'm1', { title: 'Other' })).title).toBe('Other');
  });

  it('leaves out links to missing messages, and keeps unknown fields', async () => {
    const { store, put } = await openStore();
    put(ID0, {
      messages: [{ ...user('a'), id: 'm1', parentMessageId: 'gone', mine: { x: 1 } }],
    });
    const { messages } = await store.branch(ID0, 'm1');
    expect(messages[0]).toMatchObject({ content: 'a', mine: { x: 1 } });
    expect(messages[0]?.parentMessageId).toBeUndefined();
  });

  it('has copies of the attachments that its messages name, also of renamed ones', async () => {
    const { store, logsFolder } = await openStore();
    const attachmentsIn = (id: string) => join(logsFolder, id, 'attachments');
    const result = { name: 'Read', result: '[image: images/u1-1.webp]' };
    await store.create({
      messages: [
        { ...user('look\n\n[image: file-Cat1:cat?.png]\n\n[file: con/plan.pdf]'), id: 'm1' },
        { ...assistant('[file: photo.jpg]'), id: 'm2', metadata: { tools: [result] } },
        { ...user('[image: later.png] and 1photo.jpg'), id: 'm3' },
      ],
    });
    const named = {
      'file-Cat1-cat-.png': 'cat',
      'con-/plan.pdf': 'plan',
      'Gemini Apps/photo.jpg': 'photo',
      'images/u1-1.webp': 'read',
    };
    const others = { 'later.png': 'later', 'oto.jpg': 'other', [temporaryName()]: 'half' };
    put(attachmentsIn(ID0), { ...named, ...others });
    const { conversationId } = await store.branch(ID0, 'm2');
    expect(contentOf(attachmentsIn(conversationId))).toEqual(named);
    const second = await store.branch(
      conversationId,
      (await store.load(conversationId)).messages[0]?.id ?? '',
    );
    expect(Object.values(contentOf(attachmentsIn(second.conversationId))).sort()).toEqual([
      'cat',
      'plan',
    ]);
    expect(contentOf(attachmentsIn(ID0))).toEqual({ ...named, ...others });
  });

  it('leaves nothing behind if it cannot be written', async () => {
    const { store, logsFolder, folders } = await openStore();
    await store.create({ messages: [{ ...user('[image: a.png]'), id: 'm1' }, user('two')] });
    put(join(logsFolder, ID0, 'attachments'), { 'a.png': 'a' });
    const small = (await openStore({ logsFolder, maxMessages: 0 })).store;
    expect((await errorOf(small.branch(ID0, 'm1'))).code).toBe('CONVERSATION_FULL');
    expect(folders()).toEqual([ID0]);
  });

  it('refuses a missing message or conversation', async () => {
    const { store, folders } = await openStore();
    await store.create({});
    expect((await errorOf(store.branch(ID0, 'x'))).code).toBe('MESSAGE_NOT_FOUND');
    expect((await errorOf(store.branch('nobody', 'x'))).code).toBe('CONVERSATION_NOT_FOUND');
    expect(folders()).toHaveLength(1);
  });
});

const at = (second: number) => new Date(T0 + second * 1000).toISOString();

async function openPair() {
  const opened = await openStore();
  const a = await opened.store.create({
    title: 'A',
    tags: ['x', 'y'],
    clientId: 'ka',
    metadata: { from: 'a', a: 1 },
    messages: [
      { ...user('a1'), id: '1', createdAt: at(1) },
      { ...assistant('a2'), id: '2', parentMessageId: '1', createdAt: at(4) },
      { ...user('a3, told earlier by hand'), id: '3', createdAt: at(2) },
    ],
  });
  const b = await opened.store.create({
    title: 'B',
    module: 'plan',
    tags: ['y', 'z'],
    pinned: true,
    clientId: 'kb',
    metadata: { from: 'b', b: 2 },
    messages: [
      { ...user('b1'), id: '1', createdAt: at(1) },
      { ...assistant('b2'), id: 'b2', parentMessageId: '1', createdAt: at(3) },
      { ...user('b3'), id: 'b3', createdAt: at(9) },
    ],
  });
  const attachmentsIn = (id: string) => join(opened.logsFolder, id, 'attachments');
  const attach = (id: string, files: Record<string, string>) => put(attachmentsIn(id), files);
  const attachmentsOf = (id: string) => contentOf(attachmentsIn(id));
  return { ...opened, a, b, attach, attachmentsOf };
}

describe('a cancelled call', () => {
  it('creates nothing and changes nothing', async () => {
    const { store } = await openStore();
    const a = await store.create({ messages: [{ ...user('q'), id: 'm1' }] });
    const b = await store.create({ messages: [user('q')] });
    const signal = AbortSignal.abort(new Error('cancelled'));
    await expect(store.branch(a.conversationId, 'm1', { signal })).rejects.toThrow('cancelled');
    await expect(store.merge(a.conversationId, b.conversationId, { signal })).rejects.toThrow(
      'cancelled',
    );
    const ids = (await store.list()).map(({ conversationId }) => conversationId);
    expect(ids.sort()).toEqual([a.conversationId, b.conversationId].sort());
  });
});

describe('merge', () => {
  it('sorts the messages of both by time, keeps the order of each, and has valid links', async () => {
    const { store, a, b, another, time } = await openPair();
    time.now += 20_000;
    const { head, trashed } = await store.merge(a.conversationId, 'kb');
    const merged = await (await another()).store.load(head.conversationId);
    expect(contents(merged)).toEqual(['a1', 'b1', 'b2', 'a2', 'a3, told earlier by hand', 'b3']);
    const [a1, b1, b2, a2] = merged.messages;
    expect([a1?.id, a2?.id, b2?.id]).toEqual(['1', '2', 'b2']);
    expect(b1?.id).not.toBe('1');
    expect([a2?.parentMessageId, b2?.parentMessageId]).toEqual(['1', b1?.id]);
    expect(merged).toMatchObject({
      title: 'A',
      module: 'plan',
      clientId: 'ka',
      pinned: true,
      tags: ['x', 'y', 'z'],
      createdAt: a.createdAt,
      metadata: {
        from: 'a',
        a: 1,
        b: 2,
        mergedFrom: [
          { conversationId: a.conversationId, clientId: 'ka' },
          { conversationId: b.conversationId, title: 'B', messageCount: 3 },
        ],
      },
    });
    expect(await store.list()).toEqual([head]);
    const names = (await store.trashed()).map(({ name }) => name).sort();
    expect(trashed.map(({ name }) => name).sort()).toEqual(names);
    expect((await store.append('ka', [user('on')])).head.conversationId).toBe(head.conversationId);
    expect(await store.restore(a.conversationId)).toMatchObject({ droppedKey: 'ka' });
    expect(contents(await store.load(a.conversationId))).toEqual(contents(a));
  });

  it('has the messages that a branch shares with its source once, and all others', async () => {
    const { store, a } = await openPair();
    const branch = await store.branch(a.conversationId, '2');
    const copy = branch.messages.at(-1)?.id ?? '';
    const own = [{ ...user('other way'), parentMessageId: copy, createdAt: at(20) }];
    await store.append(branch.conversationId, own);
    const sibling = await store.branch(a.conversationId, '1');
    const first = await store.merge(sibling.conversationId, branch.conversationId);
    const { head } = await store.merge(a.conversationId, first.head.conversationId);
    const merged = await store.load(head.conversationId);
    expect(contents(merged)).toEqual(['a1', 'a2', 'a3, told earlier by hand', 'other way']);
    expect(merged.messages.at(-1)?.parentMessageId).toBe('2');
  });

  it('keeps the ids of the source if its branch is named first', async () => {
    const { store, a } = await openPair();
    const branch = await store.branch(a.conversationId, '2');
    const copy = branch.messages.at(-1)?.id ?? '';
    const own = [{ ...user('other way'), parentMessageId: copy, createdAt: at(20) }];
    await store.append(branch.conversationId, own);
    const { head } = await store.merge(branch.conversationId, a.conversationId);
    const merged = await store.load(head.conversationId);
    expect(contents(merged)).toEqual(['a1', 'a2', 'a3, told earlier by hand', 'other way']);
    expect(merged.messages.slice(0, 3).map(({ id }) => id)).toEqual(a.messages.map(({ id }) => id));
    expect(merged.messages.at(-1)?.parentMessageId).toBe('2');
  });

  it('keeps a message of a branch that was changed there', async () => {
    const { store, a, put } = await openPair();
    const branch = await store.branch(a.conversationId, '2');
    const [message] = branch.messages;
    const changed = [{ ...message, content: 'a1, changed' }, ...branch.messages.slice(1)];
    put(branch.conversationId, { ...branch, messages: changed });
    const { head } = await store.merge(a.conversationId, branch.conversationId);
    const merged = contents(await store.load(head.conversationId));
    expect(merged.filter((text) => text.startsWith('a1'))).toEqual(['a1', 'a1, changed']);
  });

  it('gets another id than an earlier merge of the same two, which may be in an archive now', async () => {
    const { store, a, b, logsFolder } = await openPair();
    const merge = async () =>
      (await store.merge(a.conversationId, b.conversationId)).head.conversationId;
    const first = await merge();
    renameSync(join(logsFolder, first), join(logsFolder, '..', first));
    await store.restore(a.conversationId);
    await store.restore(b.conversationId);
    expect(await merge()).not.toBe(first);
  });

  it('has the attachments of both sources, also if two of them have one name', async () => {
    const { store, a, b, attach, attachmentsOf } = await openPair();
    attach(a.conversationId, { 'leaf.png': 'a leaf', 'files/plan.pdf': 'plan' });
    attach(a.conversationId, { [temporaryName()]: 'half of a file' });
    attach(b.conversationId, { 'leaf.png': 'another leaf', 'files/plan.pdf': 'plan' });
    const { head } = await store.merge(a.conversationId, b.conversationId);
    expect(attachmentsOf(head.conversationId)).toEqual({
      'leaf.png': 'a leaf',
      'files/plan.pdf': 'plan',
      [`${b.conversationId}/leaf.png`]: 'another leaf',
    });
  });

  it('has the attachments of both sources, also if a file has the name of a folder', async () => {
    const { store, a, b, attach, attachmentsOf } = await openPair();
    attach(a.conversationId, { plan: 'a file', 'leaf/1.png': 'leaf 1' });
    attach(b.conversationId, { 'plan/y': 'in a folder', leaf: 'a file too' });
    const { head } = await store.merge(a.conversationId, b.conversationId);
    expect(attachmentsOf(head.conversationId)).toEqual({
      plan: 'a file',
      'leaf/1.png': 'leaf 1',
      [`${b.conversationId}/plan/y`]: 'in a folder',
      [`${b.conversationId}/leaf`]: 'a file too',
    });
  });

  it('has every version of an attachment that was changed between two merges', async () => {
    const { store, a, b, attach, attachmentsOf } = await openPair();
    attach(a.conversationId, { 'leaf.png': 'a leaf' });
    attach(b.conversationId, { 'leaf.png': 'another leaf' });
    const first = await store.merge(a.conversationId, b.conversationId);
    await store.restore(b.conversationId);
    attach(b.conversationId, { 'leaf.png': 'a changed leaf' });
    const { head } = await store.merge(first.head.conversationId, b.conversationId);
    expect(Object.values(attachmentsOf(head.conversationId)).sort()).toEqual([
      'a changed leaf',
      'a leaf',
      'another leaf',
    ]);
  });

  it('drops a link to a source, and keeps earlier merges in the metadata', async () => {
    const { store, a, b } = await openPair();
    const branch = await store.branch(a.conversationId, '2');
    const first = await store.merge(a.conversationId, branch.conversationId);
    expect(first.head.branchOf).toBeUndefined();
    const second = await store.merge(b.conversationId, first.head.conversationId, { title: 'All' });
    expect(second.head.title).toBe('All');
    expect(second.head.messageCount).toBe(6);
    expect(second.head.metadata?.['mergedFrom']).toHaveLength(4);
  });

  it('has the text of a message only in the message, so that it can be removed', async () => {
    const { store, a } = await openPair();
    const { conversationId } = await store.create({ messages: [user('The code is 1234.')] });
    const { head } = await store.merge(conversationId, a.conversationId);
    const { messages } = await store.load(head.conversationId);
    const secret = messages.find(({ content }) => content.includes('1234'));
    await store.edits.remove(
      head.conversationId,
      secret?.id ?? '',
      messageHash('The code is 1234.'),
    );
    expect(JSON.stringify(await store.load(head.conversationId))).not.toContain('1234');
  });

  it('refuses a conversation with itself, a missing one, and too many messages', async () => {
    const { store, a, b, another, logsFolder } = await openPair();
    const before = await store.list();
    expect((await errorOf(store.merge('ka', a.conversationId))).code).toBe('VALIDATION_ERROR');
    expect((await errorOf(store.merge('ka', 'kc'))).code).toBe('CONVERSATION_NOT_FOUND');
    const small = (await openStore({ logsFolder, maxMessages: 5 })).store;
    expect((await errorOf(small.merge('ka', 'kb'))).code).toBe('CONVERSATION_FULL');
    expect(await (await another()).store.list()).toEqual(before);
    expect(await store.load(b.conversationId)).toEqual(b);
    expect(await store.trashed()).toEqual([]);
  });

  it('undoes everything if no trash can be created', async () => {
    const { store, logsFolder } = await openPair();
    const before = await store.list();
    writeFileSync(join(logsFolder, '.trash'), 'in the way');
    expect((await errorOf(store.merge('ka', 'kb'))).code).toBe('FILESYSTEM_ERROR');
    expect(await store.list()).toEqual(before);
    expect(readdirSync(join(logsFolder, '.merging'))).toEqual([]);
  });

  it.each([
    '.trash',
    '',
  ])('undoes everything if the disk does not confirm a move: %s', async (folder) => {
    const { a, b, logsFolder, folders } = await openPair();
    const { store } = await openStore({ logsFolder, fsync: true });
    let failures = 1;
    const isMoved = (id: string) => !existsSync(join(logsFolder, id));
    const restore = await tapFs(logsFolder, {
      before({ name, path }) {
        const isHit = name === 'fsync' && path === join(logsFolder, folder);
        if (!isHit || !isMoved(b.conversationId) || failures === 0) return undefined;
        failures -= 1;
        return { error: 'EIO' };
      },
    });
    const merge = errorOf(store.merge('ka', 'kb')).finally(restore);
    expect((await merge).code).toBe('FILESYSTEM_ERROR');
    expect(failures).toBe(0);
    expect(folders()).toEqual([a.conversationId, b.conversationId]);
    expect(await store.trashed()).toEqual([]);
    expect((await store.merge('ka', 'kb')).trashed).toHaveLength(2);
  });

  it('is done although its journal cannot be removed, and the next start removes it', async () => {
    const { store, logsFolder, folders, another } = await openPair();
    const journals = join(logsFolder, '.merging');
    const before = ({ name, path }: FsCall) =>
      name === 'unlink' && path.startsWith(journals) ? { error: 'EIO' } : undefined;
    const restore = await tapFs(logsFolder, { before });
    const { head } = await store.merge('ka', 'kb').finally(restore);
    expect([folders(), readdirSync(journals)]).toEqual([
      [head.conversationId],
      [`${head.conversationId}.json`],
    ]);
    await (await another()).store.tidy();
    expect([folders(), readdirSync(journals)]).toEqual([[head.conversationId], []]);
  });

  it('undoes everything if the second source is missing after the first was moved', async () => {
    const { store, a, b, logsFolder, folders } = await openPair();
    store.follow(({ conversationId, document }) => {
      const isMoved = conversationId === a.conversationId && document === undefined;
      if (isMoved) renameSync(store.path(b.conversationId), join(logsFolder, 'taken-by-hand'));
    });
    expect((await errorOf(store.merge('ka', 'kb'))).code).toBe('CONVERSATION_NOT_FOUND');
    expect(folders()).toEqual([a.conversationId, 'taken-by-hand']);
    expect(await store.load('ka')).toEqual(a);
    expect(readdirSync(join(logsFolder, '.merging'))).toEqual([]);
  });

  it('restores what it moved if the clock went back after an older version was deleted', async () => {
    const { store: first, a, b, logsFolder, folders } = await openPair();
    const { name, path } = await first.trash('kb');
    cpSync(path, join(logsFolder, b.conversationId), { recursive: true });
    const { store, time } = await openStore({ logsFolder, fsync: true });
    time.now = Date.parse(a.createdAt) - 86_400_000;
    await store.append('kb', [user('newer')]);
    let failures = 1;
    const restore = await tapFs(logsFolder, {
      before({ name: call, path: folder }) {
        const isMoved = !existsSync(join(logsFolder, b.conversationId));
        if (call !== 'fsync' || folder !== join(logsFolder, '.trash') || !isMoved) return undefined;
        failures -= 1;
        return failures === 0 ? { error: 'EIO' } : undefined;
      },
    });
    const merge = errorOf(store.merge('ka', 'kb')).finally(restore);
    expect((await merge).code).toBe('FILESYSTEM_ERROR');
    expect(folders()).toEqual([a.conversationId, b.conversationId]);
    expect(contents(await store.load('kb')).at(-1)).toBe('newer');
    expect((await store.trashed()).map((each) => each.name)).toEqual([name]);
  });

  it('leaves an older version in the trash if it is undone because a source is missing', async () => {
    const { store, a, b, logsFolder, folders } = await openPair();
    const { name, path } = await store.trash('kb');
    cpSync(path, join(logsFolder, b.conversationId), { recursive: true });
    await store.refresh();
    store.follow(({ conversationId, document }) => {
      const isMoved = conversationId === a.conversationId && document === undefined;
      if (isMoved) rmSync(join(logsFolder, b.conversationId), { recursive: true });
    });
    expect((await errorOf(store.merge('ka', 'kb'))).code).toBe('CONVERSATION_NOT_FOUND');
    expect(folders()).toEqual([a.conversationId]);
    expect((await store.trashed()).map((each) => each.name)).toEqual([name]);
  });
});

describe('a merge that was interrupted', () => {
  /** As a killed process leaves it: with the journal, and with or without the merged conversation. */
  async function cutShort(isPublished: boolean) {
    const opened = await openPair();
    const { a, b, logsFolder, fileOf, put } = opened;
    const into = `20250124-${T0 + 7}`;
    const from = [a, b].map(({ conversationId }) => {
      const { dev, ino, size, mtimeNs } = readStampNow(fileOf(conversationId)) as never;
      return { conversationId, version: [dev, ino, size, mtimeNs].join('-') };
    });
    mkdirSync(join(logsFolder, '.merging'));
    writeFileSync(join(logsFolder, '.merging', `${into}.json`), JSON.stringify({ into, from }));
    if (isPublished) put(into, { messages: [...a.messages, ...b.messages.slice(1)] });
    else mkdirSync(join(logsFolder, into));
    return { ...opened, into, other: (await opened.another()).store };
  }

  it('is undone if the merged conversation does not exist', async () => {
    const { other, a, b, folders, logsFolder } = await cutShort(false);
    await other.tidy();
    expect(folders()).toEqual([a.conversationId, b.conversationId]);
    expect(readdirSync(join(logsFolder, '.merging'))).toEqual([]);
  });

  it('is finished if it exists, whatever was moved already', async () => {
    const { other, a, into, folders, logsFolder } = await cutShort(true);
    mkdirSync(join(logsFolder, '.trash'));
    renameSync(join(logsFolder, a.conversationId), join(logsFolder, '.trash', a.conversationId));
    expect(await other.trashed()).toHaveLength(2);
    expect(folders()).toEqual([into]);
    expect(readdirSync(join(logsFolder, '.merging'))).toEqual([]);
  });

  it('has the attachments of both sources when it is finished', async () => {
    const { other, a, b, into, attach, attachmentsOf } = await cutShort(true);
    attach(a.conversationId, { 'leaf.png': 'a leaf' });
    attach(b.conversationId, { 'root.png': 'a root' });
    attach(into, { 'leaf.png': 'a leaf' });
    await other.tidy();
    expect(attachmentsOf(into)).toEqual({ 'leaf.png': 'a leaf', 'root.png': 'a root' });
  });

  it('does not move a source that was changed since to the trash', async () => {
    const { store, other, a, into, folders } = await cutShort(true);
    await store.append(a.conversationId, [user('later')]);
    await other.tidy();
    expect(folders()).toEqual([a.conversationId, into]);
    expect(contents(await other.load(a.conversationId)).at(-1)).toBe('later');
  });

  it('stops no other work if its journal cannot be read', async () => {
    const { other, into, logsFolder, folders } = await cutShort(true);
    writeFileSync(join(logsFolder, '.merging', `${into}.json`), '{ broken');
    await other.tidy();
    expect(folders()).toHaveLength(3);
  });

  it('stops no other work if its journal names one source twice', async () => {
    const { other, a, into, logsFolder, folders } = await cutShort(true);
    const source = { conversationId: a.conversationId, version: 'x' };
    const path = join(logsFolder, '.merging', `${into}.json`);
    writeFileSync(path, JSON.stringify({ into, from: [source, source] }));
    await other.tidy();
    expect(folders()).toHaveLength(3);
    await other.append(a.conversationId, [user('later')]);
  });
});
