/**
 * Versions: stored before messages are changed or removed, limited, read and restored; and edits of one
 * message.
 */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { messageHash } from '../../../src/stores/conversations/document/message-hash.js';
import { errorOf } from '../../support/error-of.js';
import { tapFs } from '../../support/fs-tap.js';
import { tempFolder } from '../../support/temp-folder.js';

const DAY_MS = 86_400_000;

async function openStore(
  versions = { count: 20, days: 90 },
  logsFolder = join(tempFolder(), 'logs'),
) {
  const time = { now: Date.parse('2025-01-24T13:20:00.123Z') };
  const clock = { now: () => (time.now += 1), monotonic: () => performance.now() };
  const store = await openConversationStore({
    logsFolder,
    maxMessages: 100,
    fsync: false,
    clock,
    versions,
  });
  onTestFinished(() => store.close());
  return { store, time, logsFolder };
}

type Store = Awaited<ReturnType<typeof openStore>>['store'];

async function withTalk(store: Store) {
  const { conversationId: id, messages } = await store.create({});
  await store.append(id, [
    { role: 'user', content: 'The code is 1234. Remember it.' },
    { role: 'assistant', content: 'Noted.' },
  ]);
  const [first, second] = (await store.load(id)).messages;
  if (messages.length > 0 || first === undefined || second === undefined)
    throw new Error('no talk');
  await store.append(id, [{ role: 'user', content: 'Thanks', parentMessageId: second.id }]);
  return { id, first, second, path: join(store.path(id), 'conversation.json') };
}

const textsOf = async (store: Store, id: string) =>
  (await store.load(id)).messages.map(({ content }) => content);

describe('changing a message', () => {
  it('needs the hash of the present text, and keeps the earlier version', async () => {
    const { store } = await openStore();
    const { id, first, path } = await withTalk(store);
    const before = readFileSync(path, 'utf8');
    const hash = messageHash(first.content);
    await store.edits.update(id, first.id, 'The code is secret.', hash);
    expect(await textsOf(store, id)).toEqual(['The code is secret.', 'Noted.', 'Thanks']);
    const [kept] = (await store.history.list(id)).versions;
    expect(kept).toMatchObject({ number: 1, reason: 'edit' });
    expect(readFileSync(kept?.path ?? '', 'utf8')).toBe(before);
    const stale = store.edits.update(id, first.id, 'other', hash);
    expect((await errorOf(stale)).code).toBe('CONFLICT');
    const absent = store.edits.update(id, 'nothing', 'other', hash);
    expect((await errorOf(absent)).code).toBe('MESSAGE_NOT_FOUND');
    const nowhere = store.edits.remove('20250101-1735689600000', first.id, hash);
    expect((await errorOf(nowhere)).code).toBe('CONVERSATION_NOT_FOUND');
    expect((await store.history.list(id)).versions).toHaveLength(1);
  });

  it('removes the old text from the title that was derived from it', async () => {
    const { store } = await openStore();
    const { id, first, path } = await withTalk(store);
    expect((await store.load(id)).title).toContain('1234');
    await store.edits.update(id, first.id, 'Good morning.', messageHash(first.content));
    expect(readFileSync(path, 'utf8')).not.toContain('1234');
    expect((await store.load(id)).title).toBe('Good morning');
    await store.update(id, { title: 'Mine' });
    await store.edits.remove(id, first.id, messageHash('Good morning.'));
    expect((await store.load(id)).title).toBe('Mine');
  });

  it('links the answers of a removed message to the message before it', async () => {
    const { store } = await openStore();
    const { id, first, second } = await withTalk(store);
    const third = (await store.load(id)).messages[2];
    expect(third?.parentMessageId).toBe(second.id);
    const head = await store.edits.remove(id, second.id, messageHash(second.content));
    expect(head.messageCount).toBe(2);
    const { messages } = await store.load(id);
    expect(messages.map((message) => message.id)).toEqual([first.id, third?.id]);
    expect(messages[1]).not.toHaveProperty('parentMessageId');
  });

  it('works if a person removed or moved the message that another one answers', async () => {
    const { store } = await openStore();
    const { id, first, second, path } = await withTalk(store);
    const file = JSON.parse(readFileSync(path, 'utf8'));
    const [one, two, three] = file.messages;
    writeFileSync(path, JSON.stringify({ ...file, messages: [three, one] }));
    await store.edits.update(id, first.id, 'Changed.', messageHash(first.content));
    writeFileSync(path, JSON.stringify({ ...file, messages: [one, three, two] }));
    await store.edits.remove(id, first.id, messageHash(first.content));
    const { messages } = await store.load(id);
    expect(messages.map((each) => each.id)).toEqual([three.id, two.id]);
    expect(messages[0]?.parentMessageId).toBe(second.id);
    const [kept] = (await store.history.list(id)).versions;
    await store.history.restore(id, kept?.number ?? 0);
    expect(await textsOf(store, id)).toEqual([one.content, three.content, two.content]);
  });
});

