/** What Cursor stores: databases of its editor, old and new, and transcripts of its command line. */
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, it } from 'vitest';
import { tempFolder } from '../support/temp-folder.js';
import { counts, folderWith, lines, openImportBench, said } from './bench.js';

const ID = '55555555-ffff-4fff-8fff-000000000001';
const CHILD = '55555555-ffff-4fff-8fff-000000000002';
const SAID = ['user: Build a shed', 'assistant: Done.'];
const line = (role: string, ...content: readonly object[]) => ({ role, message: { content } });
const text = (words: string) => ({ type: 'text', text: words });
const transcript = (query: string, answer: string) =>
  lines(
    line('user', text(`<user_query>\n${query}\n</user_query>`)),
    line('assistant', text(answer)),
  );

describe('transcripts of the command line', () => {
  it('are imported without times', async () => {
    const bench = await openImportBench();
    const content = lines(
      line('user', text('<x>ctx</x><user_query>\nBuild a shed\n</user_query>')),
      line('assistant', { type: 'tool_use', name: 'ls', input: {} }, text('Done.')),
      { type: 'status', status: 'finished' },
    );
    const report = await bench.import(
      folderWith({
        [`home-ada-shed/agent-transcripts/${ID}/${ID}.jsonl`]: content,
        'home-ada-shed/agent-transcripts/0a/0a.jsonl': '',
        'home-ada-shed/agent-transcripts/0b/0b.jsonl': '',
        'home-ada-shed/agent-transcripts/0c/0c.jsonl': '',
      }),
    );
    expect(report).toMatchObject({ sources: [{ kind: 'cursor-cli' }], added: 1, problems: [] });
    const made = bench.bySource(ID);
    expect(said(made)).toEqual(SAID);
    expect(made.metadata.source.times).toBe('file');
    expect(made).toMatchObject({ module: 'home-ada-shed', tags: ['cursor-cli'] });
  });

  it('of subagents name their parent, and a conversation in two files is imported once', async () => {
    const bench = await openImportBench();
    const folder = 'home-ada-shed/agent-transcripts';
    const files = {
      [`${folder}/${ID}/${ID}.jsonl`]: transcript('Build a shed', 'Done.'),
      [`${folder}/${ID}/subagents/${CHILD}.jsonl`]: transcript('Find planks', 'Found.'),
      [`${folder}/${ID}/subagents/${CHILD}.txt`]: 'user:\nold\n',
      [`${folder}/other/subagents/${ID}.jsonl`]: transcript('a copy', 'of the parent'),
    };
    expect(counts(await bench.import(folderWith(files)))).toMatchObject({ added: 2, skipped: 0 });
    expect(said(bench.bySource(ID))).toEqual(SAID);
    const child = bench.bySource(CHILD);
    expect(said(child)).toEqual(['user: Find planks', 'assistant: Found.']);
    expect(child).toMatchObject({ metadata: { parent: ID }, tags: ['cursor-cli', 'subagent'] });
  });

  it('in plain text are imported, and other text files are reported', async () => {
    const bench = await openImportBench();
    const plain = [
      ...['user:', '<user_query>', 'Build a shed', 'user: with a door', '</user_query>', ''],
      ...['assistant:', '[Thinking] Hm', '[Tool call] ls', '  path: .', '', '[Tool result] ls'],
      ...['  files', '', 'Done.', '', '  indented', ''],
    ].join('\n');
    const name = `home-ada-shed/agent-transcripts/${ID}.txt`;
    const folder = folderWith({
      [name]: plain,
      'home-ada-shed/agent-transcripts/other.txt': 'notes of mine',
      'home-ada-shed/agent-transcripts/empty.txt': '\n',
    });
    const report = await bench.import(folder);
    expect(report.problems).toMatchObject([
      { path: 'home-ada-shed/agent-transcripts/other.txt', code: 'CORRUPT' },
    ]);
    expect(counts(report)).toMatchObject({ added: 1, skipped: 2 });
    const made = bench.bySource(ID);
    expect(said(made)).toEqual([
      'user: Build a shed\nuser: with a door',
      'assistant: Done.\n\n  indented',
    ]);
    expect(made.messages[1].metadata).toEqual({
      tools: [{ name: 'ls', input: 'path: .', result: 'files' }],
      thinking: 'Hm',
    });
    const before = bench.hash();
    expect(counts(await bench.import(join(folder, name)))).toMatchObject({ unchanged: 1 });
    expect(bench.hash()).toBe(before);
  });
});

