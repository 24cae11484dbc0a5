/** The logs of `llm`: its older rows, and the threads that it stores since version 0.32. */
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { openImportBench, said } from './bench.js';

const OLD = `
  CREATE TABLE conversations (id TEXT PRIMARY KEY, name TEXT, model TEXT);
  CREATE TABLE responses (id TEXT PRIMARY KEY, model TEXT, prompt TEXT, system TEXT, response TEXT, conversation_id TEXT, datetime_utc TEXT);
  CREATE TABLE attachments (id TEXT PRIMARY KEY, type TEXT, path TEXT, url TEXT, content BLOB);
  CREATE TABLE prompt_attachments (response_id TEXT, attachment_id TEXT, "order" INTEGER);
  CREATE TABLE fragments (id INTEGER PRIMARY KEY, hash TEXT, content TEXT, source TEXT);
  CREATE TABLE prompt_fragments (response_id TEXT, fragment_id INTEGER, "order" INTEGER);`;
const NEW = `
  CREATE TABLE messages (hash TEXT PRIMARY KEY, parent_hash TEXT, role TEXT, provider_metadata TEXT);
  CREATE TABLE parts (id INTEGER PRIMARY KEY, message_hash TEXT, position INTEGER, type TEXT, tool_name TEXT, text TEXT, payload TEXT);
  CREATE TABLE threads (id TEXT PRIMARY KEY, name TEXT, tip_message_hash TEXT, forked_from TEXT, datetime_utc TEXT);
  CREATE TABLE turns (id TEXT PRIMARY KEY, thread_id TEXT, parent_message_hash TEXT, tip_message_hash TEXT, model TEXT, datetime_utc TEXT);`;

/** A message with one part for each of `parts`. */
const message = (hash: string, parent: string | null, role: string, ...parts: object[]) => [
  `INSERT INTO messages VALUES ('${hash}', ${parent === null ? 'NULL' : `'${parent}'`}, '${role}', NULL);`,
  ...parts.map((part, position) => {
    const { type, text, ...payload } = part as { type: string; text?: string };
    const fields = Object.keys(payload).length === 0 ? 'NULL' : `'${JSON.stringify(payload)}'`;
    return `INSERT INTO parts (message_hash, position, type, text, payload) VALUES ('${hash}', ${position}, '${type}', ${text === undefined ? 'NULL' : `'${text}'`}, ${fields});`;
  }),
];
const text = (words: string) => ({ type: 'text', text: words });
const thread = (id: string, from: string | null = null) =>
  `INSERT INTO threads VALUES ('${id}', 'Shed', NULL, ${from === null ? 'NULL' : `'${from}'`}, '2026-08-10T10:00:00+00:00');`;
const turn = (id: string, of: string, parent: string, tip: string, minute: number) =>
  `INSERT INTO turns VALUES ('${id}', '${of}', '${parent}', '${tip}', 'm', '2026-08-10T10:0${minute}:00+00:00');`;

function database(...sql: readonly string[]): string {
  const path = join(tempFolder(), 'logs.db');
  const made = new sqlite.Database(path);
  for (const each of sql) made.exec(each);
  made.close();
  return path;
}

async function imported(...sql: readonly string[]) {
  const bench = await openImportBench();
  const path = database(...sql);
  const report = await bench.import(path);
  expect(report).toMatchObject({ problems: [], sources: [{ kind: 'llm' }] });
  const before = bench.hash();
  await bench.import(path);
  expect(bench.hash()).toBe(before);
  return bench;
}

const FIRST = [
  ...message('h1', null, 'system', text('Be brief')),
  ...message('h2', 'h1', 'user', text('How?')),
  ...message('h3', 'h2', 'assistant', { type: 'reasoning', text: 'Hm' }, text('So.')),
];

it('reads a thread with fragments, attachments and tools', async () => {
  const bench = await imported(
    ...[OLD, NEW, thread('t1'), ...FIRST, turn('r1', 't1', 'h2', 'h3', 0)],
    `INSERT INTO fragments VALUES (7, 'x', 'A long text.', NULL);`,
    `INSERT INTO attachments VALUES ('a1', 'image/png', '/home/ada/shed.png', NULL, NULL);`,
    ...message(
      ...(['h4', 'h3', 'user'] as const),
      { type: 'text', text_ref: [{ fragment: 7 }, { literal: ' And?' }] },
      { type: 'attachment', attachment: { id: 'a1' } },
    ),
    ...message('h5', 'h4', 'assistant', {
      type: 'tool_call',
      name: 'ls',
      arguments: { a: 1 },
      tool_call_id: 'c',
    }),
    turn('r2', 't1', 'h4', 'h5', 1),
    ...message('h6', 'h5', 'tool', {
      type: 'tool_result',
      name: 'ls',
      output: 'files',
      tool_call_id: 'c',
    }),
    ...message('h7', 'h6', 'assistant', text('Thus.')),
    turn('r3', 't1', 'h6', 'h7', 2),
  );
  const made = bench.bySource('t1');
  expect(said(made)).toEqual([
    'system: Be brief',
    'user: How?',
    'assistant: So.',
    'user: A long text. And?\n\n[image: /home/ada/shed.png]',
    'assistant: Thus.',
  ]);
  expect(made).toMatchObject({ title: 'Shed', createdAt: '2026-08-10T10:00:00.000Z' });
  expect(made.messages[2].metadata.thinking).toBe('Hm');
  expect(made.messages[4]).toMatchObject({
    createdAt: '2026-08-10T10:02:00.000Z',
    metadata: { tools: [{ name: 'ls', result: 'files' }] },
  });
});

