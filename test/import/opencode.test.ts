/** Sessions of OpenCode in its SQLite file. */
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { openImportBench, said } from './bench.js';
import { databaseAt } from './samples.js';

const AT = Date.UTC(2026, 1, 3, 10);
const session = (id: string, more: Record<string, string | number | null> = {}) => ({
  id,
  parent_id: null,
  directory: '/home/ada/shed',
  title: `About ${id}`,
  time_created: AT,
  time_updated: AT + 1000,
  time_archived: null,
  revert: null,
  ...more,
});
const message = (id: string, of: string, data: object | string) => ({
  id,
  session_id: of,
  time_created: AT,
  data: typeof data === 'string' ? data : JSON.stringify(data),
});
const user = { role: 'user', time: { created: AT } };
const assistant = {
  role: 'assistant',
  modelID: 'claude-5',
  time: { created: AT, completed: AT + 5000 },
  tokens: { input: 7, output: 9, reasoning: 0, cache: { read: 3, write: 0 } },
};
let count = 0;
const part = (of: string, data: object) => {
  count += 1;
  return {
    id: `part${String(count).padStart(3, '0')}`,
    message_id: of,
    data: JSON.stringify(data),
  };
};
const text = (of: string, value: string, more: object = {}) =>
  part(of, { type: 'text', text: value, ...more });

it('a session has its messages in order, with thinking, calls of tools, files and the folder', async () => {
  const path = databaseAt(join(tempFolder(), 'opencode.db'), {
    session: [session('s1'), session('s2', { title: 'New session - 2026-02-03T10:00:00.000Z' })],
    message: [
      message('m1', 's1', user),
      message('m2', 's1', assistant),
      message('m3', 's1', assistant),
      message('m4', 's1', { ...assistant, summary: true }),
      message('m5', 's1', '{ damaged'),
    ],
    part: [
      text('m1', 'Build a shed'),
      text('m1', '<system>', { synthetic: true }),
      part('m1', {
        type: 'file',
        mime: 'image/png',
        filename: 'plan.png',
        url: 'data:image/png;base64,AA',
      }),
      part('m2', { type: 'step-start' }),
      part('m2', { type: 'reasoning', text: 'First look.' }),
      part('m2', {
        type: 'tool',
        tool: 'bash',
        callID: 'c',
        state: { status: 'error', input: { command: 'ls' }, error: 'No boards' },
      }),
      text('m3', 'Done.'),
      text('m3', '完了'),
      part('m3', { type: 'hologram' }),
      text('m4', 'So far: a shed'),
    ],
  });
  const bench = await openImportBench();
  const report = await bench.import(path);
  expect(report).toMatchObject({
    sources: [{ kind: 'opencode' }],
    added: 1,
    problems: [{ record: 'session s1, message m5', code: 'CORRUPT' }],
    leftOut: { compactions: 1, 'injected context': 1, 'parts of an unknown type': 1 },
  });
  const stored = bench.bySource('s1');
  expect(said(stored)).toEqual([
    'user: Build a shed\n\n[image: plan.png]',
    'assistant: Done.\n\n完了',
  ]);
  expect(stored).toMatchObject({
    title: 'About s1',
    module: 'shed',
    createdAt: '2026-02-03T10:00:00.000Z',
    metadata: { cwd: '/home/ada/shed' },
  });
  expect(stored.messages[1]).toMatchObject({ createdAt: '2026-02-03T10:00:05.000Z' });
  expect(stored.messages[1].metadata).toEqual({
    model: 'claude-5',
    usage: { inputTokens: 7, outputTokens: 9, cacheReadTokens: 3, cacheWriteTokens: 0 },
    thinking: 'First look.',
    tools: [{ name: 'bash', input: '{"command":"ls"}', result: 'No boards', isError: true }],
  });
});

