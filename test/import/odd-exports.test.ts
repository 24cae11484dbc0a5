/** Unusual but plausible exports: each message is imported once, at its place, or is reported. */
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { errorOf } from '../support/error-of.js';
import { zipOf } from '../support/zip.js';
import { fileWith, folderWith, lines, openImportBench, said } from './bench.js';

async function imported(files: Readonly<Record<string, string | object>>) {
  const bench = await openImportBench();
  const folder = folderWith(files);
  const report = await bench.import(folder);
  const before = bench.hash();
  await bench.import(folder);
  expect(bench.hash()).toBe(before);
  return { report, texts: bench.folders().map((name) => said(bench.jsonOf(name))) };
}

describe('two messages with the same id', () => {
  const message = (uuid: string, sender: string, text: string, more: object = {}) => ({
    uuid,
    sender,
    text,
    ...more,
  });

  it('are both imported from a list of Claude.ai', async () => {
    const chat_messages = [
      message('b', 'assistant', 'two', { index: 1 }),
      message('a', 'human', 'one', { index: 0 }),
      message('a', 'human', 'three', { index: 2 }),
    ];
    const { texts } = await imported({ 'conversations.json': [{ uuid: 'c', chat_messages }] });
    expect(texts).toEqual([['user: one', 'assistant: two', 'user: three']]);
  });

  it('are both imported from a tree of LibreChat', async () => {
    const of = (messageId: string, parentMessageId: string | null, text: string) => ({
      messageId,
      parentMessageId,
      text,
      isCreatedByUser: parentMessageId === null,
    });
    const messages = [of('a', null, 'one'), of('b', 'a', 'two'), of('b', 'a', 'or this')];
    const { texts } = await imported({ 'a.json': { conversationId: 'c', messages } });
    expect(texts.flat().sort()).toEqual(['assistant: or this', 'assistant: two', 'user: one']);
  });

  it('are all imported if another message has the id that the second would get', async () => {
    const chat_messages = [
      message('a', 'human', 'one', { index: 0 }),
      message('a', 'assistant', 'two', { index: 1 }),
      message('a#2', 'human', 'three', { index: 2 }),
      message('b', 'assistant', 'four', { index: 3 }),
    ];
    const { texts } = await imported({ 'conversations.json': [{ uuid: 'c', chat_messages }] });
    expect(texts).toEqual([['user: one', 'assistant: two', 'user: three', 'assistant: four']]);
  });
});

it('a code block that is not closed ends with its message', async () => {
  const text =
    '## User\n\nhi\n\n## Assistant\n\n```js\nlet a\n\n## User\n\nagain\n\n## Assistant\n\nyes\n';
  const { texts } = await imported({ 'a.md': text });
  expect(texts).toEqual([['user: hi', 'assistant: ```js\nlet a', 'user: again', 'assistant: yes']]);
});

it('a speaker is found although the line has an unusual separator', async () => {
  const text = '**You:** one\n\n**Claude:** two\u2028and\n\n**You:** three\n';
  const { texts } = await imported({ 'a.md': text });
  expect(texts).toEqual([['user: one', 'assistant: two\u2028and', 'user: three']]);
});

it('a Takeout in another language is found by its folder; its other files are not read', async () => {
  const folder =
    'Takeout/\u30de\u30a4 \u30a2\u30af\u30c6\u30a3\u30d3\u30c6\u30a3/Gemini \u30a2\u30d7\u30ea';
  const { report, texts } = await imported({
    [`${folder}/\u30de\u30a4\u30a2\u30af\u30c6\u30a3\u30d3\u30c6\u30a3.json`]: [
      {
        header: 'Gemini \u30a2\u30d7\u30ea',
        title: '\u3053\u3093\u306b\u3061\u306f',
        time: '2026-01-01T00:00:00.000Z',
        safeHtmlItem: [{ html: '<p>\u306f\u3044</p>' }],
      },
    ],
    [`${folder}/settings.json`]: { a: 1 },
  });
  expect(report).toMatchObject({ added: 1, problems: [], sources: [{ kind: 'gemini-apps' }] });
  expect(texts).toEqual([['user: \u3053\u3093\u306b\u3061\u306f', 'assistant: \u306f\u3044']]);
});