it('continues a conversation of the older tables, and has turns that are in both tables once', async () => {
  const older = [
    ...[OLD, `INSERT INTO conversations VALUES ('t1', 'Shed', 'm');`],
    `INSERT INTO responses VALUES ('r1', 'm', 'How?', 'Be brief', 'So.', 't1', '2026-08-10T10:00:00');`,
  ];
  const newer = [
    ...[NEW, thread('t1'), ...FIRST, turn('r1', 't1', 'h2', 'h3', 0)],
    ...message('h4', 'h3', 'user', text('And?')),
    ...[...message('h5', 'h4', 'assistant', text('Thus.')), turn('r2', 't1', 'h4', 'h5', 1)],
  ];
  const expected = [
    ...['system: Be brief', 'user: How?', 'assistant: So.', 'user: And?', 'assistant: Thus.'],
  ];
  expect(said((await imported(...older, ...newer)).bySource('t1'))).toEqual(expected);
  const withoutFirst = newer.filter((sql) => !sql.includes(`VALUES ('r1'`));
  expect(said((await imported(...older, ...withoutFirst)).bySource('t1'))).toEqual(expected);
  // The older part was imported before llm was updated.
  const bench = await openImportBench();
  await bench.import(database(...older));
  const report = await bench.import(database(...older, ...newer));
  expect(report).toMatchObject({ added: 0, updated: 1, messages: 2 });
  expect(said(bench.bySource('t1'))).toEqual(expected);
});

it('imports messages that a fork shares only once', async () => {
  const bench = await imported(
    ...[NEW, thread('t1'), ...FIRST, turn('r1', 't1', 'h2', 'h3', 0), thread('t2', 't1')],
    ...[
      ...message('k4', 'h3', 'user', text('Or?')),
      ...message('k5', 'k4', 'assistant', text('No.')),
    ],
    turn('r2', 't2', 'k4', 'k5', 1),
  );
  expect(said(bench.bySource('t1'))).toHaveLength(3);
  expect(said(bench.bySource('t2'))).toEqual(['user: Or?', 'assistant: No.']);
  expect(bench.bySource('t2').metadata.parent).toBe('t1');
});

it('names fragments and attachments of older rows, and reads their times as UTC', async () => {
  const bench = await imported(
    ...[OLD, `INSERT INTO conversations VALUES ('c', 'Shed', 'm');`],
    `INSERT INTO responses VALUES ('r1', 'm', '', NULL, 'So.', 'c', '2026-01-10T10:00:00.123456');`,
    `INSERT INTO fragments VALUES (7, 'x', 'A long text.', NULL);`,
    `INSERT INTO prompt_fragments VALUES ('r1', 7, 0);`,
    `INSERT INTO attachments VALUES ('a1', 'application/pdf', NULL, 'https://a.example/b.pdf', NULL);`,
    `INSERT INTO prompt_attachments VALUES ('r1', 'a1', 0);`,
  );
  const made = bench.bySource('c');
  expect(said(made)).toEqual([
    'user: A long text.\n\n[file: https://a.example/b.pdf]',
    'assistant: So.',
  ]);
  expect(made.createdAt).toBe('2026-01-10T10:00:00.123Z');
});

it('imports the text after a NUL character', async () => {
  const old = await imported(
    ...[OLD, `INSERT INTO conversations VALUES ('c', 'Shed', 'm');`],
    `INSERT INTO responses VALUES ('r1', 'm', 'a'||char(0)||'b', 's'||char(0), char(0)||'c', 'c', '2026-01-10T10:00:00');`,
    `INSERT INTO fragments VALUES (7, 'x', 'f'||char(0)||'g', NULL);`,
    `INSERT INTO prompt_fragments VALUES ('r1', 7, 0);`,
  );
  expect(said(old.bySource('c'))).toEqual(['system: s\0', 'user: f\0g\n\na\0b', 'assistant: \0c']);
  const bench = await imported(
    ...[NEW, thread('t1'), ...FIRST, turn('r1', 't1', 'h2', 'h3', 0)],
    `UPDATE parts SET text = text||char(0)||'é' WHERE type = 'text';`,
  );
  expect(said(bench.bySource('t1'))[1]).toBe('user: How?\0é');
});
