/**
 * `--attachments`: copies files of an export into the folder of the conversation that names them, and
 * replaces no file.
 */
import {
  existsSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runImport } from '../../src/import/run-import.js';
import { zipOf } from '../support/zip.js';
import { counts, fileWith, folderWith, openImportBench, said } from './bench.js';

const message = (id: string, files: readonly object[], parts: readonly unknown[]) => ({
  id,
  author: { role: 'user' },
  create_time: 1737724800,
  content: { content_type: 'multimodal_text', parts },
  metadata: { attachments: files },
});
const picture = (id: string) => ({
  content_type: 'image_asset_pointer',
  asset_pointer: `file-service://${id}`,
});

/** A conversation with a picture, and with a branch that has another one. */
const CONVERSATIONS = [
  {
    id: 'with-pictures',
    title: 'Pictures',
    current_node: 'b',
    mapping: {
      a: { parent: null, message: message('a', [], ['look', picture('file-Cat1')]) },
      b: { parent: 'a', message: message('b', [{ id: 'file-Doc2', name: 'plan.pdf' }], ['and']) },
      c: { parent: 'a', message: message('c', [], ['or', picture('file-Dog3')]) },
      d: { parent: 'b', message: null },
    },
  },
  { id: 'plain', mapping: { p: { parent: null, message: message('p', [], ['no files']) } } },
];
const FILES = {
  'file-Cat1-cat.png': 'cat',
  'files/file-Doc2-plan.pdf': 'plan',
  'file-Dog3-dog.png': 'dog',
  'file-Other9.png': 'named by nobody',
};

type Bench = Awaited<ReturnType<typeof openImportBench>>;
const copied = (bench: Bench, id: string) => {
  const folder = join(bench.logsFolder, bench.bySource(id).conversationId, 'attachments');
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), 'utf8')]));
};

it.each([
  'folder',
  'zip',
])('copies each file that a conversation of a %s mentions once', async (form) => {
  const bench = await openImportBench();
  const all = { 'conversations.json': JSON.stringify(CONVERSATIONS), ...FILES };
  const entries = Object.entries(all).map(([name, content]) => ({ name, content }));
  const path = form === 'zip' ? fileWith(zipOf(entries), 'export.zip') : folderWith(all);
  const plan = await bench.import(path, { attachments: true, dryRun: true });
  expect(plan.attachments).toBe(3);
  expect((await bench.import(path)).attachments).toBe(0);
  expect(copied(bench, 'with-pictures')).toEqual({});
  const report = await bench.import(path, { attachments: true });
  expect([counts(report).unchanged, report.attachments, report.problems]).toEqual([3, 3, []]);
  expect(copied(bench, 'with-pictures')).toEqual({
    'file-Cat1-cat.png': 'cat',
    'files/file-Doc2-plan.pdf': 'plan',
  });
  expect(copied(bench, 'with-pictures:c')).toEqual({ 'file-Dog3-dog.png': 'dog' });
  expect(copied(bench, 'plain')).toEqual({});
  expect(said(bench.bySource('with-pictures'))).toEqual([
    'user: look\n\n[image: file-Cat1-cat.png]',
    'user: and\n\n[file: plan.pdf (files/file-Doc2-plan.pdf)]',
  ]);
  const before = bench.hash();
  expect((await bench.import(path, { attachments: true })).attachments).toBe(0);
  expect(bench.hash()).toBe(before);
});

