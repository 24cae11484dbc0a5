/** One small input for each documented peculiarity of a format that no other test of imports has. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errorOf } from '../support/error-of.js';
import { zipOf } from '../support/zip.js';
import { counts, fileWith, folderWith, lines, openImportBench, said } from './bench.js';

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
const browser = (content: object) => ({ author: { role: 'tool', name: 'browser' }, content });
const claude = (messages: readonly object[], more: object = {}) => ({
  'conversations.json': [{ uuid: 'c', name: '', chat_messages: messages, ...more }],
});
const human = (uuid: string, more: object) => ({
  uuid,
  sender: 'human',
  created_at: '2025-01-24T13:20:00.123456Z',
  ...more,
});
const code = (uuid: string, content: unknown, more: object = {}) => ({
  type: 'user',
  uuid,
  parentUuid: null,
  sessionId: 'c',
  cwd: '/shed',
  timestamp: '2026-01-02T10:00:00.000Z',
  message: { role: 'user', content },
  ...more,
});
const session = (...all: readonly unknown[]) => ({ 'projects/-shed/c.jsonl': lines(...all) });
const gemini = (...all: readonly unknown[]) =>
  lines({ sessionId: 'c', startTime: '2026-01-02T10:00:00.000Z' }, ...all);
const messageOf = { id: 'm', type: 'user', content: 'one', timestamp: '2026-01-02T10:00:00.000Z' };

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
        author: { role: 'assistant' },
        recipient: 'python',
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
    'ChatGPT: a page that was opened, a passage of it, and an error of a tool',
    chatgpt({
      ...node('a', null, text('user', 'one')),
      ...node(
        'b',
        'a',
        browser({ content_type: 'tether_browsing_display', result: 'Larch lasts.' }),
      ),
      ...node('d', 'b', {
        ...browser({ content_type: 'tether_quote', url: 'https://a.example', text: 'For years.' }),
      }),
      ...node('e', 'd', browser({ content_type: 'system_error', name: 'Timeout', text: 'Slow.' })),
      ...node('f', 'e', { ...text('assistant', 'Two.'), metadata: { model_slug: 'gpt-x' } }),
    }),
    [
      'user: one',
      'assistant: Two. <browser undefined = Larch lasts.> <browser undefined = ([https://a.example](https://a.example))\n\nFor years.> <browser undefined = Slow.>',
    ],
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
        text: 'one',
        content: [],
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
    'Claude.ai: a file in the newer list, named in the older one too',
    claude([
      human('a', {
        text: 'one',
        files: [{ file_name: 'photo.png' }],
        files_v2: [{ file_name: 'photo.png', file_kind: 'image' }, { file_name: 'plan.pdf' }],
      }),
    ]),
    ['user: one\n\n[file: photo.png]\n\n[file: plan.pdf]'],
  ],
  [
    'Claude Code: workflows and aliases of sessions beside them',
    {
      ...session(code('a', 'one')),
      'projects/-shed/.session-aliases': '{"shed":"c"}',
      'projects/-shed/c/workflows/run.jsonl': lines(code('x', 'of a workflow')),
      'projects/-shed/c/workflows/run.json': '{}',
    },
    ['user: one'],
  ],
  [
    'Claude Code: prompts of the history with what was pasted, and with what is gone',
    {
      'history.jsonl': lines({
        timestamp: 1767348002000,
        project: '/shed',
        sessionId: 'c',
        display: 'one [Pasted text #1 +2 lines] [Pasted text #2] [Image #3]',
        pastedContents: { 1: { id: 1, type: 'text', content: 'larch\noak' }, 2: { id: 2 } },
      }),
    },
    ['user: one larch\noak [Pasted text #2] [Image #3]'],
  ],
  [
    'Gemini CLI: a session of a subagent in the folder of its parent',
    { 'shed/chats/b/session-2-c.jsonl': gemini(messageOf) },
    ['user: one'],
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
    'Claude Code: a command for the shell as it was typed, without its output; no context of the editor',
    session(
      code('a', '<bash-input>ls -la</bash-input>'),
      code('b', '<bash-stdout>files</bash-stdout><bash-stderr></bash-stderr>', { parentUuid: 'a' }),
      code('d', '<ide_opened_file>x.ts</ide_opened_file>fix this', { parentUuid: 'b' }),
    ),
    ['user: ! ls -la', 'user: fix this'],
  ],
  [
    'Claude Code: what the user wrote when refusing a call, but no other results',
    session(
      code('a', 'one'),
      code(
        'b',
        [
          {
            type: 'tool_result',
            tool_use_id: 't',
            is_error: true,
            content:
              "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nUse larch",
          },
          { type: 'tool_result', tool_use_id: 'u', content: 'In the log the user said: hello' },
        ],
        { parentUuid: 'a' },
      ),
    ),
    ['user: one', 'user: Use larch'],
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
        { ...messageOf, content: [{ text: 'one' }] },
        { ...messageOf, id: 'n', type: 'error', content: 'quota' },
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
            role: 'assistant',
            content: null,
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

it.each(ROWS)('an unusual export: %s', async (_name, files, expected) => {
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
])('%s: an export is read although its first conversation is damaged', async (_name, content) => {
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
])('%s: an export is read although its first record is damaged', async (_name, name, record) => {
  const bench = await openImportBench();
  const report = await bench.importText([{ id: 'broken' }, record], name);
  expect(report).toMatchObject({ added: 1 });
});

it('ChatGPT: the model is in the metadata, and a star becomes a pin', async () => {
  const bench = await openImportBench();
  const answer = { ...text('assistant', 'one'), metadata: { model_slug: 'gpt-x' } };
  const more = { is_starred: true, default_model_slug: 'gpt-y' };
  await bench.import(folderWith(chatgpt(node('a', null, answer), more)));
  expect(bench.bySource('c')).toMatchObject({
    pinned: true,
    metadata: { model: 'gpt-y' },
    messages: [{ metadata: { model: 'gpt-x' } }],
  });
});

it('Claude.ai: a star becomes a pin', async () => {
  const bench = await openImportBench();
  await bench.import(folderWith(claude([human('a', { text: 'one' })], { is_starred: true })));
  expect(bench.bySource('c').pinned).toBe(true);
});

it.each([
  { 'conversations.json': ' [ ]\n', 'user.json': '{}' },
  { 'conversations-000.json': '[]', 'conversations-001.json': '[]' },
])('an export without conversations is reported as empty: %j', async (files) => {
  const bench = await openImportBench();
  const refused = {
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('has no conversations'),
  };
  await expect(bench.import(folderWith(files))).rejects.toMatchObject(refused);
  await expect(bench.importText('[]')).rejects.toMatchObject(refused);
  await expect(bench.importText('[1]')).rejects.toMatchObject({
    message: expect.stringContaining('has a format that'),
  });
});

it('an empty folder and an empty archive are reported as empty, not as an unknown format', async () => {
  const bench = await openImportBench();
  for (const path of [folderWith({}), fileWith(zipOf([]), 'a.zip')]) {
    const { code, message } = await errorOf(bench.import(path));
    expect({ code, message }).toEqual({
      code: 'VALIDATION_ERROR',
      message: `${path} has no files.`,
    });
  }
});

it('the hint for a backup has its whole path, which daybook restore needs', async () => {
  const bench = await openImportBench();
  const name = 'conversations-2026-01.tar.gz';
  const folder = folderWith({ [name]: 'x' });
  const { hint } = await errorOf(bench.import(join(folder, name)));
  expect(hint).toContain(`daybook restore ${join(folder, name)}`);
});

const ODD = { odd: true };
it.each([
  ['openai', 'a.json', [ODD, { id: 'c', messages: [{ role: 'user', content: 'one' }] }], 'added'],
  [
    'openai',
    'a.jsonl',
    lines(ODD, { id: 'c', messages: [{ role: 'user', content: 'one' }] }),
    'added',
  ],
  [
    'openai',
    'a.jsonl',
    lines('{ "half', { id: 'c', messages: [{ role: 'user', content: 'one' }] }),
    'added',
  ],
  ['mem0', 'a.json', [ODD, { id: 'c', memory: 'Larch lasts.' }], 'insights'],
  [
    'server-memory',
    'a.jsonl',
    lines(ODD, { type: 'entity', name: 'Ada', entityType: 'person', observations: [] }),
    'facts',
  ],
  ['insights-mcp', 'a.json', [ODD, { content: 'Larch lasts.', context: 'global' }], 'insights'],
  [
    'insights-mcp',
    'a.jsonl',
    lines(ODD, { content: 'Larch lasts.', context: 'global' }),
    'insights',
  ],
] as const)('%s: %s is recognised although its first record is unusual', async (kind, name, content, counted) => {
  const bench = await openImportBench();
  const report = await bench.importText(content, name);
  expect(report).toMatchObject({ sources: [{ kind }], [counted]: 1 });
  expect(report.problems).toHaveLength(1);
});

it('Obsidian: notes may have a byte-order mark and CRLF', async () => {
  const bench = await openImportBench();
  const note =
    '\ufeff---\r\ntitle: Shed\r\n---\r\n- [decision] Use larch\r\n- stands in [[Garden]]\r\n';
  const folder = folderWith({ '.obsidian/app.json': '{}', 'Shed.md': note });
  const report = await bench.import(folder);
  expect(report).toMatchObject({ sources: [{ kind: 'vault' }], notes: 1, facts: 2, problems: [] });
  const facts = await bench.kg.query({ subject: 'Shed' }, { offset: 0, limit: 9, order: 'oldest' });
  expect(facts.triples.map(({ object }) => object).sort()).toEqual(['Garden', 'Use larch']);
  const before = bench.hash();
  await bench.import(folder);
  expect(bench.hash()).toBe(before);
});

it.each([
  ['parents in a circle', { a: { id: 'a', parentId: 'b' }, b: { id: 'b', parentId: 'a' } }, 'b'],
  ['no current message', { a: { id: 'a', parentId: null } }, null],
])('OpenWebUI: %s is imported', async (_name, links, currentId) => {
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

describe('records without usual fields', () => {
  it('a ChatGPT conversation without an id is imported once, also from a later export', async () => {
    const bench = await openImportBench();
    const node = (id: string, parent: string | null, role: string, text: string) => ({
      id,
      parent,
      children: [],
      message: { id, author: { role }, content: { content_type: 'text', parts: [text] } },
    });
    const first = {
      r: node('r', null, 'user', 'Which wood?'),
      a: node('a', 'r', 'assistant', 'Oak.'),
    };
    const talk = (mapping: object, current_node: string) => [
      { title: 'Wood', create_time: 1_706_102_400, mapping, current_node },
    ];
    expect(counts(await bench.importText(talk(first, 'a'), 'conversations.json'))).toMatchObject({
      added: 1,
      skipped: 0,
    });
    const later = { ...first, b: node('b', 'a', 'user', 'Thanks') };
    expect(counts(await bench.importText(talk(later, 'b'), 'conversations.json'))).toMatchObject({
      added: 0,
      updated: 1,
    });
  });

  it('a chat of OpenWebUI without a history has the messages of its list', async () => {
    const bench = await openImportBench();
    const messages = [
      { role: 'user', content: 'Which wood?' },
      { role: 'assistant', content: 'Oak.' },
    ];
    const report = await bench.importText([{ id: 'w1', title: 'Wood', chat: { messages } }]);
    expect(report.sources).toMatchObject([{ kind: 'openwebui' }]);
    expect(said(bench.jsonOf(bench.folders()[0] ?? ''))).toEqual([
      'user: Which wood?',
      'assistant: Oak.',
    ]);
  });

  it('an incomplete last line of an export is reported', async () => {
    const bench = await openImportBench();
    const line = (text: string) => JSON.stringify({ messages: [{ role: 'user', content: text }] });
    const torn = `${line('one')}\n${line('two').slice(0, 30)}`;
    const report = await bench.importText(torn, 'export.jsonl');
    expect(counts(report)).toMatchObject({ added: 1, skipped: 1 });
    expect(report.problems).toMatchObject([{ record: 'line 2', code: 'CORRUPT' }]);
  });

  it('an older export that is imported after a newer one changes nothing', async () => {
    const bench = await openImportBench();
    const messageOf = (id: string, role: string, text: string) => ({
      id,
      author: { role },
      content: { content_type: 'text', parts: [text] },
    });
    const talk = (title: string, update_time: number, text: string) => [
      {
        id: 'c1',
        title,
        create_time: 1_706_102_400,
        update_time,
        current_node: 'b',
        mapping: {
          a: { id: 'a', parent: null, children: ['b'], message: messageOf('a', 'user', 'Soup?') },
          b: { id: 'b', parent: 'a', children: [], message: messageOf('b', 'assistant', text) },
        },
      },
    ];
    const [older, newer] = [
      talk('Soop', 1_706_102_500, 'Lentil soop'),
      talk('Soup', 1_706_102_600, 'Lentil soup'),
    ];
    await bench.importText(newer, 'conversations.json');
    const before = bench.jsonOf(bench.folders()[0] ?? '');
    const report = await bench.importText(older, 'conversations.json');
    expect(counts(report)).toMatchObject({ added: 0, updated: 0, unchanged: 1 });
    expect(bench.folders()).toHaveLength(1);
    expect(bench.jsonOf(bench.folders()[0] ?? '')).toEqual(before);
  });
});

it('many equal messages, each with its own id, are read', async () => {
  const bench = await openImportBench();
  const messages = Array.from({ length: 30_000 }, () => ({ role: 'user', content: 'yes' }));
  await bench.importText({ id: 'equal', messages });
  const ids = bench.bySource('equal').messages.map(({ id }: { id: string }) => id);
  expect(new Set(ids).size).toBe(messages.length);
});

it.each([
  ['a document', (chat: object) => chat],
  ['a list', (chat: object) => [chat, { messages: [{ role: 'user', content: 'hi' }] }]],
])('%s whose first conversation has 17 MB is recognised', async (_what, of) => {
  const bench = await openImportBench();
  const messages = Array.from({ length: 17 }, (_none, index) => ({
    role: 'user',
    content: `${index}${'x'.repeat(1024 * 1024)}`,
  }));
  await bench.importText(of({ id: 'large', messages }));
  expect(bench.bySource('large').messageCount).toBe(17);
});

it('a number in metadata that is too large is kept as text', async () => {
  const bench = await openImportBench();
  const message = '{"role": "user", "content": "hi"}';
  await bench.importText(
    `{"id": "c", "messages": [${message}], "metadata": {"a": [1e400, -1e999, null, 1]}}`,
  );
  expect(bench.bySource('c').metadata.a).toEqual(['Infinity', '-Infinity', null, 1]);
});
