/**
 * Conversations that are created together: each has its own id, a key is used once even if several callers
 * give it at the same moment, a faulty one stops no others, one lock is used for a batch, and no other files
 * are left.
 */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { AppError } from '../../../src/base/errors.js';
import {
  type ConversationStore,
  openConversationStore,
} from '../../../src/stores/conversations/conversations.js';
import { conversationIdAt } from '../../../src/stores/conversations/document/conversation-id.js';
import { ConversationDocuments } from '../../../src/stores/conversations/files/conversation-documents.js';
import { withKeyLock } from '../../../src/stores/conversations/writing/key-lock.js';
import { tempFolder } from '../../support/temp-folder.js';

const TIME = '2026-01-02T00:00:00.000Z';
let count = 0;

async function openLogs() {
  count += 1;
  const logsFolder = join(tempFolder(), `batches-${count}`);
  const open = () => openConversationStore({ logsFolder, maxMessages: 3, fsync: true });
  return { logsFolder, open, store: await open() };
}

const messagesOf = (...texts: string[]) =>
  texts.map((content) => ({ role: 'user' as const, content }));

const createMany = (store: ConversationStore, given: { text: string; clientId?: string }[]) =>
  Promise.allSettled(
    given.map(({ text, ...fields }) =>
      store.batches.add({ fields: { createdAt: TIME, ...fields }, messages: messagesOf(text) }),
    ),
  );

const foldersIn = (logsFolder: string) =>
  readdirSync(logsFolder).filter((name) => /^\d/.test(name));

/** A thread that moves the lock away each time when so many conversations exist. */
const THIEF = `
  const { readdirSync, renameSync } = require('node:fs');
  const { join } = require('node:path');
  const { parentPort, workerData: { logsFolder, to, after } } = require('node:worker_threads');
  parentPort.postMessage('ready');
  let losses = 0;
  const endMs = Date.now() + 60_000;
  while (losses < after.length && Date.now() < endMs) {
    if (readdirSync(logsFolder).filter((name) => /^[0-9]/.test(name)).length < after[losses]) continue;
    try {
      renameSync(join(logsFolder, '.locks', 'new-conversations'), to + '-' + losses);
      losses += 1;
    } catch {}
  }
  parentPort.postMessage(losses);
`;

