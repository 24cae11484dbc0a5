/** Chats of Cursor's command line from `store.db`: blobs by digest, a root that lists them. */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { lines, openImportBench, said } from './bench.js';

const ID = '0b9a6c1e-1111-4222-8333-444455556666';
const MESSAGES = [
  { role: 'system', content: 'You are an agent.' },
  { role: 'user', content: '<user_info>\nOS: linux\n</user_info>' },
  { role: 'user', content: [{ type: 'text', text: '<user_query>\nBuild a shed\n</user_query>' }] },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'First look.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'Shell', args: { command: 'ls' } },
    ],
  },
  {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'Shell', result: 'boards' }],
  },
  { role: 'assistant', content: [{ type: 'text', text: 'Done. 完了' }] },
];

type Form = 'hex' | 'json';

/** Texts in `messages` are written as they are. */
function storeAt(path: string, messages: readonly unknown[], form: Form = 'hex'): void {
  mkdirSync(dirname(path), { recursive: true });
  const database = new sqlite.Database(path);
  database.exec('CREATE TABLE blobs (id TEXT PRIMARY KEY, data BLOB)');
  database.exec('CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT)');
  const put = (data: Buffer) => {
    const digest = createHash('sha256').update(data).digest();
    database.run('INSERT OR IGNORE INTO blobs VALUES (?, ?)', [digest.toString('hex'), data]);
    return digest;
  };
  const digests = messages.map((message) =>
    put(Buffer.from(typeof message === 'string' ? message : JSON.stringify(message))),
  );
  // Field 1 for each message; between them fields of other numbers and kinds.
  const others = Buffer.from([0x10, 0xac, 0x02, 0x1d, 1, 2, 3, 4, 0x19, 1, 2, 3, 4, 5, 6, 7, 8]);
  const entries = digests.map((digest) => Buffer.concat([Buffer.from([0x0a, 32]), digest, others]));
  const latestRootBlobId = put(Buffer.concat(entries)).toString('hex');
  const meta = { agentId: ID, latestRootBlobId, name: 'Shed', createdAt: 1770112800000 };
  const text = JSON.stringify(meta);
  const value = form === 'hex' ? Buffer.from(text).toString('hex') : text;
  database.run('INSERT INTO meta VALUES (?, ?)', ['0', value]);
  database.close();
}

const chatIn = (folder: string) => join(folder, 'chats', 'f00', ID, 'store.db');

it.each(['hex', 'json'] as const)('a chat has its messages in order (meta as %s)', async (form) => {
  const bench = await openImportBench();
  const folder = tempFolder();
  storeAt(chatIn(folder), MESSAGES, form);
  const report = await bench.import(folder);
  expect(report).toMatchObject({ sources: [{ kind: 'cursor-cli' }], added: 1, problems: [] });
  expect(report.leftOut).toEqual({ 'injected context': 2 });
  const chat = bench.bySource(ID);
  expect(said(chat)).toEqual(['user: Build a shed', 'assistant: Done. 完了']);
  expect(chat).toMatchObject({ title: 'Shed', createdAt: '2026-02-03T10:00:00.000Z' });
  expect(chat.messages[1].metadata).toEqual({
    tools: [{ name: 'Shell', input: '{"command":"ls"}', result: 'boards' }],
    thinking: 'First look.',
  });
  const before = bench.hash();
  await bench.import(chatIn(folder));
  expect(bench.hash()).toBe(before);
});

it('a chat is imported once if it has a transcript too, in either order', async () => {
  const bench = await openImportBench();
  const folder = tempFolder();
  storeAt(chatIn(folder), MESSAGES);
  const transcript = join(folder, 'projects/home-x/agent-transcripts', ID, `${ID}.jsonl`);
  const line = (role: string, text: string) => ({
    role,
    message: { content: [{ type: 'text', text }] },
  });
  mkdirSync(dirname(transcript), { recursive: true });
  writeFileSync(
    transcript,
    lines(
      line('user', '<user_query>Build a shed</user_query>'),
      line('assistant', 'Done. 完了'),
      line('user', '<user_query>And a roof</user_query>'),
    ),
  );
  await bench.import(join(folder, 'chats'));
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 1, problems: [] });
  expect(said(bench.bySource(ID))).toEqual([
    ...['user: Build a shed', 'assistant: Done. 完了', 'user: And a roof'],
  ]);
  expect(await bench.import(join(folder, 'chats'))).toMatchObject({ unchanged: 1, updated: 0 });
  expect(bench.folders()).toHaveLength(1);
});

it('a chat whose blobs have another form is reported', async () => {
  const bench = await openImportBench();
  const folder = tempFolder();
  storeAt(chatIn(folder), ['\u0012 sealed', '{"no":"role"}']);
  const report = await bench.import(folder);
  expect(report).toMatchObject({ added: 0, skipped: 1, problems: [{ record: `chat ${ID}` }] });
});
