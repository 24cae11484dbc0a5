/** A dry run reports exactly what the import then does, also if the input has a thing more than once. */
import { expect, it } from 'vitest';
import type { ImportRequest } from '../../src/import/import-types.js';
import { zipOf } from '../support/zip.js';
import { folderWith, lines, openImportBench } from './bench.js';

type Bench = Awaited<ReturnType<typeof openImportBench>>;

/** Imports after a dry run, and returns the report, which must be the same. */
async function imported(bench: Bench, path: string, more: Partial<ImportRequest> = {}) {
  const before = bench.hash();
  const planned = await bench.import(path, { ...more, dryRun: true });
  expect(bench.hash()).toBe(before);
  const report = await bench.import(path, more);
  expect(planned).toEqual(report);
  return report;
}

const TIME = '2026-01-01T10:00:00.000Z';
const id = (name: string) => `message-0000-0000-${name}`;
interface Said {
  readonly name: string;
  readonly parent?: string;
  readonly text?: string;
}

/** A conversation of LibreChat. The last message is the one that it shows. */
const chat = (messages: readonly Said[], more: object = {}) => ({
  conversationId: 'c',
  title: 'Shed',
  messages: messages.map(({ name, parent, text = name }, at) => ({
    messageId: id(name),
    parentMessageId: parent === undefined ? null : id(parent),
    text,
    isCreatedByUser: at === 0,
    createdAt: `2026-01-01T10:00:0${at}.000Z`,
  })),
  ...more,
});
const ONE = { name: 'one' };
const TWO = { name: 'two', parent: 'one' };
const OTHER = { name: 'other', parent: 'one' };
const folder = (...files: unknown[]) =>
  folderWith(Object.fromEntries(files.map((file, at) => [`${at}.json`, file as object])));

it('predicts the branch of an answer that the source does not show any more', async () => {
  const bench = await openImportBench();
  await imported(bench, folder(chat([ONE, TWO])));
  const report = await imported(bench, folder(chat([ONE, TWO, OTHER])));
  expect(report).toMatchObject({ added: 1, updated: 1, messages: 1 });
});

it.each([
  ['longer', [ONE, TWO], [ONE, TWO, { name: 'three', parent: 'two' }]],
  ['shorter', [ONE, TWO], [ONE]],
  ['the same', [ONE, TWO], [ONE, TWO]],
  ['changed', [ONE, TWO], [ONE, { ...TWO, text: 'changed' }]],
  ['branched', [ONE, TWO], [ONE, TWO, OTHER]],
])('predicts an input with two versions of a conversation, of which the second is %s', async (_, first, second) => {
  for (const before of [undefined, [ONE], first, second]) {
    const bench = await openImportBench();
    if (before !== undefined) await bench.import(folder(chat(before)));
    for (const both of [folder(chat(first), chat(second)), folder([chat(first), chat(second)])]) {
      await imported(bench, both);
      await imported(bench, both);
    }
  }
});

const SESSION = { type: 'session_meta', timestamp: TIME, payload: { id: 's', cwd: '/shed' } };
const codexSay = (text: string, second: number, role = 'user') => ({
  type: 'response_item',
  timestamp: `2026-01-01T10:00:0${second}.000Z`,
  payload: { type: 'message', role, content: [{ text }] },
});
const session = (...texts: string[]) =>
  lines(SESSION, ...texts.map((text, at) => codexSay(text, at, at % 2 ? 'assistant' : 'user')));
const list = (...texts: string[]) => ({
  id: 'c',
  messages: texts.map((content, at) => ({ role: at % 2 ? 'assistant' : 'user', content })),
});

