/** A watch reads a file again if its new messages are only in a log beside it, or did not fit on the disk. */
import { execFileSync } from 'node:child_process';
import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { smallDisk } from '../support/small-disk.js';
import { tempFolder } from '../support/temp-folder.js';
import { zstdOf } from '../support/zstd.js';
import { fileWith, folderWith, lines, openImportBench } from './bench.js';
import { watched } from './watch-rounds.js';

const { disk, isMounted } = smallDisk('full-disk-watch', '400k');

it('new rows of an SQLite file are imported while they are only in its write-ahead log', async () => {
  const path = join(tempFolder(), 'logs.db');
  const database = new sqlite.Database(path);
  database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
  database.exec(`
    CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
    CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id, datetime_utc TEXT);`);
  const add = (id: number) =>
    database.exec(`
      INSERT INTO conversations VALUES ('c${id}', 'T', 'm');
      INSERT INTO responses VALUES ('r${id}', 'm', 'hello', NULL, 'hi', 'c${id}', '2026-01-02T10:00:00');`);
  add(1);
  const bench = await openImportBench();
  const reports = await watched(bench, path, 4, (round) => {
    if (round === 2) add(2);
  });
  database.close();
  expect(reports.map(({ added }) => added)).toEqual([1, 0, 1, 0]);
  expect(reports[1]).toMatchObject({ unchanged: 0 }); // it was not read
});

it.runIf(isMounted)(
  'messages that did not fit on the disk are imported when there is room',
  async () => {
    const content = 'x'.repeat(500_000);
    const line = {
      type: 'user',
      uuid: 'u1',
      parentUuid: null,
      sessionId: 's',
      message: { content },
    };
    const bench = await openImportBench({ logsFolder: join(disk, 'logs') });
    const file = fileWith(lines(line), 's.jsonl');
    const reports = await watched(bench, file, 3, (round) => {
      if (round === 1) execFileSync('/bin/mount', ['-o', 'remount,size=64m', disk]);
    });
    expect(reports[0]?.stopped).toMatchObject({ code: 'STORAGE_FULL' });
    expect(reports.map(({ added }) => added)).toEqual([0, 1, 0]);
  },
);