describe('conversations created together', () => {
  it.each([
    true,
    false,
  ])('a past time never gives the id of a deleted conversation (batched: %s)', async (isBatched) => {
    const { store, open } = await openLogs();
    const other = await open(); // it does not remember the ids that `store` used
    const make = async (text: string, into = store) => {
      const messages = messagesOf(text);
      if (isBatched) return into.batches.add({ fields: { createdAt: TIME }, messages });
      return (await into.create({ createdAt: TIME, messages })).conversationId;
    };
    const conversationId = await make('first');
    await store.trash(conversationId);
    expect(await make('second', other)).not.toBe(conversationId);
    await store.restore(conversationId);
    expect((await store.load(conversationId)).messages[0]?.content).toBe('first');
  });

  it('new conversations of one millisecond get different ids, and skip names that exist', async () => {
    const { logsFolder, store } = await openLogs();
    const ms = Date.parse(TIME);
    const elsewhere = join(logsFolder, 'elsewhere');
    mkdirSync(elsewhere);
    symlinkSync(elsewhere, join(logsFolder, conversationIdAt(ms + 1)));
    mkdirSync(join(logsFolder, conversationIdAt(ms + 2)));
    const texts = Array.from({ length: 40 }, (_, index) => ({ text: `text ${index}` }));
    const made = await createMany(store, texts);
    expect(made.filter(({ status }) => status === 'rejected')).toEqual([]);
    const said = foldersIn(logsFolder).flatMap((name) => {
      const path = join(logsFolder, name, 'conversation.json');
      return existsSync(path) ? [JSON.parse(readFileSync(path, 'utf8')).messages[0].content] : [];
    });
    expect(said.sort()).toEqual(texts.map(({ text }) => text).sort());
    expect(foldersIn(logsFolder)).toHaveLength(42);
    expect(readdirSync(elsewhere)).toEqual([]);
    expect((await store.list()).length).toBe(40);
    await store.close();
    expect(readdirSync(join(logsFolder, '.locks'))).toEqual([]);
  });

  it('get other ids, and keep their keys, if their ids are taken while they are written', async () => {
    const { logsFolder, store } = await openLogs();
    const taken = 63; // all but the last one of the first batch
    const takeIds = () => {
      for (let ms = 0; ms < taken; ms += 1)
        mkdirSync(join(logsFolder, conversationIdAt(Date.parse(TIME) + ms), 'other'), {
          recursive: true,
        });
    };
    const made = await Promise.allSettled(
      Array.from({ length: 200 }, (_, at) =>
        store.batches.add({
          fields: { createdAt: TIME, clientId: `key-${at}` },
          messages: messagesOf('x'),
          // The others of its batch have their ids then, and are not on the disk.
          ...(at === taken && { beforeWrite: takeIds }),
        }),
      ),
    );
    expect(made.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(foldersIn(logsFolder)).toHaveLength(200 + taken);
  });

  it('are refused one by one', async () => {
    const { store } = await openLogs();
    const fields = { createdAt: TIME };
    const create = (texts: string[]) =>
      store.batches.add({ fields, messages: messagesOf(...texts) });
    const made = await Promise.allSettled([
      create(['a']),
      store.batches.add({ fields, messages: [{ role: 'nobody' as 'user', content: 'x' }] }),
      create(['b']),
    ]);
    expect(made.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(made[1]).toMatchObject({ reason: { code: 'VALIDATION_ERROR' } });
  });

  it('are refused if what is being written leaves no room for them', async () => {
    const { logsFolder } = await openLogs();
    const kilobytes = () => foldersIn(logsFolder).length;
    const store = await openConversationStore({
      logsFolder,
      maxMessages: 3,
      fsync: true,
      async requireRoom(bytes = 0) {
        if (kilobytes() + bytes / 1_000 > 100) throw new AppError('STORAGE_FULL', 'no room');
      },
    });
    const made = await createMany(
      store,
      Array.from({ length: 192 }, () => ({ text: 'x'.repeat(1_000) })),
    );
    expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(64);
    expect(kilobytes()).toBe(64);
  });

  it('with the same key: the error names the conversation of the batch that has it', async () => {
    const { logsFolder, store } = await openLogs();
    const given = [
      { text: 'one', clientId: 'tea' },
      { text: 'two', clientId: 'tea' },
    ];
    const [first, second] = await createMany(store, given);
    expect(first).toMatchObject({ status: 'fulfilled', value: foldersIn(logsFolder)[0] });
    const [conversationId] = foldersIn(logsFolder);
    expect(second).toMatchObject({
      reason: { code: 'ALREADY_EXISTS', details: { conversationId, clientId: 'tea' } },
    });
    await store.close();
  });

  it('use a key only once, also if another store has used it meanwhile', async () => {
    const { open, store, logsFolder } = await openLogs();
    const other = await open();
    await createMany(store, [{ text: 'a', clientId: 'a' }]);
    for (let round = 0; round < 10; round += 1) {
      const keys = Array.from({ length: 8 }, (_, index) => `key-${round}-${index}`);
      const many = createMany(
        store,
        keys.map((clientId) => ({ text: clientId, clientId })),
      );
      const single = keys.map((key) =>
        other.append(key, messagesOf('also'), { create: true }).catch(() => undefined),
      );
      await Promise.all([many, ...single]);
    }
    await other.append('known-to-other', messagesOf('first'), { create: true });
    const [late] = await createMany(store, [{ text: 'late', clientId: 'known-to-other' }]);
    expect(late).toMatchObject({ status: 'rejected', reason: { code: 'ALREADY_EXISTS' } });
    const keys = foldersIn(logsFolder).map(
      (name) =>
        JSON.parse(readFileSync(join(logsFolder, name, 'conversation.json'), 'utf8')).clientId,
    );
    expect(keys).toHaveLength(82);
    expect(new Set(keys).size).toBe(82);
  });

  it('keep their own ids, and change no existing conversation with such an id', async () => {
    const { store, logsFolder } = await openLogs();
    const documents = new ConversationDocuments({ logsFolder, fsync: true, clock: systemClock });
    const ids = Array.from({ length: 20 }, (_, index) =>
      conversationIdAt(Date.parse(TIME) + index),
    );
    const contentOf = (id: string, content: string) => ({
      conversationId: id,
      clientId: `of-${id}`,
      createdAt: TIME,
      updatedAt: TIME,
      other: 1,
      messages: [{ id: 'm', role: 'user', content, createdAt: TIME }],
    });
    const add = async (id: string, content: string) =>
      store.batches.addWhole(await documents.document(id, contentOf(id, content)));
    const [first = '', second = '', third = ''] = ids;
    // Before all of them are added, because a document that takes longer would come after the others.
    const given = await Promise.all(
      [...ids.map((id) => [id, id] as const), [first, 'again'] as const].map(([id, content]) =>
        documents.document(id, contentOf(id, content)),
      ),
    );
    const made = await Promise.allSettled(given.map((each) => store.batches.addWhole(each)));
    expect(made.map(({ status }) => status)).toEqual([...ids.map(() => 'fulfilled'), 'rejected']);
    expect(foldersIn(logsFolder)).toEqual(ids);
    const file = (id: string) => readFileSync(join(logsFolder, id, 'conversation.json'), 'utf8');
    const { text } = await documents.parse(second, contentOf(second, second), second);
    expect(file(second)).toBe(text);
    expect(JSON.parse(file(second)).other).toBe(1);
    await expect(add(third, 'changed')).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
    expect(JSON.parse(file(third)).messages[0].content).toBe(third);
    const [made1, made2] = await createMany(store, [
      { text: 'a' },
      { text: 'b', clientId: `of-${first}` },
    ]);
    expect(made1?.status).toBe('fulfilled');
    expect(made2).toMatchObject({ reason: { code: 'ALREADY_EXISTS' } });
    expect((await store.list()).length).toBe(21);
  });

  it('wait for a key that another caller is assigning', async () => {
    const { store, logsFolder } = await openLogs();
    const done: string[] = [];
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const holding = withKeyLock(join(logsFolder, '.locks'), 'mine', () => left);
    const [mine, free] = ['mine', 'free'].map((clientId) =>
      store.batches
        .add({ fields: { clientId, createdAt: TIME }, messages: messagesOf(clientId) })
        .then(() => done.push(clientId)),
    );
    while (foldersIn(logsFolder).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    expect(foldersIn(logsFolder)).toHaveLength(1);
    expect(done).not.toContain('mine');
    leave();
    await Promise.all([holding, mine, free]);
    expect(foldersIn(logsFolder)).toHaveLength(2);
  });

  it('wait for such a key with their own ids too', async () => {
    const { store, logsFolder } = await openLogs();
    const documents = new ConversationDocuments({ logsFolder, fsync: true, clock: systemClock });
    const add = async (ms: number) => {
      const value = { clientId: 'mine', messages: messagesOf('whole') };
      const whole = await documents.document(conversationIdAt(ms), value);
      return store.batches.addWhole(whole);
    };
    let leave: () => void = () => undefined;
    const left = new Promise<void>((resolve) => {
      leave = resolve;
    });
    const holding = withKeyLock(join(logsFolder, '.locks'), 'mine', () => left);
    const adding = add(0);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(foldersIn(logsFolder)).toEqual([]);
    leave();
    await Promise.all([holding, adding]);
    expect(foldersIn(logsFolder)).toEqual([conversationIdAt(0)]);
    await expect(add(1)).rejects.toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it('are created once each if the lock is lost in the middle of batches', async () => {
    const { logsFolder, store } = await openLogs();
    const texts = Array.from({ length: 600 }, (_, index) => `text ${index}`);
    const thief = new Worker(THIEF, {
      eval: true,
      workerData: {
        logsFolder,
        to: join(tempFolder(), `lost-${count}`),
        after: [20, 90, 230, 300],
      },
    });
    const [isReady] = await once(thief, 'message');
    expect(isReady).toBe('ready');
    const lost = once(thief, 'message');
    const all = await createMany(
      store,
      texts.map((text) => ({ text })),
    );
    expect(all.filter(({ status }) => status === 'rejected')).toEqual([]);
    expect((await lost)[0]).toBe(4);
    const said = foldersIn(logsFolder).map((name) => {
      const path = join(logsFolder, name, 'conversation.json');
      return JSON.parse(readFileSync(path, 'utf8')).messages[0].content;
    });
    expect(said.sort()).toEqual(texts.sort());
  });

  it('release their lock now and then, so that a new conversation with a key does not wait for all', async () => {
    const { store } = await openLogs();
    let left = 3_000;
    const texts = Array.from({ length: left }, (_, index) => `text ${index}`);
    const all = Promise.all(
      texts.map(async (text) => {
        await store.batches.add({ fields: { createdAt: TIME }, messages: messagesOf(text) });
        left -= 1;
      }),
    );
    await store.create({ clientId: 'now', messages: messagesOf('between them') });
    expect(left).toBeGreaterThan(0);
    await all;
    expect(await store.list()).toHaveLength(3_001);
  });
});