it('a line of the user that looks like the name of a speaker does not end a message', async () => {
  const bench = await openImportBench();
  const text = [
    ...['user:', '<user_query>a</user_query> <user_query>Explain', 'user:', 'x', 'assistant:', 'y'],
    ...['</user_query>', 'assistant:', 'Use <user_query>.', 'user:', '<user_query>', 'ok'],
    ...['</user_query>', 'assistant:', 'Fine.'],
  ].join('\r\n');
  await bench.import(folderWith({ [`shed/agent-transcripts/${ID}.txt`]: text }));
  expect(said(bench.bySource(ID))).toEqual([
    'user: a\n\nExplain\nuser:\nx\nassistant:\ny',
    'assistant: Use <user_query>.',
    'user: ok',
    'assistant: Fine.',
  ]);
});

type Rows = Readonly<Record<string, unknown>>;

/** Texts are written as they are. */
function databaseAt(path: string, tables: Readonly<Record<string, Rows>>): string {
  mkdirSync(dirname(path), { recursive: true });
  const database = new sqlite.Database(path);
  for (const [table, rows] of Object.entries(tables)) {
    database.exec(`CREATE TABLE ${table} (key TEXT UNIQUE, value BLOB)`);
    for (const [key, value] of Object.entries(rows)) {
      const isRaw = typeof value === 'string' || value === null;
      database.run(`INSERT INTO ${table} VALUES (?, ?)`, [
        key,
        isRaw ? value : JSON.stringify(value),
      ]);
    }
  }
  database.close();
  return path;
}