describe('versions', () => {
  it('can be read and restored, which stores the present messages as a version', async () => {
    const { store } = await openStore();
    const { id, first } = await withTalk(store);
    const before = (await store.load(id)).messages;
    await store.edits.remove(id, first.id, messageHash(first.content));
    expect((await store.history.read(id, 1)).messages).toEqual(before);
    await store.history.restore(id, 1);
    expect((await store.load(id)).messages).toEqual(before);
    const { versions } = await store.history.list(id);
    expect(versions.map(({ number, reason }) => [number, reason])).toEqual([
      [2, 'restore'],
      [1, 'delete'],
    ]);
    expect(await store.history.read(id, 2)).toMatchObject({ messageCount: 2 });
    expect((await errorOf(store.history.read(id, 3))).code).toBe('VALIDATION_ERROR');
  });

  it('a restore makes a title that was derived from a message again, and keeps a given one', async () => {
    const { store } = await openStore();
    const { id, first, path } = await withTalk(store);
    const { title } = await store.load(id);
    await store.edits.update(id, first.id, 'Ask at 7 Mill Lane.', messageHash(first.content));
    expect((await store.history.restore(id, 1)).title).toBe(title);
    expect(readFileSync(path, 'utf8')).not.toContain('Mill Lane');
    expect((await store.load(id)).titleFrom).toBe(first.id);
    await store.update(id, { title: 'Mine' });
    expect((await store.history.restore(id, 2)).title).toBe('Mine');
  });

  it('are not stored if messages are only added or the head changes', async () => {
    const { store } = await openStore();
    const { id } = await withTalk(store);
    await store.update(id, { title: 'x', pinned: true });
    const { messages } = await store.load(id);
    const more = [...messages, { role: 'user' as const, content: 'more' }];
    await store.revise(id, () => ({ messages: more, updatedAt: '2025-02-01T00:00:00.000Z' }));
    expect((await store.history.list(id)).versions).toEqual([]);
    await store.revise(id, () => ({
      messages: more.slice(1),
      updatedAt: '2025-02-02T00:00:00.000Z',
    }));
    expect((await store.history.list(id)).versions).toMatchObject([{ reason: 'import' }]);
  });

  it('are limited in number and age', async () => {
    const { store, time, logsFolder } = await openStore({ count: 3, days: 10 });
    const { id, first } = await withTalk(store);
    let text = first.content;
    for (let n = 0; n < 6; n += 1) {
      await store.edits.update(id, first.id, `text ${n}`, messageHash(text));
      text = `text ${n}`;
    }
    const numbers = async () => (await store.history.list(id)).versions.map(({ number }) => number);
    expect(await numbers()).toEqual([6, 5, 4]);
    time.now += 11 * DAY_MS;
    await store.edits.update(id, first.id, 'last', messageHash(text));
    expect(await numbers()).toEqual([7]);
    time.now += 11 * DAY_MS;
    await store.tidy();
    expect(readdirSync(join(logsFolder, id))).toEqual(['conversation.json']);
    const none = await openStore({ count: 0, days: 0 });
    const talk = await withTalk(none.store);
    await none.store.edits.remove(talk.id, talk.first.id, messageHash(talk.first.content));
    expect((await none.store.history.list(talk.id)).versions).toEqual([]);
  });

  it('are moved to the trash and back with their conversation', async () => {
    const { store } = await openStore();
    const { id, first } = await withTalk(store);
    await store.edits.remove(id, first.id, messageHash(first.content));
    await store.trash(id);
    expect((await errorOf(store.history.list(id))).code).toBe('CONVERSATION_NOT_FOUND');
    await store.restore(id);
    expect((await store.history.list(id)).versions).toHaveLength(1);
  });
});