it('a Takeout with pages is refused with what to choose', async () => {
  const bench = await openImportBench();
  const folder = folderWith({ 'Takeout/My Activity/Gemini Apps/MyActivity.html': '<html>' });
  expect((await errorOf(bench.import(folder))).hint).toContain('choose JSON');
});

it('notes of the Finder are not read', async () => {
  const conversation = {
    conversationId: 'c',
    messages: [{ messageId: 'm', text: 'one', isCreatedByUser: true }],
  };
  const files = {
    '__MACOSX/chats/._a.json': '\0\u0005\u0016\u0007',
    'chats/._a.json': '\0\u0005\u0016\u0007',
    'chats/a.json': JSON.stringify(conversation),
  };
  const zip = zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
  for (const path of [folderWith(files), fileWith(zip, 'a.zip')]) {
    const bench = await openImportBench();
    expect(await bench.import(path)).toMatchObject({ added: 1, problems: [] });
  }
});

it('a log of the first version of Codex is read', async () => {
  const id = '33333333-cccc-4ccc-8ccc-000000000001';
  const say = (role: string, text: string) => ({ type: 'message', role, content: [{ text }] });
  const { report, texts } = await imported({
    [`sessions/rollout-2025-05-01T10-00-00-${id}.jsonl`]: lines(
      { id, timestamp: '2025-05-01T10:00:00Z', instructions: null },
      { record_type: 'state' },
      say('user', '<environment_context>x</environment_context>'),
      say('user', 'one'),
      { type: 'function_call', name: 'shell', arguments: '{}', call_id: 'c' },
      { type: 'function_call_output', call_id: 'c', output: 'ok' },
      say('assistant', 'two'),
    ),
  });
  expect(report).toMatchObject({ added: 1, problems: [], sources: [{ kind: 'codex' }] });
  expect(texts).toEqual([['user: one', 'assistant: two']]);
});

it.each([
  ['2026-01-02T10:00:00.123456', '2026-01-02T10:00:00.123Z'],
  ['2026-01-02 10:00', '2026-01-02T10:00:00.000Z'],
  ['2026-01-02 5:00 PM', '2026-01-02T17:00:00.000Z'],
  ['January 2, 2026 5:00 PM', '2026-01-02T17:00:00.000Z'],
  ['2-Jan-2026 17:00', '2026-01-02T17:00:00.000Z'],
  ['Fri Jan  2 17:00:00 2026', '2026-01-02T17:00:00.000Z'],
  // These have a zone.
  ['January 2, 2026 5:00 PM EST', '2026-01-02T22:00:00.000Z'],
  ['Jan 2, 2026, 5:00 PM -0500', '2026-01-02T22:00:00.000Z'],
  ['Fri, 02 Jan 2026 17:00:00 GMT', '2026-01-02T17:00:00.000Z'],
  ['Fri Jan 02 2026 17:00:00 GMT+0100 (CET)', '2026-01-02T16:00:00.000Z'],
  ['2026-01-02 17:00:00+02', '2026-01-02T15:00:00.000Z'],
])('the time %s is the same on every machine', async (timestamp, time) => {
  vi.stubEnv('TZ', 'America/New_York');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(new Date('2026-01-02T10:00:00').toISOString()).toBe('2026-01-02T15:00:00.000Z');
  const bench = await openImportBench();
  const messages = [{ role: 'user', content: 'one', timestamp }];
  await bench.importText({ id: 'c', messages }, 'a.json');
  expect(bench.bySource('c').messages[0].createdAt).toBe(time);
});

it('content that is one part instead of a list is read', async () => {
  const { texts } = await imported({
    'a.json': { messages: [{ role: 'user', content: { type: 'text', text: 'one' } }] },
  });
  expect(texts).toEqual([['user: one']]);
});

it('a message whose thread does not come before it is reported, and is in no other thread', async () => {
  const bench = await openImportBench();
  const say = (threadId: string, content: string) => ({
    message: { threadId, role: 'user', content },
  });
  const text = lines({ thread: { id: 't1' } }, say('t1', 'one'), say('t9', 'stray'));
  const report = await bench.import(fileWith(text, 'a.jsonl'));
  expect(report).toMatchObject({
    added: 1,
    problems: [{ record: 'line 3', code: 'VALIDATION_ERROR' }],
  });
  expect(said(bench.bySource('t1'))).toEqual(['user: one']);
});