it('gives safe names to files with unsafe ones, replaces no file, and follows no link', async () => {
  const bench = await openImportBench();
  const path = folderWith({
    'conversations.json': CONVERSATIONS,
    'file-Cat1:cat?.png': 'cat',
    '.git/file-Doc2.pdf': 'passed over',
    'con/file-Doc2.pdf': 'plan',
  });
  symlinkSync('/etc/passwd', join(path, 'file-Dog3.png'));
  await bench.import(path, { attachments: true });
  expect(copied(bench, 'with-pictures')).toEqual({
    'con-/file-Doc2.pdf': 'plan',
    'file-Cat1-cat-.png': 'cat',
  });
  expect(copied(bench, 'with-pictures:c')).toEqual({});
  const id = bench.bySource('with-pictures').conversationId;
  const mine = join(bench.logsFolder, id, 'attachments', 'con-', 'file-Doc2.pdf');
  writeFileSync(mine, 'my notes about the plan');
  const report = await bench.import(path, { attachments: true });
  expect(report.attachments).toBe(0);
  expect(report.problems.map(({ code, path: name }) => [code, name])).toEqual([
    ['ALREADY_EXISTS', 'con/file-Doc2.pdf'],
    ['PATH_ESCAPE', 'file-Dog3.png'],
  ]);
  expect(readFileSync(mine, 'utf8')).toBe('my notes about the plan');
});

it.each([
  ['file-Cat1-my%20cat.png', 'file-Cat1-my-20cat.png'],
  ['file-Cat1-図：1.png', 'file-Cat1-図-1.png'],
])('stores %s under a name with which a backup restores it', async (name, stored) => {
  const bench = await openImportBench();
  const path = folderWith({ 'conversations.json': CONVERSATIONS, [name]: 'cat' });
  await bench.import(path, { attachments: true });
  expect(copied(bench, 'with-pictures')).toEqual({ [stored]: 'cat' });
});

it('copies the files beside the activity of Gemini Apps', async () => {
  const bench = await openImportBench();
  const record = {
    header: 'Gemini Apps',
    title: 'Prompted What is it?',
    time: '2025-01-24T13:20:00.000Z',
    attachedFiles: ['photo-12.jpg', { name: 'missing.jpg' }],
  };
  const path = folderWith({
    'Gemini Apps/MyActivity.json': [record],
    'Gemini Apps/photo-12.jpg': 'photo',
    'photo-12.jpg': 'another folder',
  });
  await bench.import(path, { attachments: true });
  expect(copied(bench, '2025-01-24T13:20:00.000Z:1')).toEqual({
    'Gemini Apps/photo-12.jpg': 'photo',
  });
});

const IMAGE = Buffer.from('a small cat');
const base64 = (media_type: string, bytes: Buffer) => ({
  type: 'image',
  source: { type: 'base64', media_type, data: bytes.toString('base64') },
});
const codeLine = (uuid: string, parentUuid: string | null, type: string, content: unknown) => ({
  uuid,
  parentUuid,
  type,
  sessionId: 'cccccccc-0000-4000-8000-000000000001',
  cwd: '/shed',
  timestamp: `2026-01-02T10:00:0${uuid.at(-1)}.000Z`,
  message: { role: type, content },
});
const uuidOf = (at: number) => `dddddddd-0000-4000-8000-00000000000${at}`;
const SESSION = [
  codeLine(uuidOf(1), null, 'user', [
    { type: 'text', text: 'before' },
    base64('image/png', IMAGE),
    { type: 'text', text: 'after' },
    { type: 'image', source: { type: 'file', path: '/home/ada/.claude/image-cache/2.png' } },
    { type: 'image', source: { type: 'file', path: '/etc/passwd' } },
  ]),
  codeLine(uuidOf(2), uuidOf(1), 'assistant', [
    { type: 'tool_use', id: 't1', name: 'Read', input: {} },
    { type: 'text', text: 'I see.' },
  ]),
  codeLine(uuidOf(3), uuidOf(2), 'user', [
    { type: 'tool_result', tool_use_id: 't1', content: [base64('image/webp', IMAGE)] },
  ]),
];

