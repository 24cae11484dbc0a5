/** One small input for each documented oddity of a format that no other test of imports has. */
import { expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

const TIME = 1737724800;
const node = (id: string, parent: string | null, message: object | null) => ({
  [id]: { id, parent, message: message && { id, ...message } },
});
const chatgpt = (mapping: object, more: object = {}) => ({
  'conversations.json': [{ id: 'c', mapping, create_time: TIME, ...more }],
});
const text = (role: string, ...parts: readonly unknown[]) => ({
  author: { role },
  content: { content_type: 'multimodal_text', parts },
});
const claude = (messages: readonly object[], more: object = {}) => ({
  'conversations.json': [{ uuid: 'c', name: '', chat_messages: messages, ...more }],
});
const human = (uuid: string, more: object) => ({
  ...{ uuid, sender: 'human', created_at: '2025-01-24T13:20:00.123456Z', ...more },
});
const code = (uuid: string, content: unknown, more: object = {}) => ({
  ...{ type: 'user', uuid, parentUuid: null, sessionId: 'c', cwd: '/shed' },
  ...{ timestamp: '2026-01-02T10:00:00.000Z', message: { role: 'user', content }, ...more },
});
const session = (...all: readonly unknown[]) => ({ 'projects/-shed/c.jsonl': lines(...all) });
const gemini = (...all: readonly unknown[]) =>
  lines({ sessionId: 'c', startTime: '2026-01-02T10:00:00.000Z' }, ...all);
const said1 = { id: 'm', type: 'user', content: 'one', timestamp: '2026-01-02T10:00:00.000Z' };

type Row = readonly [string, Record<string, string | object>, readonly string[]];
const ROWS: readonly Row[] = [
  [
    'ChatGPT: only conversation_id, and no time in messages',
    {
      'conversations.json': [
        { conversation_id: 'c', create_time: null, mapping: node('a', null, text('user', 'one')) },
      ],
    },
    ['user: one'],
  ],
  [
    'ChatGPT: parts that are objects, empty or null',
    chatgpt(
      node(
        'a',
        null,
        text('user', 'one', { content_type: 'audio_transcription', text: 'two' }, null, ''),
      ),
    ),
    ['user: one\n\ntwo'],
  ],
  [
    'ChatGPT: weight 0, no message, no parts, and an unknown kind of content',
    chatgpt({
      ...node('r', null, null),
      ...node('a', 'r', { ...text('user', 'hidden'), weight: 0 }),
      ...node('b', 'a', { author: { role: 'user' }, content: { content_type: 'text', parts: [] } }),
      ...node('d', 'b', {
        author: { role: 'user' },
        content: { content_type: 'new', text: 'one' },
      }),
    }),
    ['user: one'],
  ],
  [
    'ChatGPT: a hidden context node with the conversation below it',
    chatgpt({
      ...node('h', 'gone', {
        author: { role: 'user' },
        content: { content_type: 'user_editable_context', user_profile: 'x' },
      }),
      ...node('a', 'h', text('user', 'one')),
    }),
    ['user: one'],
  ],
  [
    'ChatGPT: code that a tool ran, and what it gave',
    chatgpt({
      ...node('a', null, text('user', 'one')),
      ...node('b', 'a', {
        ...{ author: { role: 'assistant' }, recipient: 'python' },
        content: { content_type: 'code', language: 'python', text: '1+1' },
      }),
      ...node('d', 'b', {
        author: { role: 'tool', name: 'python' },
        content: { content_type: 'execution_output', text: '2' },
      }),
      ...node('e', 'd', text('assistant', 'Two.')),
    }),
    ['user: one', 'assistant: Two. <python 1+1 = 2>'],
  ],
  [
    'Claude.ai: null blocks, and a placeholder in the text beside them',
    claude([
      human('a', {
        text: 'This block is not supported on your current device yet.',
        content: [null, { type: 'token_budget' }, { type: 'text', text: 'one' }],
      }),
    ]),
    ['user: one'],
  ],
  [
    'Claude.ai: text without content, and a parent that is not in the file',
    claude([
      human('a', {
        ...{ text: 'one', content: [] },
        parent_message_uuid: '00000000-0000-4000-8000-000000000000',
      }),
    ]),
    ['user: one'],
  ],
  [
    'Claude.ai: a pasted file with its text, another without',
    claude([
      human('a', {
        text: 'one',
        attachments: [{ file_name: 'notes.txt', extracted_content: 'pasted' }],
        files: [{ file_name: 'photo.png' }],
      }),
    ]),
    ['user: one\n\n[file: notes.txt]\n\npasted\n\n[file: photo.png]'],
  ],
  [
    'Claude Code: reminders, command wrappers, meta lines and kinds of lines that are new',
    session(
      code('a', 'one<system-reminder>inject</system-reminder>'),
      code('b', '<local-command-stdout>out</local-command-stdout>', { parentUuid: 'a' }),
      code('d', 'Caveat', { parentUuid: 'b', isMeta: true }),
      { type: 'queue-operation', sessionId: 'c' },
      { type: 'of next year', uuid: 'x', sessionId: 'c' },
    ),
    ['user: one'],
  ],
  [
    'Claude Code: a notice that a background task ended',
    session(
      code('a', '<task-notification><summary>done</summary></task-notification>'),
      code('b', 'one', { parentUuid: 'a' }),
    ),
    ['user: one'],
  ],
  [
    'Claude Code: a session of which only a subagent is left',
    {
      'projects/-shed/c/subagents/agent-x.jsonl': lines(
        code('a', 'one', { isSidechain: true, agentId: 'x' }),
      ),
    },
    ['user: one'],
  ],
  [
    'Codex: an empty rollout beside another',
    {
      'sessions/rollout-1-b.jsonl': lines(
        { type: 'session_meta', payload: { id: 'b', cwd: '/shed' } },
        {
          type: 'response_item',
          payload: {
            type: 'message',
            role: 'user',
            content: [{ type: 'input_text', text: 'one' }],
          },
        },
      ),
      'sessions/rollout-0-a.jsonl': '',
    },
    ['user: one'],
  ],
  [
    'Claude Code: a user line with nothing but the result of a tool',
    session(
      code('a', 'one'),
      {
        ...code('b', undefined, { parentUuid: 'a', type: 'assistant' }),
        message: {
          role: 'assistant',
          id: 'r1',
          content: [{ type: 'tool_use', id: 't', name: 'Bash', input: 'ls' }],
        },
      },
      code(
        'd',
        [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'files' }] }],
        {
          parentUuid: 'b',
        },
      ),
    ),
    ['user: one', 'assistant:  <Bash ls = files>'],
  ],
  [
    'Gemini CLI: content in parts, messages of the program, files under way',
    {
      'shed/chats/session-1-c.jsonl': gemini(
        { ...said1, content: [{ text: 'one' }] },
        { ...said1, id: 'n', type: 'error', content: 'quota' },
      ),
      'shed/chats/.tmp-123': '{ "half',
    },
    ['user: one'],
  ],
  [
    'anything: a byte-order mark and CRLF',
    {
      'a.jsonl': `\ufeff${lines({ id: 'c', messages: [{ role: 'user', content: 'one' }] }).replace('\n', '\r\n')}`,
    },
    ['user: one'],
  ],
  [
    'anything: developer, tool calls and results, inline pictures',
    {
      'a.json': {
        id: 'c',
        messages: [
          { role: 'developer', content: 'Be kind.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'one' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            ],
          },
          {
            ...{ role: 'assistant', content: null },
            tool_calls: [{ id: 't', function: { name: 'ls', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: 't', content: 'files' },
          { role: 'assistant', content: 'Two.' },
        ],
      },
    },
    ['system: Be kind.', 'user: one\n\n[image: inline]', 'assistant: Two. <ls {} = files>'],
  ],
  [
    'perplexity-mcp-server: thoughts in the text, and a question that nobody answered',
    {
      'conversation-logs/20250124-1706102400123/conversation.json': {
        messages: [
          { role: 'assistant', content: '<think>hm</think>One.' },
          { role: 'user', content: 'two' },
        ],
      },
    },
    ['assistant: <think>hm</think>One.', 'user: two'],
  ],
];

it.each(ROWS)('%s', async (_name, files, expected) => {
  const bench = await openImportBench();
  const report = await bench.import(folderWith(files));
  expect([report.problems, report.added]).toEqual([[], 1]);
  const [made = ''] = bench.folders();
  const conversation = bench.jsonOf(made);
  const tools = conversation.messages.map(({ metadata }: { metadata?: Tools }) =>
    (metadata?.tools ?? [])
      .map(({ name, input, result }) => ` <${name} ${input} = ${result}>`)
      .join(''),
  );
  expect(said(conversation).map((line: string, index: number) => line + tools[index])).toEqual(
    expected,
  );
  const before = bench.hash();
  await bench.import(folderWith(files));
  expect(bench.hash()).toBe(before);
});

it.each([
  ['ChatGPT', [{ id: 'broken' }, { id: 'c', mapping: node('a', null, text('user', 'one')) }]],
  ['Claude.ai', [null, { uuid: 'c', chat_messages: [human('a', { text: 'one' })] }]],
])('%s: an export is read although its first conversation is broken', async (_name, content) => {
  const bench = await openImportBench();
  const report = await bench.import(folderWith({ 'conversations.json': content }));
  expect(report).toMatchObject({ added: 1, skipped: 1, problems: [{ record: '[0]' }] });
});

it.each([
  ['Gemini Apps', 'MyActivity.json', { header: 'Gemini Apps', title: 'Prompted one' }],
  ['LibreChat', 'a.json', { conversationId: 'c', messages: [{ messageId: 'm', text: 'one' }] }],
  [
    'OpenWebUI',
    'a.json',
    { id: 'c', chat: { history: { messages: { a: { role: 'user', content: 'one' } } } } },
  ],
])('%s: an export is read although its first record is broken', async (_name, name, record) => {
  const bench = await openImportBench();
  const report = await bench.importText([{ id: 'broken' }, record], name);
  expect(report).toMatchObject({ added: 1 });
});

it.each([
  ['parents in a circle', { a: { id: 'a', parentId: 'b' }, b: { id: 'b', parentId: 'a' } }, 'b'],
  ['no current message', { a: { id: 'a', parentId: null } }, null],
])('OpenWebUI: %s', async (_name, links, currentId) => {
  const bench = await openImportBench();
  const messages = Object.fromEntries(
    Object.entries(links).map(([id, link]) => [id, { ...link, role: 'user', content: id }]),
  );
  const chat = { id: 'c', title: 't', chat: { history: { messages, currentId } } };
  expect(await bench.importText([chat])).toMatchObject({ added: 1, problems: [] });
  const contents = bench.folders().flatMap((name) => said(bench.jsonOf(name)));
  expect(contents).toHaveLength(Object.keys(links).length);
});

interface Tools {
  readonly tools?: readonly { name: string; input: string; result: string }[];
}
