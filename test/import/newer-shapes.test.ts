/** Formats of exports that are newer than the first versions of the importers. */
import { describe, expect, it } from 'vitest';
import { counts, folderWith, openImportBench, said } from './bench.js';

const TIME = '2026-01-02T10:00:00.000Z';
const jsonLines = (...all: readonly unknown[]) =>
  all.map((line) => JSON.stringify(line)).join('\n');

async function importFiles(files: Record<string, string | object>) {
  const bench = await openImportBench();
  const report = await bench.import(folderWith(files));
  return { bench, report };
}

describe('a ChatGPT export', () => {
  const conversation = (id: string, message: object) => ({
    id,
    mapping: { [`${id}-1`]: { id: `${id}-1`, message: { author: { role: 'user' }, ...message } } },
  });

  it('names an uploaded image once, and the sound of a voice conversation', async () => {
    const image = {
      content_type: 'image_asset_pointer',
      asset_pointer: 'file-service://file-Cat1',
    };
    const { bench } = await importFiles({
      'conversations.json': [
        conversation('c', {
          content: { content_type: 'multimodal_text', parts: [image, 'look'] },
          metadata: {
            attachments: [
              { id: 'file-Cat1', name: 'my cat.png' },
              { id: 'file-Doc2', name: 'plan.pdf' },
            ],
          },
        }),
        conversation('d', {
          content: {
            content_type: 'multimodal_text',
            parts: [
              { content_type: 'audio_transcription', text: 'hello' },
              {
                content_type: 'real_time_user_audio_video_asset_pointer',
                audio_asset_pointer: {
                  content_type: 'audio_asset_pointer',
                  asset_pointer: 'sediment://file_0001',
                },
              },
            ],
          },
        }),
      ],
      'file-Cat1-my cat.png': 'x',
      'file_0001-sound.wav': 'x',
    });
    expect(said(bench.bySource('c'))).toEqual([
      'user: [image: file-Cat1-my cat.png]\n\nlook\n\n[file: plan.pdf]',
    ]);
    expect(said(bench.bySource('d'))).toEqual(['user: hello\n\n[audio: file_0001-sound.wav]']);
  });

  it('counts conversations without messages', async () => {
    const { report } = await importFiles({
      'conversations.json': [
        conversation('c', { content: { content_type: 'text', parts: ['one'] } }),
        { id: 'e', title: 'empty', mapping: {} },
      ],
    });
    expect(counts(report)).toMatchObject({ added: 1, skipped: 1 });
    expect(report.leftOut).toEqual({ 'conversations without messages': 1 });
  });
});

it('Gemini CLI: a prompt is imported without the text of the files that it names', async () => {
  const typed = 'explain @shed.md';
  const { bench, report } = await importFiles({
    'chats/session-1.jsonl': jsonLines(
      { sessionId: 'c', startTime: TIME },
      {
        id: 'm',
        type: 'user',
        timestamp: TIME,
        content: [{ text: typed }, { text: '--- Content from referenced files ---' }],
        displayContent: [{ text: typed }],
      },
    ),
  });
  expect(said(bench.bySource('c'))).toEqual([`user: ${typed}`]);
  expect(report.leftOut).toEqual({ 'injected context': 1 });
});

it('Codex: an image becomes its path on this machine', async () => {
  const item = {
    type: 'UserMessage',
    id: 'i',
    content: [
      { type: 'text', text: 'look' },
      { type: 'local_image', path: '/shed/photo.png' },
    ],
  };
  const { bench } = await importFiles({
    'sessions/rollout-1.jsonl': jsonLines(
      { timestamp: TIME, type: 'session_meta', payload: { id: 'c', history_mode: 'paginated' } },
      { timestamp: TIME, type: 'event_msg', payload: { type: 'item_completed', item } },
    ),
  });
  expect(said(bench.bySource('c'))).toEqual(['user: look\n\n[image: /shed/photo.png]']);
});

it.each([
  ['Eingegebener Prompt: Wie hoch?', ['user: Wie hoch?', 'assistant: 9 m']],
  ['入力したプロンプト: 高さは', ['user: 入力したプロンプト: 高さは', 'assistant: 9 m']],
  ['Created Gemini Canvas titled Shed', ['assistant: 9 m']],
])('Gemini Apps: the title %s is read', async (title, expected) => {
  const record = { header: 'Gemini Apps', title, time: TIME, safeHtmlItem: [{ html: '<p>9 m' }] };
  const { bench } = await importFiles({ 'MyActivity.json': [record] });
  expect(said(bench.bySource(`${TIME}:1`))).toEqual(expected);
});

