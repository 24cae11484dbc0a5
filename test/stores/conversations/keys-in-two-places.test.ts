/** A key that two conversations have for a moment, because another process merges or restores one of them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { tempFolder } from '../../support/temp-folder.js';
import { user } from './store.js';

const ATTACHMENTS = 40;

it('a message for the key of a conversation that is being merged gets into the merged one', async () => {
  const logsFolder = join(tempFolder(), 'logs');
  const open = () => openConversationStore({ logsFolder, maxMessages: 10_000, fsync: true });
  const store = await open();
  const { conversationId: first } = await store.create({ clientId: 'k', messages: [user('a')] });
  const { conversationId: second } = await store.create({ messages: [user('b')] });
  for (const id of [first, second]) {
    const folder = join(store.path(id), 'attachments');
    mkdirSync(folder);
    for (let n = 0; n < ATTACHMENTS; n += 1) writeFileSync(join(folder, `${n}`), `${id} ${n}`);
  }
  const isThere = new Promise<void>((resolve) => {
    store.followFromNow(({ document }) => {
      if (document?.head.clientId === 'k' && document.head.conversationId !== first) resolve();
    });
  });
  const merging = store.merge(first, second);
  await isThere;
  const servers = await Promise.all(Array.from({ length: 5 }, open));
  const said = servers.map((server, n) => server.append('k', [user(`${n}`)], { create: true }));
  await Promise.all([merging, ...said]);
  const other = await open();
  expect(await other.list()).toHaveLength(1);
  const { messages } = await other.load('k');
  const contents = messages.map(({ content }) => content);
  expect(contents.sort()).toEqual(['0', '1', '2', '3', '4', 'a', 'b']);
  await Promise.all([store, other, ...servers].map((each) => each.close()));
});

it('a key is not given again while its conversation is being merged', async () => {
  const logsFolder = join(tempFolder(), 'logs');
  const open = () => openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
  const store = await open();
  const keys = ['k1', 'k2', 'k3', 'k4'];
  const sources: string[] = [];
  // The oldest conversations are read last.
  for (const clientId of keys)
    sources.push((await store.create({ clientId, messages: [user('a')] })).conversationId);
  const others = Array.from({ length: 500 }, (_, n) =>
    store.batches.add({ fields: {}, messages: [user(`${n}`)] }),
  );
  const merged = await Promise.all(others);
  for (const [at, clientId] of keys.entries()) {
    const server = await open();
    const creating = server.create({ clientId, messages: [user('b')] }).catch((error) => error);
    while (server.progress.total === 0) await new Promise(setImmediate);
    await store.merge(sources[at] ?? '', merged[at] ?? '');
    expect(await creating).toMatchObject({ code: 'ALREADY_EXISTS' });
    await server.close();
  }
  const other = await open();
  await other.list();
  expect(other.duplicateKeys()).toEqual([]);
  await Promise.all([store, other].map((each) => each.close()));
});

it('a message that came into the merged conversation stays if the merge fails', async () => {
  const logsFolder = join(tempFolder(), 'logs');
  const open = () => openConversationStore({ logsFolder, maxMessages: 10_000, fsync: true });
  const [store, other] = [await open(), await open()];
  const sources = [
    await store.create({ clientId: 'k', messages: [user('a')] }),
    await store.create({ messages: [user('b')] }),
  ];
  const [first = '', second = ''] = sources.map(({ conversationId }) => conversationId);
  const folder = join(store.path(second), 'attachments');
  mkdirSync(folder);
  for (let n = 0; n < ATTACHMENTS; n += 1) writeFileSync(join(folder, `${n}`), `${n}`);
  writeFileSync(join(logsFolder, '.trash'), 'no folder');
  const merged = new Promise<string>((resolve) => {
    store.followFromNow(({ document }) => {
      const { conversationId = first } = document?.head ?? {};
      if (![first, second].includes(conversationId)) resolve(conversationId);
    });
  });
  const merging = store.merge(first, second).catch((error: unknown) => error);
  const id = await merged;
  await other.append(id, [user('c')]);
  expect(await merging).toMatchObject({ code: expect.any(String) });
  const last = await open();
  expect((await last.load(id)).messages.map(({ content }) => content)).toEqual(['a', 'b', 'c']);
  // The merge is finished when the sources can be moved.
  rmSync(join(logsFolder, '.trash'));
  await last.tidy();
  const ids = (await last.list()).map(({ conversationId }) => conversationId);
  expect(ids).toEqual([id]);
  expect((await last.load('k')).conversationId).toBe(id);
  await Promise.all([store, other, last].map((each) => each.close()));
});