it('subagents name their parent, and messages that the user took back are left out until they are kept', async () => {
  const folder = tempFolder();
  const path = databaseAt(join(folder, 'opencode.db'), {
    session: [
      session('s1', { revert: '{"messageID":"m3"}' }),
      session('s2', { parent_id: 's1', time_archived: AT }),
    ],
    message: [
      ...['m1', 'm3'].map((id) => message(id, 's1', user)),
      ...['m2', 'm4'].map((id) => message(id, 's1', assistant)),
      message('n1', 's2', user),
    ],
    part: ['m1', 'm2', 'm3', 'm4', 'n1'].map((id) => text(id, `Text of ${id}`)),
  });
  const bench = await openImportBench();
  const report = await bench.import(folder);
  expect(report).toMatchObject({ added: 2, problems: [] });
  expect(report.leftOut).toEqual({ 'messages that the user took back': 2 });
  const talk = ['user: Text of m1', 'assistant: Text of m2'];
  expect(said(bench.bySource('s1'))).toEqual(talk);
  expect(bench.bySource('s2')).toMatchObject({
    tags: ['opencode', 'subagent', 'archived'],
    metadata: { parent: 's1' },
  });
  const database = new sqlite.Database(path);
  database.exec('UPDATE session SET revert = NULL');
  database.close();
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 1 });
  const all = [...talk, 'user: Text of m3', 'assistant: Text of m4'];
  expect(said(bench.bySource('s1'))).toEqual(all);
  const before = bench.hash();
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 0 });
  expect(bench.hash()).toBe(before);
});

it('a message of which the user took back only the last parts is imported up to there', async () => {
  const parts = ['One', 'Two', 'Three'].map((each) => text('m2', each));
  const path = databaseAt(join(tempFolder(), 'opencode.db'), {
    session: [session('s1', { revert: JSON.stringify({ messageID: 'm2', partID: parts[2]?.id }) })],
    message: [
      ...['m1', 'm3'].map((id) => message(id, 's1', user)),
      ...['m2', 'm4'].map((id) => message(id, 's1', assistant)),
    ],
    part: [...parts, ...['m1', 'm3', 'm4'].map((id) => text(id, `Text of ${id}`))],
  });
  const bench = await openImportBench();
  const report = await bench.import(path);
  expect(report.leftOut).toEqual({ 'messages that the user took back': 2 });
  expect(said(bench.bySource('s1'))).toEqual(['user: Text of m1', 'assistant: One\n\nTwo']);
});

const message2 = (id: string, of: string, type: string, data: object | string, seq: number) => ({
  ...message(id, of, data),
  type,
  seq,
});
const time = { created: AT, completed: AT + 5000 };
const said2 = (id: string, of: string, text: string, seq: number) =>
  message2(id, of, 'user', { text, time }, seq);
const answered2 = (id: string, of: string, text: string, seq: number) =>
  message2(id, of, 'assistant', { content: [{ type: 'text', text }], time }, seq);

it('sessions of version 2 have their messages in order, with thinking, calls of tools and files', async () => {
  const path = databaseAt(join(tempFolder(), 'opencode.db'), {
    session_v2: [session('s1'), session('s2', { title: null, parent_id: 's1', time_archived: AT })],
    session_message: [
      message2(
        'm3',
        's1',
        'assistant',
        {
          agent: 'build',
          model: { id: 'claude-5', providerID: 'anthropic' },
          content: [
            { type: 'reasoning', text: 'First look.' },
            { type: 'text', text: 'Done.' },
            {
              type: 'tool',
              id: 'c',
              name: 'read',
              state: {
                status: 'completed',
                input: { path: 'a' },
                content: [{ type: 'text', text: 'A' }],
              },
            },
            {
              type: 'tool',
              id: 'd',
              name: 'shell',
              state: { status: 'error', input: { command: 'ls' }, error: { message: 'No boards' } },
            },
          ],
          tokens: { input: 7, output: 9, reasoning: 0, cache: { read: 3, write: 0 } },
          time,
        },
        3,
      ),
      message2('m1', 's1', 'system', { text: 'You build sheds', time }, 1),
      message2(
        'm2',
        's1',
        'user',
        {
          text: 'Build a shed',
          files: [{ uri: 'data:image/png;base64,AA', mime: 'image/png', name: 'plan.png' }],
          time,
        },
        2,
      ),
      message2('m4', 's1', 'model-switched', { model: { id: 'x' }, time }, 4),
      message2('m5', 's1', 'compaction', { status: 'completed', summary: 'A shed', time }, 5),
      message2('m6', 's1', 'shell', { command: 'ls', output: { output: 'boards' }, time }, 6),
      message2('m7', 's1', 'user', '{ damaged', 7),
      message2('m8', 's1', 'hologram', { text: 'x' }, 8),
      said2('n1', 's2', 'Text of n1', 1),
    ],
  });
  const bench = await openImportBench();
  const report = await bench.import(path);
  expect(report).toMatchObject({
    sources: [{ kind: 'opencode' }],
    added: 2,
    problems: [{ record: 'session s1, message m7', code: 'CORRUPT' }],
    leftOut: { compactions: 1, 'injected context': 1, 'of an unknown role': 1 },
  });
  const stored = bench.bySource('s1');
  expect(said(stored)).toEqual(['user: Build a shed\n\n[image: plan.png]', 'assistant: Done.']);
  expect(stored).toMatchObject({ title: 'About s1', module: 'shed' });
  expect(stored.messages[1]).toMatchObject({ createdAt: '2026-02-03T10:00:05.000Z' });
  expect(stored.messages[1].metadata).toEqual({
    model: 'claude-5',
    usage: { inputTokens: 7, outputTokens: 9, cacheReadTokens: 3, cacheWriteTokens: 0 },
    thinking: 'First look.',
    tools: [
      { name: 'read', input: '{"path":"a"}', result: 'A' },
      { name: 'shell', input: '{"command":"ls"}', result: 'No boards', isError: true },
      { name: 'shell', input: '{"command":"ls"}', result: 'boards' },
    ],
  });
  expect(bench.bySource('s2')).toMatchObject({
    tags: ['opencode', 'subagent', 'archived'],
    metadata: { parent: 's1' },
  });
});

