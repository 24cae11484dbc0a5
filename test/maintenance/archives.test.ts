/** Archives: old conversations are moved to a checked archive, can be searched there, and be restored. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DAY_MS, isoTime } from '../../src/base/clock.js';
import { ownerName } from '../../src/files/locks/process-identity.js';
import { checkArchive } from '../../src/maintenance/check-archive.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import { errorOf } from '../support/error-of.js';
import { callsDuring } from '../support/fs-tap.js';
import { openMaintained, T0 } from './maintained.js';
import { contentOf } from './roots.js';

type Place = Awaited<ReturnType<typeof openMaintained>>;

async function said({ conversations }: Place, daysAgo: number, fields = {}): Promise<string> {
  const createdAt = isoTime(T0 - daysAgo * DAY_MS);
  const messages = [{ role: 'user' as const, content: `said ${daysAgo} days ago`, createdAt }];
  const made = await conversations.create({ createdAt, updatedAt: createdAt, messages, ...fields });
  return made.conversationId;
}

const archiveAll = async ({ archives }: Place) =>
  archives.archive(await archives.choose({ olderThanDays: 365 }));

describe('archives', () => {
  it('contain whole conversations, one archive for each month, and a restore writes the same bytes', async () => {
    const place = await openMaintained();
    const { archives, conversations, logsFolder } = place;
    const a = await said(place, 400, { clientId: 'garden-plan' });
    const b = await said(place, 401);
    const c = await said(place, 800);
    const pinned = await said(place, 900, { pinned: true });
    const young = await said(place, 300);
    writeFileSync(join(conversations.path(a), 'summaries.json'), '{}\n');
    const before = contentOf(logsFolder);
    const { made, archived, skipped } = await archiveAll(place);
    expect(skipped).toEqual([]);
    expect([...archived].sort()).toEqual([a, b, c].sort());
    expect(made.map((path) => basename(path)).sort()).toEqual([
      'conversations-2022-11.tar.gz',
      'conversations-2023-12.tar.gz',
    ]);
    const ids = (await conversations.list()).map(({ conversationId }) => conversationId);
    expect(ids.sort()).toEqual([pinned, young].sort());
    expect(await archives.restore('garden-plan')).toEqual({ conversationId: a });
    for (const conversationId of [b, c])
      expect(await archives.restore(conversationId)).toEqual({ conversationId });
    expect(contentOf(logsFolder)).toEqual(before);
    expect((await errorOf(archives.restore(a))).code).toBe('ALREADY_EXISTS');
    expect(await archives.restore('20250101-1735689600000')).toBeUndefined();
  });

  it('take a conversation with metadata of thousands of levels, and so does prune', async () => {
    const place = await openMaintained();
    const { archives, conversations, retention } = place;
    const deep = `{"a": ${'['.repeat(3_900)}${']'.repeat(3_900)}}`;
    const addDeep = (id: string) => {
      const path = join(conversations.path(id), 'conversation.json');
      const text = readFileSync(path, 'utf8');
      writeFileSync(
        path,
        text.replace('"messages":', () => `"metadata": ${deep}, "messages":`),
      );
    };
    const first = await said(place, 400);
    addDeep(first);
    expect(await archiveAll(place)).toMatchObject({ archived: [first], skipped: [] });
    expect(await archives.restore(first)).toEqual({ conversationId: first });
    const plan = await retention.plan({ rules: [{ olderThanDays: 365 }], bySize: false });
    const { moved, skipped } = await retention.carryOut(plan);
    expect([moved.map(({ head }) => head.conversationId), skipped]).toEqual([[first], []]);
  });

  it('restore a conversation without its key if another conversation has this key now', async () => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const id = await said(place, 400, { clientId: 'garden' });
    await archiveAll(place);
    const newer = await said(place, 1, { clientId: 'garden' });
    expect(await archives.restore(id)).toEqual({ conversationId: id, droppedKey: 'garden' });
    expect((await conversations.load(id)).clientId).toBeUndefined();
    expect((await conversations.load('garden')).conversationId).toBe(newer);
    const added = { role: 'user' as const, content: 'goes on' };
    await conversations.append('garden', [added]);
    expect((await conversations.load(newer)).messages).toHaveLength(2);
  });

  it('restore by a key the conversation that is not restored yet', async () => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const first = await said(place, 800, { clientId: 'garden' });
    await archiveAll(place);
    const second = await said(place, 400, { clientId: 'garden' });
    await archiveAll(place);
    expect(await archives.restore('garden')).toEqual({ conversationId: second });
    expect(await archives.idOf('garden', 1_000_000)).toBe(first);
    expect(await archives.restore('garden')).toEqual({
      conversationId: first,
      droppedKey: 'garden',
    });
    expect(await archives.idOf('garden', 1_000_000)).toBeUndefined();
    expect((await conversations.load('garden')).conversationId).toBe(second);
    expect(await errorOf(archives.restore('garden'))).toMatchObject({ code: 'ALREADY_EXISTS' });
  });

  it('restored by two processes at the same time leave the key to one conversation', async () => {
    for (let round = 0; round < 8; round += 1) {
      const place = await openMaintained();
      const first = await said(place, 800, { clientId: 'garden' });
      await archiveAll(place);
      const second = await said(place, 400, { clientId: 'garden' });
      await archiveAll(place);
      const other = await openMaintained({ root: place.root });
      const restored = await Promise.all([
        place.archives.restore(first),
        other.archives.restore(second),
      ]);
      const dropped = restored.filter((each) => each?.droppedKey === 'garden');
      expect(dropped).toHaveLength(1);
      const { conversations } = await openMaintained({ root: place.root });
      const owners = (await conversations.list()).filter(({ clientId }) => clientId === 'garden');
      expect(owners).toHaveLength(1);
      for (const { archives } of [place, other])
        expect((await errorOf(archives.restore(first))).code).toBe('ALREADY_EXISTS');
    }
  });

  it('restore one conversation once, also if two processes do it at the same time', async () => {
    const place = await openMaintained();
    const id = await said(place, 400, { clientId: 'garden' });
    await archiveAll(place);
    const other = await openMaintained({ root: place.root });
    const both = await Promise.allSettled([place.archives.restore(id), other.archives.restore(id)]);
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect((await other.conversations.load('garden')).messages).toHaveLength(1);
  });

  it('read an archive three times to restore a conversation: to find it, to check it and to unpack it', async () => {
    const place = await openMaintained();
    const id = await said(place, 400);
    const { made } = await archiveAll(place);
    const [path = ''] = made;
    const opened = async (work: () => Promise<unknown>) => {
      const calls = await callsDuring(place.root, work);
      return calls.filter((call) => call.name === 'open' && call.path === path).length;
    };
    const once = await opened(() => checkArchive(path));
    expect(once).toBeGreaterThan(0);
    expect(await opened(() => place.archives.restore(id))).toBe(3 * once);
  });

  it('restore a whole conversation after an earlier restore could not write one of its files', async () => {
    const place = await openMaintained();
    const { archives, conversations, logsFolder } = place;
    const id = await said(place, 400);
    const folder = conversations.path(id);
    mkdirSync(join(folder, 'versions'));
    const version = readFileSync(join(folder, 'conversation.json'));
    writeFileSync(join(folder, 'versions', '0001.20990301T101500123Z.edit.json'), version);
    const before = contentOf(logsFolder);
    await archiveAll(place);
    expect(existsSync(folder)).toBe(false);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'versions'), 'a file in the place of the folder');
    expect((await errorOf(archives.restore(id))).code).toBe('FILESYSTEM_ERROR');
    expect(await conversations.exists(id)).toBe(false);
    rmSync(join(folder, 'versions'));
    expect(await archives.restore(id)).toEqual({ conversationId: id });
    expect(contentOf(logsFolder)).toEqual(before);
  });

  it.each([
    // Of a process that has ended, and of this one.
    [`.tmp-${ownerName().replace(/-\d+-([0-9a-z]+)$/, '-1-$1')}-01234567`, true],
    [`.tmp-${ownerName()}-01234567`, false],
    ['.git/HEAD', false],
    ['.locks/mine', false],
    ['sub/.tmp-mine', false],
  ])('make no copy again and again of a conversation with %s', async (name, isArchived) => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const id = await said(place, 400);
    const path = join(conversations.path(id), name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'of another program');
    for (const _time of [1, 2]) {
      const { made, archived, skipped } = await archiveAll(place);
      if (isArchived) continue;
      const reason = expect.stringContaining(path);
      expect({ made, archived, skipped }).toEqual({
        made: [],
        archived: [],
        skipped: [{ conversationId: id, reason }],
      });
    }
    expect(existsSync(conversations.path(id))).toBe(!isArchived);
    expect(await archives.count()).toBe(isArchived ? 1 : 0);
  });

  it('restore attachments, and report files that are not of Daybook, which stay in the archive', async () => {
    const place = await openMaintained();
    const { archives, conversations, logsFolder } = place;
    const id = await said(place, 400);
    const folder = conversations.path(id);
    mkdirSync(join(folder, 'attachments'));
    writeFileSync(join(folder, 'attachments', 'leaf.png'), 'a picture');
    const before = contentOf(logsFolder);
    writeFileSync(join(folder, '.DS_Store'), 'of a file manager');
    const { made, archived } = await archiveAll(place);
    expect(archived).toEqual([id]);
    expect(await archives.restore(id)).toEqual({
      conversationId: id,
      notRestored: { archive: made[0], files: [`conversation-logs/${id}/.DS_Store`] },
    });
    expect(contentOf(logsFolder)).toEqual(before);
  });

  it('contain a restored conversation only once, and a changed one again in a new archive', async () => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const id = await said(place, 400);
    await archiveAll(place);
    await archives.restore(id);
    expect(await archiveAll(place)).toMatchObject({ made: [], archived: [id] });
    await archives.restore(id);
    await conversations.update(id, { title: 'changed' });
    const { made } = await archiveAll(place);
    expect(made.map((path) => basename(path))).toEqual(['conversations-2023-12-2.tar.gz']);
    await archives.restore(id);
    expect((await conversations.load(id)).title).toBe('changed');
  });

  it('restore and search the state that was archived last, also if its last message is of an earlier month', async () => {
    const place = await openMaintained();
    const { archives, conversations, time } = place;
    const first = isoTime(T0 - 500 * DAY_MS);
    const last = isoTime(T0 - 400 * DAY_MS);
    const { conversationId: id } = await conversations.create({
      createdAt: first,
      updatedAt: last,
      clientId: 'garden',
      messages: [
        { role: 'user', content: 'stays', createdAt: first },
        { role: 'user', content: 'is deleted', createdAt: last },
      ],
    });
    await archiveAll(place);
    await archives.restore(id);
    const [, deleted] = (await conversations.load(id)).messages;
    await conversations.edits.remove(id, String(deleted?.id), messageHash('is deleted'));
    time.now += 1000;
    expect((await archiveAll(place)).made).toHaveLength(1);
    const found = await archives.unpacked(async (folder) =>
      readFileSync(join(folder, id, 'conversation.json'), 'utf8'),
    );
    expect(found).not.toContain('is deleted');
    expect((await archives.list()).map(({ path }) => basename(path))).toEqual([
      'conversations-2023-09.tar.gz',
    ]);
    await archives.restore('garden');
    expect((await conversations.load(id)).messages.map(({ content }) => content)).toEqual([
      'stays',
    ]);
  });

  it('do not replace conversations that were pinned or continued after they were chosen', async () => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const pinned = await said(place, 400);
    const continued = await said(place, 401);
    const chosen = await archives.choose({ olderThanDays: 365 });
    await conversations.update(pinned, { pinned: true });
    await conversations.append(continued, [{ role: 'user', content: 'more' }]);
    const { archived, skipped } = await archives.archive(chosen);
    expect(archived).toEqual([]);
    const ids = skipped.map(({ conversationId }) => conversationId);
    expect(ids.sort()).toEqual([pinned, continued].sort());
    expect((await conversations.load(pinned)).pinned).toBe(true);
    expect((await conversations.load(continued)).messages).toHaveLength(2);
  });

  it('that are damaged are made again by the next run, and the others can be read', async () => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const a = await said(place, 400);
    const b = await said(place, 800);
    const { made } = await archiveAll(place);
    await archives.restore(a);
    const path = made.find((each) => each.includes('2023-12')) ?? '';
    writeFileSync(path, readFileSync(path).subarray(0, 300));
    const again = await archiveAll(place);
    expect(again.made.map((each) => basename(each))).toEqual(['conversations-2023-12-2.tar.gz']);
    const seen = await archives.unpacked(async (logsFolder, problems) => {
      const open = { logsFolder, maxMessages: 9, fsync: false, isReading: true };
      const store = await openConversationStore(open);
      const found = (await store.list()).map(({ conversationId }) => conversationId);
      await store.close();
      return { found: found.sort(), problems: problems.map(({ code }) => code) };
    });
    expect(seen).toEqual({ found: [a, b].sort(), problems: ['CORRUPT'] });
    expect(readdirSync(archives.folder).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
    expect(await archives.restore(a)).toEqual({ conversationId: a });
    expect(await conversations.list()).toHaveLength(1);
  });

  it('are not made again for a conversation that a killed run left also in the store', async () => {
    const place = await openMaintained();
    const { archives, conversations } = place;
    const id = await said(place, 400);
    const path = join(conversations.path(id), 'conversation.json');
    const text = readFileSync(path, 'utf8');
    await archiveAll(place);
    mkdirSync(conversations.path(id));
    writeFileSync(path, text); // as a process leaves it that is killed before it removes the file
    await conversations.refresh();
    expect(await archiveAll(place)).toEqual({ made: [], archived: [id], skipped: [] });
    expect(existsSync(path)).toBe(false);
    expect(await archives.restore(id)).toEqual({ conversationId: id });
    expect(readFileSync(path, 'utf8')).toBe(text);
  });
});