/** Runs `work` as a user who may not open every file. */
async function asUser(work: () => Promise<void>): Promise<void> {
  const isRoot = process.getuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

/** In Codex's log. */
const spoken = {
  type: 'response_item',
  payload: { type: 'message', role: 'user', content: [{ text: 'hello' }] },
};

const session = (id: string) =>
  lines({ type: 'user', uuid: id, sessionId: id, message: { content: `hello ${id}` } });

it('a file or folder that cannot be opened stops no others, and is imported later', () =>
  asUser(async () => {
    const bench = await openImportBench();
    const folder = folderWith({
      'projects/x/a.jsonl': session('a'),
      'projects/x/b.jsonl': session('b'),
      'projects/y/c.jsonl': session('c'),
    });
    const [file, inner] = [join(folder, 'projects/x/a.jsonl'), join(folder, 'projects/y')];
    chmodSync(file, 0);
    chmodSync(inner, 0);
    const reports = await watched(bench, folder, 4, (round) => {
      if (round !== 2) return;
      chmodSync(file, 0o600);
      chmodSync(inner, 0o700);
    });
    expect(reports.map(({ added }) => added)).toEqual([1, 0, 2, 0]);
    expect(reports[0]?.problems).toMatchObject([
      { path: 'projects/y', code: 'FILESYSTEM_ERROR' },
      { path: 'projects/x/a.jsonl', code: 'FILESYSTEM_ERROR' },
    ]);
    expect(reports[1]?.problems).toEqual([]); // it was reported in the first round
  }));

it('a folder of which no file can be opened is refused with its format and the file', () =>
  asUser(async () => {
    const bench = await openImportBench();
    const folder = folderWith({ 'projects/x/a.jsonl': session('a') });
    chmodSync(join(folder, 'projects/x/a.jsonl'), 0);
    await expect(bench.import(folder)).rejects.toMatchObject({
      code: 'VALIDATION_ERROR',
      message: expect.stringContaining('projects/x/a.jsonl could not be read'),
    });
  }));

it('a note that can no longer be read does not replace the stored one', () =>
  asUser(async () => {
    const bench = await openImportBench();
    const folder = folderWith({ '.obsidian/app.json': '{}', 'a.md': 'larch', 'b.md': 'oak' });
    await bench.import(folder);
    const before = bench.hash();
    chmodSync(join(folder, 'a.md'), 0);
    expect(await bench.import(folder)).toMatchObject({ notes: 0, notesUpdated: 0 });
    expect(bench.hash()).toBe(before);
  }));

it('an attachment that cannot be read is copied later, when it can be read', () =>
  asUser(async () => {
    const bench = await openImportBench();
    const part = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-A1' };
    const content = { content_type: 'multimodal_text', parts: [part, 'look'] };
    const message = { id: 'm', author: { role: 'user' }, content };
    const mapping = { m: { id: 'm', parent: null, children: [], message } };
    const list = [{ id: 'c', title: 'T', mapping, current_node: 'm' }];
    const folder = folderWith({ 'conversations.json': list, 'file-A1.png': 'image' });
    chmodSync(join(folder, 'file-A1.png'), 0);
    const first = await bench.import(folder, { attachments: true });
    expect(first).toMatchObject({ added: 1, attachments: 0 });
    expect(first.problems).toMatchObject([{ path: 'file-A1.png', code: 'FILESYSTEM_ERROR' }]);
    chmodSync(join(folder, 'file-A1.png'), 0o600);
    expect(await bench.import(folder, { attachments: true })).toMatchObject({ attachments: 1 });
  }));

it('a compressed session that is damaged or being written stops no others', async () => {
  const bench = await openImportBench();
  const one = (id: string) => lines({ type: 'session_meta', payload: { id } }, spoken);
  const packed = zstdOf(one('a'));
  const folder = folderWith({
    'sessions/rollout-1-a.jsonl.zst': packed.subarray(0, packed.length / 2),
    'sessions/rollout-1-b.jsonl.zst': 'no zstd at all',
    'sessions/rollout-1-c.jsonl': one('c'),
  });
  const first = await bench.import(folder);
  expect(first.added).toBe(1);
  expect(first.problems).toMatchObject([
    { path: 'sessions/rollout-1-a.jsonl.zst', code: 'CORRUPT' },
    { path: 'sessions/rollout-1-b.jsonl.zst', code: 'CORRUPT' },
  ]);
  writeFileSync(join(folder, 'sessions/rollout-1-a.jsonl.zst'), packed);
  expect(await bench.import(folder)).toMatchObject({ added: 1, unchanged: 1 });
  const alone = join(folder, 'sessions/rollout-1-b.jsonl.zst');
  await expect(bench.import(alone, { from: 'codex' })).rejects.toMatchObject({ code: 'CORRUPT' });
});

it('a session that its tool deletes during the read is only missing', async () => {
  const bench = await openImportBench();
  const meta = (id: string) => ({ type: 'session_meta', payload: { id } });
  const one = (id: string) => lines(meta(id), spoken);
  const folder = folderWith({ 'rollout-1-a.jsonl': one('a'), 'rollout-1-b.jsonl': one('b') });
  const isKnown = ({ name }: { name: string }) => {
    if (name === 'rollout-1-a.jsonl') rmSync(join(folder, 'rollout-1-b.jsonl'));
    return false;
  };
  const report = await bench.import(folder, { isKnown });
  expect(report).toMatchObject({ added: 1, problems: [] });
  writeFileSync(join(folder, 'rollout-1-b.jsonl'), one('b'));
  expect(await bench.import(folder)).toMatchObject({ added: 1, unchanged: 1 });
});

it('of another store, a watch reads only the conversations that changed', async () => {
  const other = await openImportBench();
  const message = { role: 'user', content: 'Which glaze?' } as const;
  for (const time of [1000, 2000]) {
    other.time.now += time;
    await other.store.create({ messages: [message] });
  }
  const [first = '', second = ''] = other.folders();
  const summaries = join(other.logsFolder, second, 'summaries.json');
  const bench = await openImportBench();
  const reports = await watched(bench, join(other.logsFolder, '..'), 3, (round) => {
    if (round === 1) writeFileSync(summaries, '{"formatVersion":1,"summaries":{}}');
  });
  expect(reports.map(({ added, unchanged }) => [added, unchanged])).toEqual([
    [2, 0],
    [0, 1],
    [0, 0],
  ]);
  expect(bench.folders()).toEqual([first, second]);
});
