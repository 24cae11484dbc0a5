/** A folder with several versions of one conversation: a second import changes nothing. */
import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { zipOf } from '../support/zip.js';
import { counts, folderWith, openImportBench, said } from './bench.js';

const TIME = '2026-01-02T10:00:00.000Z';
const chat = (name: string, ...texts: readonly string[]) => [
  {
    uuid: 'c',
    name,
    created_at: TIME,
    updated_at: TIME,
    chat_messages: texts.map((text, index) => ({
      uuid: `m${index}`,
      sender: index % 2 === 0 ? 'human' : 'assistant',
      text,
      created_at: TIME,
    })),
  },
];
const zip = (content: object) =>
  zipOf([{ name: 'conversations.json', content: JSON.stringify(content) }]);

it.each([
  ['one with more messages', chat('T', 'one'), chat('T', 'one', 'two')],
  ['one with fewer messages', chat('T', 'one', 'two'), chat('T', 'one')],
  ['another title', chat('T', 'one'), chat('U', 'one')],
  ['another text', chat('T', 'one', 'tw'), chat('T', 'one', 'two')],
])('a second import changes nothing if two versions have the same time: %s', async (_what, first, second) => {
  for (const files of [
    { 'a.zip': zip(first), 'b.zip': zip(second) },
    { 'a/conversations.json': first, 'b/conversations.json': second },
  ]) {
    const bench = await openImportBench();
    const folder = folderWith(files);
    await bench.import(folder);
    const [before, title, texts] = [
      bench.hash(),
      bench.bySource('c').title,
      said(bench.bySource('c')),
    ];
    expect(texts.length).toBe(
      Math.max(...[first, second].map(([given]) => given?.chat_messages.length ?? 0)),
    );
    expect(title).toBe(second[0]?.name);
    const unchanged = { added: 0, updated: 0, unchanged: 2, skipped: 0 };
    expect(counts(await bench.import(folder))).toEqual(unchanged);
    expect(bench.hash()).toBe(before);
  }
});

it('a second import changes nothing if one version is older and the conversation continued here', async () => {
  const [older] = chat('T', 'one');
  const first = [{ ...older, updated_at: '2026-01-01T10:00:00.000Z' }];
  const folder = folderWith({ 'a.zip': zip(first), 'b.zip': zip(chat('T', 'one', 'two')) });
  const bench = await openImportBench();
  await bench.import(folder);
  const { conversationId } = bench.bySource('c');
  await bench.store.append(conversationId, [{ role: 'user', content: 'three' }]);
  const before = bench.hash();
  expect(counts(await bench.import(folder))).toMatchObject({ updated: 0, unchanged: 2 });
  expect(bench.hash()).toBe(before);
});

it('the older of two versions, imported alone later, replaces the newer one', async () => {
  const [first, second] = [chat('T', 'one'), chat('U', 'one')];
  const bench = await openImportBench();
  await bench.import(folderWith({ 'a/conversations.json': first }));
  await bench.import(folderWith({ 'a/conversations.json': second }));
  expect(bench.bySource('c').title).toBe('U');
  await bench.import(folderWith({ 'a/conversations.json': first }));
  expect(bench.bySource('c').title).toBe('T');
});

it('an older version after an edit here makes no branch of the edited text', async () => {
  const at = (hour: number, ...texts: string[]) => [
    { ...chat('T', ...texts)[0], updated_at: `2026-01-02T${hour}:00:00.000Z` },
  ];
  const bench = await openImportBench();
  await bench.importText(at(11, 'one', 'two'));
  const { conversationId } = bench.bySource('c');
  const file = bench.fileOf(conversationId);
  writeFileSync(file, bench.textOf(conversationId).replace('"two"', '"two, edited"'));
  await bench.importText(at(12, 'one', 'two', 'three'));
  bench.time.now = Date.parse('2026-02-01T10:00:00.000Z');
  await bench.store.append(conversationId, [{ role: 'user', content: 'four' }]);
  const before = bench.hash();
  expect(counts(await bench.importText(at(11, 'one', 'two')))).toMatchObject({ unchanged: 1 });
  expect(bench.hash()).toBe(before);
  expect(said(bench.bySource('c'))).toEqual([
    ...['user: one', 'assistant: two, edited', 'user: three', 'user: four'],
  ]);
});

it('a version with fewer messages and no times of its own changes nothing', async () => {
  const transcript = (...texts: string[]) =>
    texts
      .map((text, at) => `## ${at % 2 === 0 ? 'User (2024-05-01 10:00)' : 'Assistant'}\n${text}\n`)
      .join('\n');
  const bench = await openImportBench();
  await bench.importText(transcript('one', 'two', 'three'), 'chat.md');
  const before = bench.hash();
  const report = await bench.importText(transcript('one', 'two'), 'chat.md');
  expect(counts(report)).toEqual({ added: 0, updated: 0, unchanged: 1, skipped: 0 });
  expect(bench.hash()).toBe(before);
});

it('a version with times replaces one without, although the time of its file is later', async () => {
  const bench = await openImportBench();
  const newer = chat('U', 'one', 'two, edited');
  const isTime = (key: string) => key === 'created_at' || key === 'updated_at';
  const withoutTimes = JSON.stringify(chat('T', 'one', 'two'), (key, value) =>
    isTime(key) ? undefined : value,
  );
  await bench.importText(withoutTimes);
  expect(bench.bySource('c').metadata.source.times).toBe('file');
  expect(counts(await bench.importText(newer))).toMatchObject({ updated: 1 });
  expect(said(bench.bySource('c'))).toEqual(['user: one', 'assistant: two, edited']);
  expect(bench.bySource('c').title).toBe('U');
});
