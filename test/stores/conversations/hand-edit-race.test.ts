/**
 * A hand edit during a write: after Daybook read the file and before it replaces it, or half saved when
 * Daybook reads it. Neither the edit nor the message may be lost.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../../src/base/clock.js';
import { withLock } from '../../../src/files/locks/file-lock.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { ConversationRepairer } from '../../../src/stores/conversations/repair/conversation-repairer.js';
import { tempFolder } from '../../support/temp-folder.js';

async function openWithOne(fields: { clientId?: string } = {}) {
  // The clock does not move, so that a file stays new also on a slow machine.
  const time = { now: Date.now() };
  const store = await openConversationStore({
    logsFolder: tempFolder(),
    clock: { now: () => time.now, monotonic: () => performance.now() },
    fsync: true,
    maxMessages: 100,
  });
  onTestFinished(() => store.close());
  const { conversationId } = await store.create({
    ...fields,
    messages: [{ role: 'user', content: 'first' }],
  });
  const file = join(store.path(conversationId), 'conversation.json');
  return { store, conversationId, file, time };
}

it('keeps an edit that is saved while a message is being written', async () => {
  const { store, conversationId, file } = await openWithOne();
  // `skipIf` runs under the lock, after the file was read and before it is replaced.
  let edits = 0;
  const saveByHand = () => {
    if (edits > 0) return false;
    edits += 1;
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('first', 'first, corrected by hand'));
    return false;
  };
  await store.append(conversationId, [{ role: 'user', content: 'second' }], { skipIf: saveByHand });
  const { messages } = await store.load(conversationId);
  expect(edits).toBe(1);
  expect(messages.map(({ content }) => content)).toEqual(['first, corrected by hand', 'second']);
});

it('keeps a message that an edit removes while another one is being written', async () => {
  const { store, conversationId, file } = await openWithOne();
  const old = readFileSync(file, 'utf8');
  await store.append(conversationId, [{ role: 'user', content: 'second' }]);
  let edits = 0;
  const saveByHand = () => {
    if (edits === 0) writeFileSync(file, old);
    edits += 1;
    return false;
  };
  await store.append(conversationId, [{ role: 'user', content: 'third' }], { skipIf: saveByHand });
  const { messages } = await store.load(conversationId);
  expect(messages.map(({ content }) => content)).toEqual(['first', 'third']);
  await store.close();
  expect((await store.history.list(conversationId)).versions).toMatchObject([{ reason: 'hand' }]);
  const version = await store.history.read(conversationId, 1);
  expect(version.messages.map(({ content }) => content)).toEqual(['first', 'second']);
});

it('waits for an editor that saves without replacing the file', async () => {
  const { store, conversationId, file } = await openWithOne();
  const whole = readFileSync(file, 'utf8').replaceAll('first', 'edited');
  writeFileSync(file, whole.slice(0, whole.length / 2));
  const appending = store.append(conversationId, [{ role: 'user', content: 'second' }]);
  setTimeout(() => writeFileSync(file, whole), 60);
  await appending;
  const { messages } = await store.load(conversationId);
  expect(messages.map(({ content }) => content)).toEqual(['edited', 'second']);
});

it.each(['id', 'key'])('waits for an editor that makes a backup: %s', async (how) => {
  const { store, conversationId, file, time } = await openWithOne({ clientId: 'tea' });
  const ref = how === 'key' ? 'tea' : conversationId;
  const edited = readFileSync(file, 'utf8').replaceAll('first', 'edited');
  // vim and emacs rename the file and then write a new one. A server that watches notices the rename.
  renameSync(file, `${file}~`);
  time.now = Date.now();
  await store.list();
  const appending = store.append(ref, [{ role: 'user', content: 'second' }], { create: {} });
  const loading = store.load(ref);
  setTimeout(() => writeFileSync(file, edited), 60);
  expect((await appending).created).toBe(false);
  expect((await loading).conversationId).toBe(conversationId);
  const { messages } = await store.load(ref);
  expect(messages.map(({ content }) => content)).toEqual(['edited', 'second']);
  expect(await store.list()).toHaveLength(1);
});

it('a conversation whose file was removed for good does not exist', async () => {
  const { store, conversationId, file } = await openWithOne({ clientId: 'tea' });
  rmSync(file);
  await expect(store.load(conversationId)).rejects.toThrow(
    expect.objectContaining({ code: 'CONVERSATION_NOT_FOUND' }),
  );
  const message = [{ role: 'user', content: 'second' }] as const;
  const { created, head } = await store.append('tea', message, { create: {} });
  expect(created).toBe(true);
  expect(head.conversationId).not.toBe(conversationId);
});

it('does not create the folder of a conversation again if it was deleted after an edit', async () => {
  const { store, conversationId, file } = await openWithOne();
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('first', 'edited'));
  const folder = dirname(file);
  await withLock(join(dirname(folder), '.locks'), conversationId, async () => {
    const { messages } = await store.load(conversationId); // the earlier version waits for the lock
    expect(messages.map(({ content }) => content)).toEqual(['edited']);
    renameSync(folder, `${folder}.moved`);
  });
  await store.close();
  expect(existsSync(folder)).toBe(false);
});

it('a repair waits until an editor has saved the file', async () => {
  const { store, conversationId, file } = await openWithOne();
  await store.append(conversationId, [{ role: 'user', content: 'second' }]);
  const whole = readFileSync(file, 'utf8').replaceAll('second', 'edited');
  writeFileSync(file, whole.slice(0, whole.indexOf('edited')));
  const logsFolder = dirname(dirname(file));
  const repairer = new ConversationRepairer({ logsFolder, clock: systemClock, fsync: true });
  expect((await repairer.examine(conversationId))?.salvageable).toBe(1);
  const repairing = repairer.repair(conversationId);
  setTimeout(() => writeFileSync(file, whole), 60);
  expect(await repairing).toBeUndefined(); // there was nothing to repair
  const { messages } = await store.load(conversationId);
  expect(messages.map(({ content }) => content)).toEqual(['first', 'edited']);
});