describe('the database of the editor', () => {
  it('has images in its text, also in a message without words', async () => {
    const [plan, wall] = [{ path: '/pictures/plan.png' }, { path: '/pictures/wall.png' }];
    const path = databaseAt(join(tempFolder(), 'state.vscdb'), {
      cursorDiskKV: {
        [`composerData:${ID}`]: {
          fullConversationHeadersOnly: ['b1', 'b2'].map((bubbleId) => ({ bubbleId, type: 1 })),
        },
        [`bubbleId:${ID}:b1`]: { type: 1, text: 'Build this', images: [plan] },
        [`bubbleId:${ID}:b2`]: {
          type: 1,
          text: '',
          images: [wall],
          context: { selectedImages: [wall, plan] },
        },
      },
    });
    const bench = await openImportBench();
    await bench.import(path);
    expect(said(bench.bySource(ID))).toEqual([
      'user: Build this\n\n[image: /pictures/plan.png]',
      'user: [image: /pictures/wall.png]\n\n[image: /pictures/plan.png]',
    ]);
  });

  it('is imported, and each damaged or missing record is reported', async () => {
    const headers = [
      { bubbleId: 'b1', type: 1 },
      { bubbleId: 'gone', type: 2 },
      { bubbleId: 'torn', type: 2 },
      { bubbleId: 'b2', type: 2 },
    ];
    const path = databaseAt(join(tempFolder(), 'state.vscdb'), {
      cursorDiskKV: {
        [`composerData:${ID}`]: {
          name: 'Shed',
          createdAt: 1770112800000,
          fullConversationHeadersOnly: headers,
        },
        [`bubbleId:${ID}:b1`]: { type: 1, text: 'Build a shed', createdAt: '2026-02-03T10:00:01Z' },
        [`bubbleId:${ID}:b2`]: {
          type: 2,
          text: 'Done.',
          toolFormerData: { name: 'ls', rawArgs: '{}', result: 'files' },
        },
        [`bubbleId:${ID}:torn`]: '{"type": 2, "te',
        'composerData:broken': '{"name": ',
        'composerData:deleted': null,
        'composerData:empty': { fullConversationHeadersOnly: [] },
      },
      ItemTable: { 'workbench.view': '{}' },
    });
    const bench = await openImportBench();
    const report = await bench.import(path);
    expect(report.sources).toMatchObject([{ kind: 'cursor' }]);
    expect(said(bench.bySource(ID))).toEqual(SAID);
    expect(bench.folders()).toHaveLength(1);
    expect(report.problems).toEqual(
      [`composer ${ID}, bubble gone`, `composer ${ID}, bubble torn`, 'composer broken'].map(
        (record) => ({
          path: 'state.vscdb',
          record,
          code: 'CORRUPT',
          message: expect.stringContaining(record),
        }),
      ),
    );
    expect(counts(report)).toMatchObject({ added: 1, skipped: 1 });
  });

  const CHATS = 'workbench.panel.aichat.view.aichat.chatdata';
  const tab = {
    tabId: ID,
    chatTitle: 'Shed',
    lastSendTime: 1700000000000,
    bubbles: [
      { type: 'user', id: 'u1', text: 'Build a shed' },
      { type: 'ai', id: 'a1', rawText: 'Done.', modelType: 'gpt-4' },
      { type: 'debug', text: 'x' },
    ],
  };
  const prompts = [{ text: 'Build a shed', commandType: 4 }, { text: 'And a roof' }, { text: 7 }];

  it('from before composers has its chats, and prompts without a chat', async () => {
    const folder = tempFolder();
    const path = databaseAt(join(folder, 'workspaceStorage', 'f00', 'state.vscdb'), {
      ItemTable: { [CHATS]: { tabs: [tab, { bubbles: [] }] }, 'aiService.prompts': prompts },
    });
    const bench = await openImportBench();
    const report = await bench.import(folder);
    expect(report).toMatchObject({ sources: [{ kind: 'cursor' }], added: 2 });
    expect(report.problems).toMatchObject([{ record: 'chat [1]', code: 'CORRUPT' }]);
    expect(report.leftOut).toMatchObject({ 'of an unknown role': 1 });
    const made = bench.bySource(ID);
    expect(said(made)).toEqual(SAID);
    expect(made).toMatchObject({ title: 'Shed', createdAt: '2023-11-14T22:13:20.000Z' });
    expect(made.messages[1].metadata).toEqual({ model: 'gpt-4' });
    const left = bench.bySource('prompts:f00');
    expect(said(left)).toEqual(['user: And a roof']);
    expect(left.tags).toEqual(['cursor', 'prompts']);
    const before = bench.hash();
    expect(await bench.import(path)).toMatchObject({ added: 0, unchanged: 2 });
    expect(bench.hash()).toBe(before);
  });

  it('has no prompts whose chats are in newer files, and damaged rows are reported', async () => {
    const rows = (more: Rows) =>
      databaseAt(join(tempFolder(), 'state.vscdb'), { ItemTable: { [CHATS]: '{"tabs"', ...more } });
    const bench = await openImportBench();
    const newer = { 'aiService.prompts': prompts, 'composer.composerData': { allComposers: [] } };
    const named = { problems: [{ path: 'state.vscdb', record: CHATS, code: 'CORRUPT' }] };
    expect(await bench.import(rows(newer))).toMatchObject({ added: 0, ...named });
    const torn = await bench.import(rows({ 'aiService.prompts': '[{' }));
    expect(torn.problems.map(({ record }) => record)).toEqual([CHATS, 'aiService.prompts']);
    expect(bench.folders()).toEqual([]);
  });
});
