/** SQLite files whose ids are bytes, those in a zip archive, and those with texts in UTF-16 are read. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { zipOf } from '../support/zip.js';
import { FIXTURES, fileWith, folderWith, openImportBench, said } from './bench.js';

const T = 1706102400123;
const MNEMOSYNE = (id: string) => `
  CREATE TABLE conversations (id PRIMARY KEY, created_at INTEGER NOT NULL, updated_at INTEGER NOT NULL, title TEXT, metadata TEXT);
  CREATE TABLE messages (id TEXT PRIMARY KEY, conversation_id, role TEXT, content TEXT, created_at INTEGER, parent_message_id TEXT, metadata TEXT);
  CREATE TABLE conversation_summaries (id TEXT, conversation_id, level TEXT, summary_text TEXT, provider TEXT, model TEXT, generated_at INTEGER, message_count INTEGER, quality_score REAL);
  INSERT INTO conversations VALUES (${id}, ${T}, ${T}, 'Städte', NULL);
  INSERT INTO messages VALUES ('m-1', ${id}, 'user', 'Où est Zürich? 😀', ${T}, NULL, NULL);
  INSERT INTO messages VALUES ('m-2', ${id}, 'assistant', 'Before' || char(0) || 'after.', ${T}, 'm-1', NULL);
  INSERT INTO conversation_summaries VALUES ('s', ${id}, 'brief', 'About towns', 'x', 'y', ${T}, 2, 0.5);`;
const THREADS = (id: string) => `
  CREATE TABLE threads (id PRIMARY KEY, title TEXT, module TEXT, createdAt INTEGER, updatedAt INTEGER);
  CREATE TABLE messages (id TEXT PRIMARY KEY, threadId, role TEXT, content TEXT, timestamp INTEGER, seq INTEGER);
  INSERT INTO threads VALUES (${id}, 'T', NULL, ${T}, ${T});
  INSERT INTO messages VALUES ('m-1', ${id}, 'user', 'hello', ${T}, 1);`;
const LLM = (id: string) => `
  CREATE TABLE conversations (id PRIMARY KEY, name TEXT, model TEXT);
  CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id, datetime_utc TEXT);
  INSERT INTO conversations VALUES (${id}, 'T', 'm');
  INSERT INTO responses VALUES ('r', 'm', 'hello', NULL, NULL, ${id}, '2026-01-02T10:00:00');`;

function database(sql: string): string {
  const path = join(tempFolder(), 'old.db');
  const made = new sqlite.Database(path);
  made.exec(sql);
  made.close();
  return path;
}

const TEXTS = ['user: Où est Zürich? 😀', 'assistant: Before\0after.'];

it.each(['utf-16le', 'utf-16be'])('an SQLite file with texts in %s is read', async (encoding) => {
  const bench = await openImportBench();
  const path = join(FIXTURES, `sqlite/${encoding}.db`);
  const report = await bench.import(path);
  expect(report).toMatchObject({ added: 1, problems: [], leftOut: {} });
  const conversation = bench.bySource('Towns');
  expect(conversation.title).toBe('Städte');
  expect(said(conversation)).toEqual([...TEXTS, `user: ${'東京 '.repeat(400)}`]);
  // The column is newer than the rows, which have its default.
  expect(conversation.messages[2].metadata).toEqual({ mood: 'süß' });
  const before = bench.hash();
  expect(await bench.import(path)).toMatchObject({ added: 0, unchanged: 1 });
  expect(bench.hash()).toBe(before);
  // The type of a column in the file is SQL that would make this file.
  expect(existsSync('made-by-a-type.db')).toBe(false);
});

it('a damaged SQLite file with texts in UTF-16 is reported', async () => {
  const bench = await openImportBench();
  const file = readFileSync(join(FIXTURES, 'sqlite/utf-16le.db')).fill(7, 600, 9000);
  await expect(bench.importText(file, 'old.db')).rejects.toMatchObject({ code: 'CORRUPT' });
});

it.each([
  ['text', `x'746f776e73'`, 'towns'],
  ['other bytes', `x'00ff10'`, '00ff10'],
])('conversations whose ids are bytes are read: %s', async (_what, literal, id) => {
  const bench = await openImportBench();
  const report = await bench.import(database(MNEMOSYNE(literal)));
  expect(report.problems).toEqual([]);
  expect(said(bench.bySource(id))).toEqual(TEXTS);
  const { conversationId } = bench.bySource(id);
  expect(await bench.stores.summaries.get(conversationId)).toMatchObject({
    brief: { text: 'About towns' },
  });
  for (const sql of [THREADS(literal), LLM(literal)]) {
    const other = await openImportBench();
    await other.import(database(sql));
    expect(said(other.bySource(id))).toEqual(['user: hello']);
  }
});

describe('an SQLite file in a zip archive', () => {
  const file = () => readFileSync(database(MNEMOSYNE(`'towns'`)));

  it('is read, and its copy is removed', async () => {
    const bench = await openImportBench();
    const path = fileWith(zipOf([{ name: 'data/old.db', content: file() }]), 'old.zip');
    const folder = tempFolder();
    vi.stubEnv('TMPDIR', folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const report = await bench.import(path);
    expect(report).toMatchObject({ added: 1, problems: [], sources: [{ kind: 'mnemosyne' }] });
    expect(said(bench.bySource('towns'))).toEqual(TEXTS);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is read with its write-ahead log', async () => {
    const path = join(tempFolder(), 'old.db');
    const made = new sqlite.Database(path);
    made.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL');
    made.exec(MNEMOSYNE(`'towns'`));
    const entries = ['old.db', 'old.db-wal'].map((name) => ({
      name,
      content: readFileSync(join(path, '..', name)),
    }));
    made.close();
    const bench = await openImportBench();
    await bench.import(fileWith(zipOf(entries), 'old.zip'));
    expect(said(bench.bySource('towns'))).toEqual(TEXTS);
  });

  it('is read if the archive is in a folder', async () => {
    const bench = await openImportBench();
    const zip = zipOf([{ name: 'old.db', content: file() }]);
    expect(await bench.import(folderWith({ 'a.zip': zip }))).toMatchObject({ added: 1 });
  });

  it('is reported if it is damaged, also if the archive is in a folder', async () => {
    const bench = await openImportBench();
    const damaged = zipOf([{ name: 'old.db', content: file().fill(7, 100, 4000) }]);
    const error = await errorOf(bench.import(fileWith(damaged, 'old.zip')));
    expect(error).toMatchObject({ code: 'CORRUPT', message: expect.stringContaining('old.db') });
    const good = zipOf([{ name: 'old.db', content: file() }]);
    const path = folderWith({ 'a.zip': damaged, 'b.zip': good });
    const report = await bench.import(path);
    const place = join(path, 'a.zip');
    expect(report).toMatchObject({ added: 1, problems: [{ path: place, code: 'CORRUPT' }] });
  });
});
