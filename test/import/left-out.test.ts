/** Parts of a message that an importer cannot read are counted in the report; known texts are imported. */
import { describe, expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

describe('Claude.ai', () => {
  const chat = (...chat_messages: readonly object[]) => [{ uuid: 'c', chat_messages }];

  it('has the text of blocks of an unknown type, and counts blocks without text', async () => {
    const bench = await openImportBench();
    const content = [
      { type: 'text', text: 'one' },
      { type: 'new_block', text: 'two' },
      { type: 'chart', data: [1] },
      { type: 'token_budget', remaining: 1 },
      { type: 'text', text: '' },
      null,
    ];
    const report = await bench.importText(chat({ uuid: 'm', sender: 'assistant', content }));
    expect(said(bench.bySource('c'))).toEqual(['assistant: one\n\ntwo']);
    expect(report.leftOut).toEqual({ 'parts of an unknown type': 1 });
  });

  it('keeps the role of a message of the system', async () => {
    const bench = await openImportBench();
    await bench.importText(
      chat(
        { uuid: 'm', sender: 'system', text: 'rules', index: 0 },
        { uuid: 'n', sender: 'human', text: 'hello', index: 1 },
        { uuid: 'o', text: 'no sender', index: 2 },
      ),
    );
    const texts = ['system: rules', 'user: hello', 'user: no sender'];
    expect(said(bench.bySource('c'))).toEqual(texts);
  });
});

it('Claude Code: blocks of an unknown type are counted', async () => {
  const bench = await openImportBench();
  const content = [
    { type: 'redacted_thinking', data: 'x' },
    { type: 'new_block', text: 'one' },
    { type: 'server_tool_use', id: 't', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: 't', content: [] },
    { type: 'chart', data: [1] },
    { type: 'text', text: 'two' },
  ];
  const ids = { uuid: 'a', parentUuid: null, sessionId: 's' };
  const line = { type: 'assistant', ...ids, message: { id: 'm', content } };
  const report = await bench.importText(lines(line), 's.jsonl');
  const { messages } = bench.bySource('s');
  expect(messages).toMatchObject([
    { content: 'one\n\ntwo', metadata: { tools: [{ name: 'web_search' }] } },
  ]);
  expect(report.leftOut).toEqual({ 'parts of an unknown type': 1 });
});

it('JSON Lines of odei-history: a message of a tool and one without text are counted', async () => {
  const bench = await openImportBench();
  const message = (seq: number, role: string, content: unknown) => ({
    message: { id: `m${seq}`, threadId: 't', seq, role, content },
  });
  const report = await bench.importText(
    lines(
      { thread: { id: 't', title: 'T' } },
      message(1, 'user', 'hello'),
      message(2, 'tool', 'output'),
      message(3, 'user', null),
    ),
    'all.jsonl',
  );
  expect(said(bench.bySource('t'))).toEqual(['user: hello']);
  expect(report.leftOut).toEqual({ 'of an unknown role or without text': 2 });
});

it('Gemini Apps: cells of a table are separate, and links keep their address', async () => {
  const bench = await openImportBench();
  const html =
    '<table><tr><th>Wood</th><th>Price</th></tr><tr><td>larch</td><td>12</td></tr></table>' +
    '<p>See <a class="x" href="https://a.example/?b=1&amp;c">this</a>.</p>';
  const record = { header: 'Gemini Apps', title: 'Prompted hi', time: '2026-01-02T10:00:00.000Z' };
  await bench.importText([{ ...record, safeHtmlItem: [{ html }] }], 'MyActivity.json');
  const table = '| Wood | Price |\n| larch | 12 |';
  expect(said(bench.bySource(`${record.time}:1`))).toEqual([
    'user: hi',
    `assistant: ${table}\n\nSee [this](https://a.example/?b=1&c).`,
  ]);
});

it('a folder of conversations: contents that are lists of parts become text', async () => {
  const bench = await openImportBench();
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'assistant', content: [{ type: 'text', text: 'two' }] },
    { role: 'tool', content: 'three' },
  ];
  const id = '20240124-1706102400123';
  const path = folderWith({ [`conversation-logs/${id}/conversation.json`]: { messages } });
  const report = await bench.import(path);
  expect(said(bench.jsonOf(id))).toEqual(['user: one', 'assistant: two']);
  expect(report.leftOut).toEqual({ 'of an unknown role or without text': 1 });
});

it('a message with an unknown content is counted; the field text counts as content', async () => {
  const bench = await openImportBench();
  const report = await bench.importText({
    id: 'c',
    messages: [
      { role: 'user', content: 'one' },
      { role: 'assistant', text: 'two' },
      { role: 'user', content: 42 },
      { role: 'user', content: [{ type: 'shape', points: 3 }] },
      { role: 'assistant', content: [{ type: 'reasoning', summary: [] }] },
      { role: 'assistant', content: null, tool_calls: [{ function: { name: 'f' } }] },
      { role: 'user', content: '' },
      'three',
    ],
  });
  expect(said(bench.bySource('c'))).toEqual(['user: one', 'assistant: two']);
  expect(report.leftOut).toEqual({ 'parts of an unknown type': 2, 'of an unknown form': 1 });
});

it('a blank title is ignored', async () => {
  const bench = await openImportBench();
  await bench.importText({
    id: 'c',
    title: ' \n ',
    messages: [{ role: 'user', content: 'hello' }],
  });
  expect(bench.bySource('c')).toMatchObject({ title: 'hello', titleFrom: expect.anything() });
});

it('a branch whose messages have no times gets the time of its conversation', async () => {
  const bench = await openImportBench();
  const node = (parent: string | null, role: string) => ({
    parent,
    message: { author: { role }, content: { content_type: 'text', parts: ['hello'] } },
  });
  const mapping = { q: node(null, 'user'), a: node('q', 'assistant'), b: node('q', 'assistant') };
  const times = { create_time: 1737725200, update_time: 1737725300 };
  await bench.importText([{ id: 'c', ...times, current_node: 'a', mapping }]);
  expect(bench.bySource('c:b').createdAt).toBe('2025-01-24T13:26:40.000Z');
});

describe('Codex: what the extension of an editor puts before a prompt is left out', () => {
  const prompt =
    '# Context from my IDE setup:\n\n## Open tabs:\n- a.ts: a.ts\n\n## My request for Codex:\nFix it.\n';
  const user = { type: 'message', role: 'user', content: [{ type: 'input_text', text: prompt }] };
  const item = { type: 'UserMessage', id: 'i', content: [{ type: 'text', text: prompt }] };

  it.each([
    ['legacy', { type: 'response_item', payload: user }],
    ['paginated', { type: 'event_msg', payload: { type: 'item_completed', item } }],
  ])('%s', async (history_mode, line) => {
    const bench = await openImportBench();
    const meta = { type: 'session_meta', payload: { id: 'session', history_mode } };
    const report = await bench.importText(lines(meta, line), 'rollout-1.jsonl');
    expect(report.leftOut).toEqual({ 'injected context': 1 });
    const made = bench.bySource('session');
    expect(made.title).toBe('Fix it');
    expect(said(made).map((text: string) => text.trim())).toEqual(['user: Fix it.']);
  });
});
