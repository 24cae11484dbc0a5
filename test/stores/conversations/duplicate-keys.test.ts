/** Folders that a person copied: two conversations with one key, and folders with other names. */
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CipherKey } from '../../../src/files/sealing/cipher.js';
import { codecOf } from '../../../src/files/sealing/text-codec.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { messageHash } from '../../../src/stores/conversations/document/message-hash.js';
import { errorOf } from '../../support/error-of.js';
import { tempFolder } from '../../support/temp-folder.js';
import { openStore, user } from './store.js';

const OLD = '20250101-1735689600000';
const NEW = '20250102-1735776000000';

describe('the key of a damaged file', () => {
  it('starts no second conversation, but other keys do', async () => {
    const { store, put, textOf } = await openStore();
    put(OLD, `{"clientId": "plan", "messages": [{"role": "user", "content": "mine]}`);
    const before = textOf(OLD);
    const append = (key: string) => store.append(key, [user('more')], { create: true });
    expect((await errorOf(append('plan'))).code).toBe('CONVERSATION_CORRUPTED');
    const created = store.create({ clientId: 'plan', messages: [user('more')] });
    expect((await errorOf(created)).code).toBe('CONVERSATION_CORRUPTED');
    expect(textOf(OLD)).toBe(before);
    expect((await append('plan-2')).created).toBe(true);
  });
});

describe('the key of a file that an editor has emptied', () => {
  it('starts no second conversation in another process if an earlier version has the key', async () => {
    const { store, put, another, textOf } = await openStore();
    const { conversationId: id } = await store.create({
      clientId: 'plan',
      messages: [user('mine')],
    });
    const [message] = (await store.load(id)).messages;
    await store.edits.update(id, message?.id ?? '', 'changed', messageHash('mine'));
    const whole = textOf(id);
    put(id, '');
    const other = (await another()).store;
    const append = () => other.append('plan', [user('more')], { create: true });
    expect((await errorOf(append())).code).toBe('CONVERSATION_CORRUPTED');
    expect((await other.append('other', [user('more')], { create: true })).created).toBe(true);
    put(id, whole);
    expect(await append()).toMatchObject({ created: false, head: { conversationId: id } });
  });
});

describe('the key of an encrypted file with a damaged message', () => {
  it('starts no second conversation in another process', async () => {
    const key = new CipherKey(Buffer.alloc(32, 7));
    const { store, put, another, textOf } = await openStore({ codec: codecOf(key) });
    const messages = [user('mine'), user('another one')];
    const { conversationId: id } = await store.create({ clientId: 'plan', messages });
    const { messages: stored, ...head } = JSON.parse(textOf(id));
    const [first, second] = stored;
    put(id, { ...head, messages: [{ ...first, content: second.content }, second] });
    const before = textOf(id);
    const other = (await another()).store;
    const append = (to: string) => other.append(to, [user('more')], { create: true });
    expect((await errorOf(append('plan'))).code).toBe('DECRYPT');
    expect(textOf(id)).toBe(before);
    expect((await append('plan-2')).created).toBe(true);
  });
});

describe('the key of a file that was cut off before it', () => {
  it('starts no second conversation in a process that knew it, and can be used again later', async () => {
    const { store, put, textOf } = await openStore();
    put(OLD, { clientId: 'plan', messages: [user('mine')] });
    await store.list();
    const whole = textOf(OLD);
    put(OLD, '{"messages": [');
    await store.list();
    const append = () => store.append('plan', [user('more')], { create: true });
    expect((await errorOf(append())).code).toBe('CONVERSATION_CORRUPTED');
    put(OLD, whole);
    expect(await append()).toMatchObject({ created: false, head: { conversationId: OLD } });
  });
});

describe('a key that two conversations have', () => {
  it('reads the older conversation, and changes neither of them', async () => {
    const { store, put, textOf } = await openStore();
    put(NEW, { clientId: 'plan', messages: [user('mine')] });
    put(OLD, { clientId: 'plan', messages: [user('taken over')] });
    expect((await store.load('plan')).conversationId).toBe(OLD);
    await store.list();
    expect(store.duplicateKeys()).toEqual([{ clientId: 'plan', conversationIds: [OLD, NEW] }]);
    const before = [textOf(OLD), textOf(NEW)];
    for (const change of [
      () => store.append('plan', [user('more')]),
      () => store.append('plan', [user('more')], { create: true }),
      () => store.update('plan', { title: 'x' }),
      () => store.trash('plan'),
      () => store.remove('plan'),
    ]) {
      const { code, details } = await errorOf(change());
      expect(code).toBe('CONFLICT');
      expect(details).toEqual({ clientId: 'plan', conversationIds: [OLD, NEW] });
    }
    expect([textOf(OLD), textOf(NEW)]).toEqual(before);
    await store.append(NEW, [user('by its id')]);
    await store.remove(OLD);
    await store.append('plan', [user('one again')]);
    expect((await store.load('plan')).conversationId).toBe(NEW);
    await store.list();
    expect(store.duplicateKeys()).toEqual([]);
  });
});

describe('folders with other names', () => {
  it('are named if they contain a conversation', async () => {
    const { store, put } = await openStore();
    put(`${OLD} copy`, { messages: [] });
    put('My Garden', { messages: [] });
    put(NEW, { messages: [] });
    put('.hidden', { messages: [] });
    expect(await store.ignoredFolders()).toEqual([`${OLD} copy`, 'My Garden']);
  });
});

describe('a store for reading', () => {
  it('creates no folder, and is empty if there is none', async () => {
    const logsFolder = `${tempFolder()}/nothing/logs`;
    const store = await openConversationStore({
      logsFolder,
      maxMessages: 10,
      fsync: false,
      isReading: true,
    });
    expect(await store.list()).toEqual([]);
    expect(await store.ignoredFolders()).toEqual([]);
    await store.close();
    expect(existsSync(logsFolder)).toBe(false);
  });
});