it('names images of Claude Code at their places, and copies them from the line or the path', async () => {
  const bench = await openImportBench();
  const path = folderWith({
    'projects/shed/cccccccc-0000-4000-8000-000000000001.jsonl': SESSION.map(
      (line) => `${JSON.stringify(line)}\n`,
    ).join(''),
    'image-cache/2.png': 'another cat',
  });
  const plan = await bench.import(path, { attachments: true, dryRun: true });
  expect([plan.added, plan.attachments]).toEqual([1, 3]);
  const report = await bench.import(path, { attachments: true });
  expect([report.added, report.attachments, report.problems]).toEqual([1, 3, []]);
  const id = 'cccccccc-0000-4000-8000-000000000001';
  const [first, second] = [`images/${uuidOf(1)}-1.png`, `images/${uuidOf(3)}-1.webp`];
  expect(said(bench.bySource(id))).toEqual([
    `user: before\n\n[image: ${first}]\n\nafter\n\n[image: image-cache/2.png]\n\n[image: /etc/passwd]`,
    'assistant: I see.',
  ]);
  expect(JSON.stringify(bench.bySource(id).messages[1].metadata)).toContain(`[image: ${second}]`);
  expect(copied(bench, id)).toEqual({
    [first]: 'a small cat',
    [second]: 'a small cat',
    'image-cache/2.png': 'another cat',
  });
  const before = bench.hash();
  const again = await bench.import(path, { attachments: true });
  expect([counts(again).unchanged, again.attachments]).toEqual([1, 0]);
  expect(bench.hash()).toBe(before);
});

it('copies an image of Claude Code of an unknown type', async () => {
  const bench = await openImportBench();
  const id = 'cccccccc-0000-4000-8000-000000000001';
  const line = codeLine(uuidOf(1), null, 'user', [base64('constructor', IMAGE)]);
  const path = folderWith({ [`projects/shed/${id}.jsonl`]: `${JSON.stringify(line)}\n` });
  const report = await bench.import(path, { attachments: true });
  expect([report.attachments, report.problems]).toEqual([1, []]);
  expect(copied(bench, id)).toEqual({ [`images/${uuidOf(1)}-1.bin`]: 'a small cat' });
});

it('names a file of ChatGPT by the name that it had before the export', async () => {
  const bench = await openImportBench();
  const [image, document] = [{ id: 'file_1a', name: 'my cat.png' }, { id: 'file-2b' }];
  const parts = ['look', { ...picture('file_1a'), asset_pointer: 'sediment://file_1a' }];
  const mapping = { a: { parent: null, message: message('a', [image, document], parts) } };
  const path = folderWith({
    'conversations-000.json': JSON.stringify([{ id: 'c', mapping }]),
    'conversation_asset_file_names.json': JSON.stringify({
      'file_1a.dat': 'my cat.png',
      'file-2b.dat': 'plan.pdf',
    }),
    'file_1a.dat': 'cat',
    'file-2b.dat': 'plan',
  });
  await bench.import(path, { attachments: true });
  const text = 'look\n\n[image: my cat.png (file_1a.dat)]\n\n[file: plan.pdf (file-2b.dat)]';
  expect(said(bench.bySource('c'))).toEqual([`user: ${text}`]);
  expect(copied(bench, 'c')).toEqual({ 'file-2b.dat': 'plan', 'file_1a.dat': 'cat' });
});

it('makes no folder for a conversation that another process deletes meanwhile', async () => {
  const bench = await openImportBench();
  const { store: other } = await bench.another();
  const path = folderWith({ 'conversations.json': JSON.stringify(CONVERSATIONS), ...FILES });
  await bench.import(path);
  const { conversationId } = bench.bySource('with-pictures');
  // Called before each file is written.
  const requireRoom = async () => {
    if (await other.exists(conversationId)) await other.trash(conversationId);
  };
  const request = { paths: [path], activity: 'short', dryRun: false, attachments: true } as const;
  const report = await runImport({ ...bench.stores, requireRoom }, request);
  expect(report.problems.length).toBeGreaterThan(0);
  expect(await other.restore(conversationId)).toEqual({ conversationId });
  expect((await bench.import(path, { attachments: true })).attachments).toBe(3);
});
