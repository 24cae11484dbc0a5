/** Moving to the trash, restoring, purging: nothing is lost or overwritten. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ownerName } from '../../../src/files/locks/process-identity.js';
import { errorOf } from '../../support/error-of.js';
import { type FsCall, tapFs } from '../../support/fs-tap.js';
import { ID0, openStore, T0, user } from './store.js';

const job = (state: string) =>
  JSON.stringify({
    formatVersion: 1,
    state,
    query: 'q',
    backend: 'agent',
    startedAt: '2025-01-24T13:20:00.123Z',
    updatedAt: '2025-01-24T13:20:00.123Z',
    relatedQuestions: false,
    showThinking: false,
    notes: [],
    startsConversation: true,
  });

describe('trash and restore', () => {
  it('moves the whole folder, with the time in its name, and back', async () => {
    const { store, logsFolder, folders, another, time } = await openStore();
    const made = await store.create({ title: 'T', messages: [user('a')] });
    writeFileSync(join(store.path(ID0), 'beside.txt'), 'mine');
    const told: [string, boolean][] = [];
    store.follow(({ conversationId, document }) => told.push([conversationId, Boolean(document)]));
    time.now += 60_000;
    const { name, path, conversationId } = await store.trash(ID0);
    expect(name).toBe(`${ID0}.20250124T132100123Z`);
    expect(conversationId).toBe(ID0);
    expect(path).toBe(join(logsFolder, '.trash', name));
    expect(readdirSync(path).sort()).toEqual(['beside.txt', 'conversation.json']);
    expect(folders()).toEqual([]);
    expect(await store.list()).toEqual([]);
    expect(await store.exists(ID0)).toBe(false);
    expect((await errorOf(store.load(ID0))).code).toBe('CONVERSATION_NOT_FOUND');
    expect((await errorOf(store.append(ID0, [user('b')]))).code).toBe('CONVERSATION_NOT_FOUND');
    const other = (await another()).store;
    const sizes = readdirSync(path).map((each) => statSync(join(path, each)).size);
    expect(await other.trashed()).toEqual([
      {
        sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
        name,
        conversationId: ID0,
        deletedAt: '2025-01-24T13:21:00.123Z',
        title: 'T',
        messageCount: 1,
      },
    ]);
    expect(await other.restore(ID0)).toEqual({ conversationId: ID0 });
    expect(await store.load(ID0)).toEqual(made);
    expect(await other.trashed()).toEqual([]);
    expect(told).toEqual([
      [ID0, false],
      [ID0, true],
    ]);
  });

  it('keeps every deletion of one id, restores the last one, and never replaces a conversation', async () => {
    const { store, put } = await openStore();
    put(ID0, { messages: [user('first')] });
    const first = await store.trash(ID0);
    put(ID0, { messages: [user('second')] });
    const second = await store.trash(ID0);
    expect(second.name).not.toBe(first.name);
    await store.restore(ID0);
    expect((await store.load(ID0)).messages[0]?.content).toBe('second');
    expect((await errorOf(store.restore(first.name))).code).toBe('ALREADY_EXISTS');
    expect((await store.load(ID0)).messages[0]?.content).toBe('second');
    await store.trash(ID0);
    await store.restore(first.name);
    expect((await store.load(ID0)).messages[0]?.content).toBe('first');
  });

  it('restores onto an empty folder that a dead process left', async () => {
    const { store, logsFolder } = await openStore();
    await store.create({ messages: [user('a')] });
    await store.trash(ID0);
    mkdirSync(join(logsFolder, ID0));
    await store.restore(ID0);
    expect((await store.load(ID0)).messageCount).toBe(1);
  });

  it('frees the key at a deletion; a restored conversation does not take it from its new owner', async () => {
    const { store, time, textOf } = await openStore();
    await store.append('k', [user('old')], { create: true });
    await store.trash('k');
    time.now += 1000;
    const { head } = await store.append('k', [user('new')], { create: true });
    expect(head.conversationId).not.toBe(ID0);
    expect(await store.restore(ID0)).toEqual({ conversationId: ID0, droppedKey: 'k' });
    expect((await store.load('k')).conversationId).toBe(head.conversationId);
    expect((await store.load(ID0)).clientId).toBeUndefined();
    expect(textOf(ID0)).toContain('old');
    await store.trash(ID0);
    await store.trash('k');
    expect((await store.trashed()).map(({ clientId }) => clientId)).toEqual(['k', undefined]);
    expect(await store.restore('k')).toEqual({ conversationId: head.conversationId });
    expect((await errorOf(store.restore('k'))).code).toBe('CONVERSATION_NOT_FOUND');
    expect((await store.load('k')).conversationId).toBe(head.conversationId);
  });

  it('accepts damaged conversations, and folders that a person moved there', async () => {
    const { store, put, logsFolder } = await openStore();
    put(ID0, '{ broken');
    await store.list();
    const { name } = await store.trash(ID0);
    expect(store.damaged()).toEqual([]);
    renameSync(join(logsFolder, '.trash', name), join(logsFolder, '.trash', ID0));
    expect(await store.trashed()).toEqual([
      { name: ID0, conversationId: ID0, sizeBytes: '{ broken'.length },
    ]);
    await store.restore(ID0);
    expect((await errorOf(store.load(ID0))).code).toBe('CONVERSATION_CORRUPTED');
    expect(store.damaged()).toHaveLength(1);
  });

  it.each(['creating', 'running'])('refuses while a research run is %s', async (state) => {
    const { store } = await openStore();
    const other = await store.create({});
    await store.create({ messages: [user('a')] });
    const id = `20250124-${T0 + 1}`;
    writeFileSync(join(store.path(id), 'job.json'), job(state));
    expect((await errorOf(store.trash(id))).code).toBe('CONFLICT');
    expect((await errorOf(store.remove(id))).code).toBe('CONFLICT');
    expect((await errorOf(store.merge(other.conversationId, id))).code).toBe('CONFLICT');
    expect(await store.list()).toHaveLength(2);
    writeFileSync(join(store.path(id), 'job.json'), job('failed'));
    await store.trash(id);
  });

  it('moves a conversation whose job file is a link', async () => {
    const { store, logsFolder } = await openStore();
    await store.create({ messages: [user('a')] });
    symlinkSync(join(logsFolder, 'elsewhere'), join(store.path(ID0), 'job.json'));
    await store.trash(ID0);
    expect(await store.list()).toEqual([]);
  });

  it('refuses a name that is not in the trash', async () => {
    const { store } = await openStore();
    const calls = [
      () => store.trash(ID0),
      () => store.trash('no-key'),
      () => store.remove(ID0),
      () => store.restore(ID0),
      () => store.purge(ID0),
    ];
    for (const call of calls) expect((await errorOf(call())).code).toBe('CONVERSATION_NOT_FOUND');
    for (const bad of ['../x', `${ID0}/..`, `${ID0}.a/b`, '.tmp-1', '']) {
      const code = bad === '.tmp-1' ? 'CONVERSATION_NOT_FOUND' : 'VALIDATION_ERROR'; // could be a key
      expect((await errorOf(store.restore(bad))).code, bad).toBe(code);
      expect((await errorOf(store.purge(bad))).code).toBe('VALIDATION_ERROR');
    }
  });
});

describe('permanent removal of conversations', () => {
  it('removes the folder or the item in the trash, and nothing else', async () => {
    const { store, logsFolder, folders } = await openStore();
    await store.create({ messages: [user('a')] });
    const second = await store.create({ messages: [user('b')] });
    expect(await store.remove(ID0)).toBe(ID0);
    expect(folders()).toEqual([second.conversationId]);
    await store.trash(second.conversationId);
    await store.purge(second.conversationId);
    expect(readdirSync(join(logsFolder, '.trash'))).toEqual([]);
    expect((await errorOf(store.restore(second.conversationId))).code).toBe(
      'CONVERSATION_NOT_FOUND',
    );
  });

  it('is finished at the next start if it was interrupted', async () => {
    const { store, logsFolder } = await openStore();
    const half = join(logsFolder, '.trash', '.tmp-0123456789abcdef');
    mkdirSync(half, { recursive: true });
    writeFileSync(join(half, 'conversation.json'), '{}');
    expect(await store.trashed()).toEqual([]);
    await store.tidy();
    expect(existsSync(half)).toBe(false);
  });
});

it('the cleanup at the start removes the temporary files of a killed process in a conversation', async () => {
  const { store, folders } = await openStore();
  await store.create({ messages: [user('a')] });
  const dead = ownerName().replace(/-\d+-([0-9a-z]+)$/, '-1-$1');
  const folder = store.path(ID0);
  const inner = ['versions', 'attachments', 'attachments/files'].map((name) => join(folder, name));
  const leases = join(dirname(folder), '.leases');
  inner.push(leases);
  const left = [folder, ...inner].map((each) => join(each, `.tmp-${dead}-01234567`));
  const living = join(folder, 'attachments', `.tmp-${ownerName()}-01234567`);
  for (const each of inner) mkdirSync(each);
  for (const path of [...left, living]) writeFileSync(path, 'half');
  await store.tidy();
  expect([...left, living].filter((path) => existsSync(path))).toEqual([living]);
  expect(folders()).toEqual([ID0]);
});

it('the cleanup continues after a conversation whose folder cannot be listed', async () => {
  const { store, logsFolder, folders } = await openStore();
  const closed = await store.create({ messages: [user('a')] });
  const other = await store.create({ messages: [user('b')] });
  const dead = ownerName().replace(/-\d+-([0-9a-z]+)$/, '-1-$1');
  const left = join(store.path(other.conversationId), `.tmp-${dead}-01234567`);
  writeFileSync(left, 'half');
  const before = ({ name, path }: FsCall) =>
    name === 'readdir' && path.endsWith(closed.conversationId) ? { error: 'EACCES' } : undefined;
  const restore = await tapFs(logsFolder, { before });
  await store.tidy().finally(restore);
  expect(existsSync(left)).toBe(false);
  expect(folders()).toEqual([closed.conversationId, other.conversationId]);
});