it('a session in both versions is imported once, from the version that changed it last', async () => {
  const path = join(tempFolder(), 'opencode.db');
  const version1 = {
    session: ['s1', 's2', 's3'].map((id) => session(id)),
    message: ['s1', 's2', 's3'].flatMap((id) => [
      message(`${id}a`, id, user),
      message(`${id}b`, id, assistant),
    ]),
    part: ['s1', 's2', 's3'].flatMap((id) => [text(`${id}a`, 'Plan'), text(`${id}b`, 'Made')]),
  };
  databaseAt(path, version1);
  const bench = await openImportBench();
  expect(await bench.import(path)).toMatchObject({ added: 3 });
  databaseAt(path, {
    session_v2: [
      session('s1', { time_updated: AT + 9000 }),
      session('s2', { time_updated: AT }),
      session('s4', { revert: '{"messageID":"s4b"}' }),
    ],
    session_message: [
      said2('s1a', 's1', 'Plan', 1),
      answered2('s1b', 's1', 'Made', 2),
      said2('s1c', 's1', 'And a door', 3),
      said2('s2a', 's2', 'Plan', 1),
      said2('s4a', 's4', 'New', 1),
      answered2('s4b', 's4', 'Taken back', 2),
    ],
  });
  expect(await bench.import(path)).toMatchObject({
    added: 1,
    updated: 1,
    unchanged: 2,
    problems: [],
  });
  const both = ['user: Plan', 'assistant: Made'];
  expect(said(bench.bySource('s1'))).toEqual([...both, 'user: And a door']);
  for (const id of ['s2', 's3']) expect(said(bench.bySource(id))).toEqual(both);
  expect(said(bench.bySource('s4'))).toEqual(['user: New']);
  const before = bench.hash();
  await bench.import(path);
  expect(bench.hash()).toBe(before);
});

it('a session of a late version 1 without messages in its usual tables is read from the newer one', async () => {
  const path = databaseAt(join(tempFolder(), 'opencode.db'), {
    session: [session('s1'), session('s2')],
    message: [message('m1', 's1', user)],
    part: [text('m1', 'Usual')],
    session_message: [
      message2('e1', 's1', 'agent-switched', { agent: 'plan', time }, 1),
      said2('e2', 's2', 'Newer', 1),
    ],
  });
  const bench = await openImportBench();
  expect(await bench.import(path)).toMatchObject({ added: 2, problems: [] });
  expect(said(bench.bySource('s1'))).toEqual(['user: Usual']);
  expect(said(bench.bySource('s2'))).toEqual(['user: Newer']);
});
