/** A watch reads a file again if its new messages are only in a log beside it, or did not fit on the disk. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { Importer } from '../../src/import/importer.js';
import type { ImportReport } from '../../src/import/run-import.js';
import { watchImports } from '../../src/import/watch.js';
import { smallDisk } from '../support/small-disk.js';
import { tempFolder } from '../support/temp-folder.js';
import { fileWith, lines, openImportBench } from './bench.js';

const { disk, isMounted } = smallDisk('full-disk-watch', '400k');

/** Runs `count` rounds and returns their reports. `between` runs after each. */
async function watched(
  bench: Awaited<ReturnType<typeof openImportBench>>,
  path: string,
  count: number,
  between: (round: number) => void,
): Promise<ImportReport[]> {
  const machine = { home: path, programs: path, variable: () => undefined };
  const options = { machine, activity: 'short', watched: [], folders: [] } as const;
  const stop = new AbortController();
  const reports: ImportReport[] = [];
  const errors: Error[] = [];
  await watchImports(new Importer({ ...bench.stores, ...options }), {
    ...{ paths: async () => [path], areFound: false, everyMs: 1, signal: stop.signal },
    onError: (error) => void errors.push(error),
    onRound(report) {
      reports.push(report);
      between(reports.length);
      if (reports.length === count) stop.abort();
    },
  });
  expect(errors).toEqual([]);
  return reports;
}

it('new rows of an SQLite file come in while they are only in its write-ahead log', async () => {
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

it.runIf(isMounted)('what did not fit on the disk comes in when there is room', async () => {
  const content = 'x'.repeat(500_000);
  const line = { type: 'user', uuid: 'u1', parentUuid: null, sessionId: 's', message: { content } };
  const bench = await openImportBench({ logsFolder: join(disk, 'logs') });
  const file = fileWith(lines(line), 's.jsonl');
  const reports = await watched(bench, file, 3, (round) => {
    if (round === 1) execFileSync('/bin/mount', ['-o', 'remount,size=64m', disk]);
  });
  expect(reports[0]?.stopped).toMatchObject({ code: 'STORAGE_FULL' });
  expect(reports.map(({ added }) => added)).toEqual([0, 1, 0]);
});
