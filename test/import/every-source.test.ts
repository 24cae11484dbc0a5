/**
 * Tests of every source: random damage, a second import without a change, and an export and import without a
 * difference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { openInput } from '../../src/files/input/input.js';
import { KINDS, SOURCES } from '../../src/import/source-list.js';
import { openBench } from '../exchange/bench.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { openImportBench } from './bench.js';
import {
  changed,
  DATABASE_SAMPLES,
  databaseAt,
  inputOf,
  NASTY,
  type Tables,
  TEXT_SAMPLES,
} from './samples.js';

it('every source has a sample', () => {
  const kinds = Object.keys(TEXT_SAMPLES).map((name) => name.split('/')[0]);
  expect([...new Set([...kinds, ...Object.keys(DATABASE_SAMPLES)])].sort()).toEqual(
    [...KINDS].sort(),
  );
});

describe.each(KINDS)('%s', (kind) => {
  it('changes no byte when less of its tool calls is imported later', async () => {
    const bench = await openImportBench();
    const folder = inputOf(kind);
    await bench.import(folder, { from: kind, activity: 'all' });
    const before = bench.hash();
    for (const activity of ['short', 'none'] as const) {
      await bench.import(folder, { from: kind, activity });
      expect(bench.hash()).toBe(before);
    }
  });

  it('changes no byte when it is imported again', async () => {
    const bench = await openImportBench();
    const folder = inputOf(kind);
    const first = await bench.import(folder, { from: kind });
    const { added, notes, insights, facts } = first;
    expect(added + notes + insights + facts).toBeGreaterThan(0);
    const before = bench.hash();
    const again = await bench.import(folder, { from: kind });
    expect(again).toMatchObject({ added: 0, updated: 0, notes: 0, insights: 0, facts: 0 });
    expect(bench.hash()).toBe(before);
  });

  it('is exported, imported into an empty store and exported again without a difference', async () => {
    const there = await openImportBench();
    await there.import(inputOf(kind), { from: kind, activity: 'all' });
    const first = await openBench({ logsFolder: there.logsFolder });
    for (const form of ['jsonl', 'openai'] as const) {
      const text = await first.exported(form);
      if (there.folders().length === 0) continue;
      const back = await openImportBench();
      const report = await back.importText(text, 'export.txt');
      expect(report).toMatchObject({ added: there.folders().length, problems: [] });
      const second = await openBench({ logsFolder: back.logsFolder });
      expect(await second.exported(form)).toBe(text);
    }
  });
});

it('a database with one damaged page is reported', async () => {
  const bytes = readFileSync(
    databaseAt(join(tempFolder(), 'state.vscdb'), DATABASE_SAMPLES['cursor'] ?? {}),
  );
  const bench = await openImportBench();
  const report = await bench.importText(bytes.fill(0, 8190, 8193), 'state.vscdb');
  const message = expect.stringContaining('cannot be read as an SQLite file');
  expect(report.problems).toContainEqual({ path: 'state.vscdb', code: 'CORRUPT', message });
});

it('a database that was cut off is reported, and the other tools of the machine are imported', async () => {
  const path = databaseAt(join(tempFolder(), 'state.vscdb'), DATABASE_SAMPLES['cursor'] ?? {});
  writeFileSync(path, readFileSync(path).subarray(0, 5000));
  const bench = await openImportBench();
  expect(await errorOf(bench.import(path))).toMatchObject({ code: 'CORRUPT' });
  const found = await bench.import([path, inputOf('claude-code')], { areFound: true });
  expect(found).toMatchObject({ added: 1, problems: [{ path, code: 'CORRUPT' }] });
});

it('a database with a table of a missing extension of SQLite is detected', async () => {
  const path = databaseAt(join(tempFolder(), 'store.db'), DATABASE_SAMPLES['llm'] ?? {});
  const database = new sqlite.Database(path);
  database.exec(`PRAGMA writable_schema = ON; INSERT INTO sqlite_master
    VALUES ('table', 'a', 'a', 0, 'CREATE VIRTUAL TABLE a USING vec0(x)');
    UPDATE sqlite_master SET rowid = -1 WHERE name = 'a'`);
  database.close();
  const bench = await openImportBench();
  expect(await bench.import(path)).toMatchObject({ added: 1, sources: [{ kind: 'llm' }] });
});

/** The source of the kind reads the file; only AppErrors are allowed. */
async function readBy(kind: string, path: string): Promise<void> {
  const input = await openInput(path);
  const source = SOURCES.find((each) => each.kind === kind);
  try {
    await source?.detect(input);
    for await (const item of source?.read(input, { activity: 'all' }) ?? []) {
      expect(item.path).toBeTypeOf('string');
    }
  } catch (error) {
    if (!isAppError(error)) throw error;
  } finally {
    await input.close();
  }
}

describe.each(Object.entries(DATABASE_SAMPLES))('a database of %s', (kind, tables) => {
  const cells = Object.entries(tables).flatMap(([table, rows]) =>
    rows.flatMap((row, index) => Object.keys(row).map((column) => ({ table, index, column }))),
  );

  it('is read without a crash if any value has another type', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...cells),
        fc.constantFrom(...NASTY),
        fc.nat(12),
        async (cell, into, at) => {
          const path = join(tempFolder(), 'store.db');
          await readBy(kind, databaseAt(path, withCell(tables, cell, into, at)));
        },
      ),
      { numRuns: 10 },
    );
  });

  it('is read without a crash if bytes are missing or changed', async () => {
    const bytes = readFileSync(databaseAt(join(tempFolder(), 'store.db'), tables));
    const path = join(tempFolder(), 'store.db');
    await fc.assert(
      fc.asyncProperty(
        fc.nat(bytes.length - 1),
        fc.nat(255),
        fc.boolean(),
        async (at, byte, cut) => {
          const damaged = cut
            ? bytes.subarray(0, at)
            : Buffer.from(bytes).fill(byte, at, Math.min(at + 3, bytes.length));
          writeFileSync(path, damaged);
          await readBy(kind, path);
        },
      ),
      { numRuns: 10 },
    );
  });
});

type Place = { readonly table: string; readonly index: number; readonly column: string };

/** Changes a value inside the document in the cell, or the whole cell. */
function withCell(tables: Tables, { table, index, column }: Place, into: unknown, at: number) {
  const rows = (tables[table] ?? []).map((row, each) => {
    if (each !== index) return row;
    const cell = row[column];
    const isJson = typeof cell === 'string' && /^[[{]/.test(cell);
    const other = isJson ? JSON.stringify(changed(JSON.parse(cell), { left: at + 1 }, into)) : into;
    const isCell = other === null || typeof other === 'number' || typeof other === 'string';
    return { ...row, [column]: isCell ? other : (JSON.stringify(other) ?? null) };
  });
  return { ...tables, [table]: rows };
}
