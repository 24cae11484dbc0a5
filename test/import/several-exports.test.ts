/** Several exports in one folder or archive: each is imported or reported. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openBench as openExportBench } from '../exchange/bench.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';
import { zipOf } from '../support/zip.js';
import { fileWith, folderWith, lines, openImportBench } from './bench.js';
import { DATABASE_SAMPLES, databaseAt, TEXT_SAMPLES } from './samples.js';

const databaseOf = (kind: string) =>
  readFileSync(databaseAt(join(tempFolder(), 'a.db'), DATABASE_SAMPLES[kind] ?? {}));
const CHATGPT = [
  {
    id: 'x1',
    mapping: {
      a: { id: 'a', message: { author: { role: 'user' }, content: { parts: ['one'] } } },
    },
  },
];
const CLAUDE = [
  { uuid: 'c1', name: 'C', chat_messages: [{ uuid: 'm', sender: 'human', text: 'hi' }] },
];
const CODEX = TEXT_SAMPLES['codex/rollout-1-s.jsonl'] ?? '';
const zipped = (name: string, content: unknown) =>
  zipOf([{ name, content: JSON.stringify(content) }]);
const archiveOf = (files: Readonly<Record<string, string | Uint8Array>>) =>
  zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));

const message = (uuid: string, text: string) => ({ uuid, sender: 'human', text });
const claude = (uuid: string, ...messages: readonly object[]) => ({
  uuid,
  name: uuid,
  created_at: '2025-01-24T13:20:00Z',
  chat_messages: messages,
});

describe('a dry run of an older and a newer export', () => {
  const [one, two, three] = [message('m1', 'one'), message('m2', 'two'), message('m3', 'three')];
  const older = zipped('conversations.json', [claude('c1', one)]);
  const newer = zipped('conversations.json', [claude('c1', one, two), claude('c2', three)]);

  it.each([
    ['older', { 'a.zip': older, 'b.zip': newer }],
    ['newer', { 'a.zip': newer, 'b.zip': older }],
  ])('counts each conversation once if the first is the %s one', async (_, files) => {
    const bench = await openImportBench();
    const path = folderWith(files);
    const planned = await bench.import(path, { dryRun: true });
    expect(planned).toMatchObject({ added: 2, messages: 3, skipped: 0 });
    const { added, messages } = await bench.import(path);
    expect({ added, messages }).toEqual({ added: planned.added, messages: planned.messages });
  });
});

describe('a folder with several exports', () => {
  it.each([
    ['two SQLite files', () => ({ 'a.db': databaseOf('mnemosyne'), 'b.db': databaseOf('llm') })],
    [
      'an export with an SQLite file in a subfolder',
      () => ({ 'conversations.json': JSON.stringify(CHATGPT), 'old/b.db': databaseOf('llm') }),
    ],
    [
      'folders of ChatGPT and Claude.ai',
      () => ({
        'a/conversations.json': JSON.stringify(CHATGPT),
        'b/conversations.json': JSON.stringify(CLAUDE),
      }),
    ],
    [
      'folders of Claude.ai and Codex',
      () => ({
        'a/conversations.json': JSON.stringify(CLAUDE),
        'b/sessions/rollout-1-s.jsonl': CODEX,
      }),
    ],
  ])('is imported completely: %s', async (_what, files) => {
    for (const path of [folderWith(files()), fileWith(archiveOf(files()), 'a.zip')]) {
      const bench = await openImportBench();
      const report = await bench.import(path);
      expect(report).toMatchObject({ added: 2, skipped: 0, problems: [] });
      expect(report.sources).toHaveLength(2);
      const before = bench.hash();
      expect(await bench.import(path)).toMatchObject({ added: 0, unchanged: 2 });
      expect(bench.hash()).toBe(before);
    }
  });

  it('can have archives in subfolders, also with Japanese names', async () => {
    const bench = await openImportBench();
    const path = folderWith({
      '2025/chatgpt.zip': zipped('conversations.json', CHATGPT),
      '\u4f1a\u8a71/claude.zip': zipped('conversations.json', CLAUDE),
    });
    expect(await bench.import(path)).toMatchObject({ added: 2, problems: [] });
  });
});

it('the backups, versions and settings of a store are not reported as exports', async () => {
  const chat = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] });
  const folder = 'conversation-logs/20250124-1737730800123';
  const files = {
    [`${folder}/conversation.json`]: chat,
    [`${folder}/versions/0001.20250125T000000000Z.edit.json`]: chat,
    'backups/daybook-20250125T000000Z-1f0c2a9b.tar.gz': 'an archive',
    'memory-bank/settings.json': chat,
  };
  for (const path of [folderWith(files), fileWith(archiveOf(files), 'a.zip')]) {
    const report = await (await openImportBench()).import(path);
    expect(report).toMatchObject({ added: 1, problems: [] });
  }
});

it('files in subfolders that are not read are reported', async () => {
  const chat = JSON.stringify({ messages: [{ role: 'user', content: 'hi' }] });
  const files = {
    'conversations.json': JSON.stringify(CHATGPT),
    'old/a.json': chat,
    'old/b.json': JSON.stringify(CHATGPT),
    'old/memory.jsonl': TEXT_SAMPLES['server-memory/memory.jsonl'] ?? '',
    'old/z.jsonl': chat,
    'old/settings.json': '{"theme":"dark"}',
  };
  const message = expect.stringContaining('old/a.json, old/b.json, old/memory.jsonl and 1 more');
  const problems = [{ path: 'old/a.json', code: 'VALIDATION_ERROR', message }];
  for (const path of [folderWith(files), fileWith(archiveOf(files), 'a.zip')]) {
    const bench = await openImportBench();
    expect(await bench.import(path)).toMatchObject({ added: 1, problems });
  }
  const folder = folderWith({
    'a.zip': zipped('conversations.json', CLAUDE),
    'old/memory.jsonl': files['old/memory.jsonl'],
  });
  const bench = await openImportBench();
  const found = await bench.import(folder);
  expect(found).toMatchObject({ added: 1, problems: [{ path: 'old/memory.jsonl' }] });
});

it('exports of other programs beside files of a general format are reported', async () => {
  const chat = { messages: [{ role: 'user', content: 'hi' }] };
  const general = [
    JSON.stringify(chat),
    TEXT_SAMPLES['librechat/a.json'] ?? '',
    TEXT_SAMPLES['mem0/a.json'] ?? '',
  ];
  for (const content of general) {
    const folder = folderWith({
      'a.json': content,
      'chats.json': JSON.stringify(CHATGPT),
      'old/talks.json': JSON.stringify(CLAUDE),
      'settings.json': '{"theme":"dark"}',
    });
    const bench = await openImportBench();
    const { problems, sources } = await bench.import(folder);
    expect(sources).toHaveLength(1);
    expect(problems.map(({ message }) => message).sort()).toEqual([
      expect.stringMatching(/^Not imported, .*: old\/talks\.json\./),
      expect.stringMatching(/^chats\.json has the format of ChatGPT export\. It was not imported/),
    ]);
  }
});

it('an archive inside an archive is reported', async () => {
  const bench = await openImportBench();
  const inner = { name: 'inner.zip', content: zipped('conversations.json', CLAUDE) };
  const path = fileWith(zipOf([inner]), 'a.zip');
  const error = await errorOf(bench.import(path));
  expect(error).toMatchObject({ code: 'VALIDATION_ERROR', hint: expect.stringMatching(/unpack/i) });
  expect(error.message).toContain('inner.zip');
  const folder = folderWith({ 'a.zip': zipOf([inner]), 'memory.jsonl': lines({ messages: [] }) });
  expect((await errorOf(bench.import(folder))).message).toContain('inner.zip');
  const others = folderWith({ 'a.zip': zipOf([inner]), 'b.zip': inner.content });
  expect(await bench.import(others)).toMatchObject({
    added: 1,
    problems: [{ path: join(others, 'a.zip'), code: 'VALIDATION_ERROR' }],
  });
});

it('a list in an archive of a folder is reported if it is cut off', async () => {
  const bench = await openImportBench();
  const cut = zipOf([{ name: 'conversations.json', content: '[{"id": "x1", "map' }]);
  const path = folderWith({ 'a.zip': cut, 'b.zip': zipped('conversations.json', CLAUDE) });
  expect(await bench.import(path)).toMatchObject({
    added: 1,
    problems: [{ path: join(path, 'a.zip'), message: expect.stringContaining('complete?') }],
  });
});

it('an archive whose paths have backslashes, as from Windows PowerShell, is read', async () => {
  const path = fileWith(
    archiveOf({
      'export\\a\\conversations.json': JSON.stringify(CHATGPT),
      'export\\b\\conversations.json': JSON.stringify(CLAUDE),
    }),
    'a.zip',
  );
  const bench = await openImportBench();
  expect(await bench.import(path)).toMatchObject({ added: 2, problems: [] });
});

it('an archive of another format is reported', async () => {
  const tar = Buffer.from([0x1f, 0x8b, 8, 0]);
  const bench = await openImportBench();
  const error = await errorOf(bench.importText(tar, 'takeout.tgz'));
  expect(error).toMatchObject({ hint: expect.stringContaining('Unpack takeout.tgz') });
  const folder = folderWith({ 'conversations.json': CLAUDE, 'takeout.tgz': tar });
  expect(await bench.import(folder)).toMatchObject({
    added: 1,
    problems: [{ path: 'takeout.tgz', code: 'VALIDATION_ERROR' }],
  });
});

it.each([
  ['json', 'all.json'],
  ['jsonl', 'all.jsonl'],
  ['openai', 'all.openai.jsonl'],
] as const)('an export of Daybook in a folder or an archive is imported unchanged: %s', async (form, name) => {
  const there = await openExportBench();
  const made = { clientId: 'key', title: 'Shed', metadata: { a: 1 } };
  await there.store.create(made);
  await there.store.append('key', [{ role: 'user', content: 'Why?' }]);
  const text = await there.exported(form);
  const line = { messages: [{ role: 'user', content: 'of another program' }] };
  for (const [input, count] of [
    [folderWith({ [name]: text }), 1],
    [fileWith(zipOf([{ name, content: text }]), 'all.zip'), 1],
    [
      folderWith({
        [name]: text,
        'other.zip': zipOf([{ name: 'a.json', content: JSON.stringify(line) }]),
      }),
      2,
    ],
  ] as const) {
    const bench = await openImportBench();
    expect(await bench.import(input)).toMatchObject({ added: count, problems: [] });
    const [id = ''] = there.folders();
    expect(bench.textOf(id)).toBe(there.textOf(id));
  }
});

it('a file of another program is reported if an archive also has an export of Daybook', async () => {
  const there = await openExportBench();
  await there.store.create({ clientId: 'key' });
  await there.store.append('key', [{ role: 'user', content: 'Why?' }]);
  const line = { messages: [{ role: 'user', content: 'of another program' }] };
  const files = [
    { name: 'all.jsonl', content: await there.exported('jsonl') },
    { name: 'chat.json', content: JSON.stringify(line) },
  ];
  const bench = await openImportBench();
  const { added, problems } = await bench.import(fileWith(zipOf(files), 'all.zip'));
  expect(added).toBe(1);
  expect(problems.map(({ path }) => path)).toEqual(['chat.json']);
});

it('problems of several paths are reported with whole paths', async () => {
  const [name, content] = ['sessions/rollout-1-s.jsonl', `${CODEX}no JSON\n`];
  const log = folderWith({ [name]: content });
  const zip = fileWith(archiveOf({ [name]: content }), 'all.zip');
  const file = fileWith(content, 'rollout-1-s.jsonl');
  const places = [join(log, name), `${zip}: ${name}`, file];
  const bench = await openImportBench();
  const report = await bench.import([log, zip, file]);
  expect(report.problems.map(({ path }) => path)).toEqual(places);
  const found = await bench.import(log, { areFound: true });
  expect(found.problems.map(({ path }) => path)).toEqual(places.slice(0, 1));
});

it('an archive with only a file that is an export by itself gets the advice to unpack it', async () => {
  const bench = await openImportBench();
  const chats = [{ id: 'o', chat: { messages: [{ role: 'user', content: 'one' }] } }];
  const path = fileWith(zipped('chats.json', chats), 'chats.zip');
  const error = await errorOf(bench.import(path));
  expect(error).toMatchObject({
    code: 'VALIDATION_ERROR',
    hint: expect.stringContaining(`Unpack ${path}, then import the folder.`),
  });
});