it('OpenWebUI: reasoning, names of files and the archived state are imported', async () => {
  const message = {
    id: 'a',
    role: 'assistant',
    timestamp: 1_700_000_000,
    content:
      '<details type="reasoning" done="true" duration="3">\n<summary>Thought</summary>\n> first\n> then\n</details>\nThe answer',
    files: [
      { type: 'image', url: 'data:image/png;base64,AA' },
      { type: 'file', name: 'plan.pdf' },
    ],
  };
  const chat = { history: { currentId: 'a', messages: { a: message } } };
  const { bench } = await importFiles({
    'chats.json': [{ id: 'c', title: 'T', chat, archived: true }],
  });
  const stored = bench.bySource('c');
  expect(said(stored)).toEqual(['assistant: The answer\n\n[image: inline]\n\n[file: plan.pdf]']);
  expect(stored.messages[0].metadata).toMatchObject({ thinking: 'first\nthen' });
  expect(stored.tags).toEqual(['openwebui', 'archived']);
});

it('OpenWebUI: thinking and tool calls between the words are imported as activity', async () => {
  const content = [
    'First I look.',
    '<details type="reasoning" done="true">\n<summary>Thought</summary>\n> it &amp; more\n</details>',
    '<details type="tool_calls" done="true" id="c1" name="find" arguments="{&quot;q&quot;: &quot;larch&quot;}" result="&quot;3 &gt; 2&quot;">\n<summary>Tool Executed</summary>\n</details>',
    '<details type="tool_calls" done="true" id="c2" name="count" arguments="{}">\n<summary>Tool Executed</summary>\ntwelve\n</details>',
    '<details type="code_interpreter" done="true" output="4">\n<summary>Analyzed</summary>\n2+2\n</details>',
    'There is larch.\n<details>\n<summary>More</summary>\nkept\n</details>',
  ].join('\n');
  const messages = {
    u: { id: 'u', role: 'user', content: 'Why <details type="reasoning">x</details>?' },
    a: { id: 'a', parentId: 'u', role: 'assistant', content },
  };
  const chat = { history: { currentId: 'a', messages } };
  const { bench } = await importFiles({ 'chats.json': [{ id: 'c', title: 'T', chat }] });
  const stored = bench.bySource('c');
  expect(said(stored)).toEqual([
    'user: Why <details type="reasoning">x</details>?',
    'assistant: First I look.\n\nThere is larch.\n<details>\n<summary>More</summary>\nkept\n</details>',
  ]);
  expect(stored.messages[1].metadata).toMatchObject({
    thinking: 'it & more',
    tools: [
      { name: 'find', input: '{"q": "larch"}', result: '"3 > 2"' },
      { name: 'count', input: '{}', result: 'twelve' },
      { name: 'code_interpreter', input: '2+2', result: '4' },
    ],
  });
});

it('OpenWebUI: the text of attached documents is part of the message', async () => {
  const file = (content: string) => ({ filename: 'plan.pdf', data: { content }, meta: {} });
  const files = [
    { type: 'file', name: 'plan.pdf', url: '/api/v1/files/f', file: file('larch planks\n') },
    { type: 'text', name: 'note.txt', content: 'twelve screws' },
    { type: 'file', name: 'photo.raw', file: file('data:image/png;base64,AA') },
    { type: 'collection', name: 'Woods', file: { data: { content: 7 } } },
  ];
  const message = { id: 'a', role: 'user', content: 'What do I need?', files };
  const chat = { history: { currentId: 'a', messages: { a: message } } };
  const { bench } = await importFiles({ 'chats.json': [{ id: 'c', title: 'T', chat }] });
  expect(said(bench.bySource('c'))).toEqual([
    'user: What do I need?\n\n[file: plan.pdf]\n\nlarch planks\n\n[file: note.txt]\n\ntwelve screws\n\n[file: photo.raw]\n\n[file: Woods]',
  ]);
});

it('OpenMemory: deleted memories are left out; a memory without a time gets that of the file', async () => {
  const memory = { id: 'x', state: 'active', app_id: 'a' };
  const { bench, report } = await importFiles({
    'memories.json': [
      { ...memory, content: 'Likes larch' },
      { ...memory, content: 'Likes pine', state: 'deleted' },
    ],
  });
  expect(report).toMatchObject({ insights: 1, problems: [] });
  const [insight] = await bench.insights.all();
  expect(insight?.insight).toMatchObject({ content: 'Likes larch' });
  expect(insight?.insight.created_at).toBeGreaterThan(0);
});

it('a vault: code blocks contain no facts', async () => {
  const { report } = await importFiles({
    '.obsidian/app.json': '{}',
    'Shed.md': '- [wood] larch\n```\n- [wood] not this\n```\n- near [[House]]\n',
  });
  expect(report).toMatchObject({ notes: 1, facts: 2 });
});