it.each([
  [
    'goes on in another way',
    { 'a.json': list('one', 'two', 'a'), 'b.json': list('one', 'two', 'b', 'bb') },
  ],
  ['went on less', { 'a.json': list('one', 'two', 'a', 'aa'), 'b.json': list('one', 'two', 'b') }],
  ['is another one', { 'a.json': list('one', 'two'), 'b.json': list('three', 'four', 'five') }],
  [
    'goes on in two other ways',
    {
      'a.json': list('one', 'two', 'a'),
      'b.json': list('one', 'two', 'b'),
      'c.json': list('one', 'two', 'c', 'cc'),
    },
  ],
  [
    'goes on in another way, in a log',
    {
      'rollout-1-s.jsonl': session('one', 'two', 'a'),
      'rollout-2-s.jsonl': session('one', 'two', 'b', 'bb'),
    },
  ],
  [
    'may be older',
    {
      'rollout-1-s.jsonl': session('one', 'two', 'a', 'aa'),
      'rollout-2-s.jsonl': session('one', 'two', 'b'),
    },
  ],
])('predicts a conversation of which a second file %s', async (_, files) => {
  const bench = await openImportBench();
  const path = folderWith(files);
  const { branched: _none, ...planned } = await bench.import(path, { dryRun: true });
  // A dry run does not know the id of the conversation with the branches.
  const { branched: _ids, ...report } = await bench.import(path);
  expect(planned).toEqual(report);
});

it('predicts an input with two versions of notes, insights, facts and a state', async () => {
  const claude = (text: string) => ({
    'projects.json': [
      { uuid: 'p', name: 'Shed', docs: [{ uuid: 'd', filename: 'a', content: text }] },
    ],
  });
  const insight = (content: string) => ({
    id: '66666666-aaaa-4aaa-8aaa-000000000001',
    content,
    context: 'global',
    created_at: 1,
    updated_at: 1,
  });
  const observed = (...observations: string[]) =>
    lines({ type: 'entity', name: 'a', entityType: 't', observations });
  const zip = (files: Record<string, unknown>) =>
    zipOf(
      Object.entries(files).map(([name, content]) => ({ name, content: JSON.stringify(content) })),
    );
  const bench = await openImportBench();
  const path = folderWith({
    'a.zip': zip(claude('one')),
    'b.zip': zip(claude('two')),
    'c.json': [insight('one'), insight('one')],
    'd.json': [insight('two')],
    'e.jsonl': observed('b', 'x'.repeat(300)),
    'f.jsonl': observed('b', 'c', 'x'.repeat(300)),
  });
  const report = await imported(bench, path);
  expect(report).toMatchObject({ insights: 1, facts: 4, notes: 2, notesUpdated: 1 });
  await imported(bench, path);
});

it('predicts the attachments of a conversation that is there twice, or was deleted here', async () => {
  const node = (name: string, parent: string | undefined, text: string) => ({
    id: id(name),
    parent,
    message: {
      author: { role: 'user' },
      create_time: 1,
      content: {
        content_type: 'multimodal_text',
        parts: [text, { asset_pointer: 'file-service://file-AAA' }],
      },
    },
  });
  const conversation = { id: 'c', create_time: 1, mapping: { a: node('a', undefined, 'x') } };
  const path = folderWith({
    'conversations.json': [conversation, conversation],
    'file-AAA-photo.png': 'png',
  });
  const bench = await openImportBench();
  expect(await imported(bench, path, { attachments: true })).toMatchObject({ attachments: 1 });
  await bench.store.trash(bench.bySource('c').conversationId);
  expect(await imported(bench, path, { attachments: true })).toMatchObject({
    attachments: 0,
    skipped: 2,
  });
});

it('predicts an export of Daybook that has a conversation twice', async () => {
  const document = (...texts: string[]) => ({
    conversationId: '20260101-1767261600000',
    createdAt: TIME,
    updatedAt: TIME,
    messages: texts.map((content, at) => ({
      id: id(String(at)),
      role: 'user',
      content,
      createdAt: TIME,
    })),
  });
  const exported = (...conversations: object[]) => ({
    format: 'daybook-export',
    version: 1,
    conversations,
  });
  for (const both of [
    [document('one'), document('one', 'two')],
    [document('one', 'two'), document('one')],
    [document('one'), document('one')],
  ]) {
    const bench = await openImportBench();
    const path = folder(exported(...both));
    expect(await imported(bench, path)).toMatchObject({
      added: 1,
      messages: both.flat().length && expect.any(Number),
    });
    await imported(bench, path);
  }
});