describe('an edit by hand', () => {
  it('in an editor that had opened an earlier version: the message that it removes is kept in a version', async () => {
    const { store } = await openStore();
    const { id, path } = await withTalk(store);
    const opened = readFileSync(path, 'utf8');
    await store.append(id, [{ role: 'user', content: 'While the editor was open.' }]);
    const { messages } = await store.load(id);
    writeFileSync(path, opened);
    await store.append(id, [{ role: 'user', content: 'After the editor was closed.' }]);
    await store.close();
    const { versions } = await store.history.list(id);
    expect(versions).toMatchObject([{ number: 1, reason: 'hand' }]);
    expect((await store.history.read(id, 1)).messages).toEqual(messages);
  });

  it('stores the version in memory once, also if two processes see the edit', async () => {
    const { store, logsFolder } = await openStore();
    const { id, path } = await withTalk(store);
    const other = (await openStore(undefined, logsFolder)).store;
    const before = (await other.load(id)).messages;
    const file = JSON.parse(readFileSync(path, 'utf8'));
    file.messages[0].content = 'Edited.';
    file.messages.pop();
    writeFileSync(path, JSON.stringify(file));
    expect(await textsOf(store, id)).toEqual(['Edited.', 'Noted.']);
    await other.refreshOne(id);
    await Promise.all([store.close(), other.close()]);
    const { versions } = await store.history.list(id);
    expect(versions).toMatchObject([{ number: 1, reason: 'hand' }]);
    expect((await store.history.read(id, 1)).messages).toEqual(before);
  });

  it('of a conversation that is then moved away: its folder is not made again', async () => {
    const { store, logsFolder } = await openStore();
    const { id, path } = await withTalk(store);
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('1234', '9999'));
    const away = join(logsFolder, 'away');
    const restore = await tapFs(logsFolder, {
      after({ name, path: made }) {
        if (name === 'mkdir' && made.endsWith('versions')) renameSync(store.path(id), away);
      },
    });
    await store.load(id);
    await store.close();
    await restore();
    expect(readdirSync(away)).toContain('versions');
    expect(readdirSync(logsFolder)).not.toContain(id);
  });

  it('of a copy in an editor: the version is stored before the file is replaced', async () => {
    const { store, logsFolder } = await openStore();
    const { id, path } = await withTalk(store);
    const { messages } = await store.load(id);
    const text = readFileSync(path, 'utf8');
    const copy = join(logsFolder, '..', 'copy.json');
    writeFileSync(copy, text.replaceAll('1234', '9999'));
    const opened = await store.editorCopies.open(id);
    const obstacle = join(store.path(id), 'versions');
    writeFileSync(obstacle, 'a disk that does not store the version');
    expect((await errorOf(store.editorCopies.save(opened, copy))).code).toBe('FILESYSTEM_ERROR');
    expect(readFileSync(path, 'utf8')).toBe(text);
    rmSync(obstacle);
    expect(await store.editorCopies.save(opened, copy)).toBe('saved');
    const other = (await openStore(undefined, logsFolder)).store; // as if the process was killed here
    expect((await other.history.read(id, 1)).messages).toEqual(messages);
    await store.load(id);
    await store.close();
    expect((await other.history.list(id)).versions).toMatchObject([{ number: 1, reason: 'hand' }]);
  });

  it('that only adds messages stores no version, and a write of another process neither', async () => {
    const { store, logsFolder } = await openStore();
    const { id, first, path } = await withTalk(store);
    const other = (await openStore(undefined, logsFolder)).store;
    await other.load(id);
    const file = JSON.parse(readFileSync(path, 'utf8'));
    file.messages.push({ role: 'user', content: 'by hand' });
    writeFileSync(path, JSON.stringify(file));
    expect(await textsOf(store, id)).toHaveLength(4);
    await other.load(id);
    await store.edits.remove(id, first.id, messageHash(first.content));
    expect(await textsOf(other, id)).toHaveLength(3);
    await Promise.all([store.close(), other.close()]);
    expect((await store.history.list(id)).versions).toMatchObject([{ reason: 'delete' }]);
  });
});
