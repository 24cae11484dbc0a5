/** A small input of each source, and functions that damage it. A source without a sample fails a test. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { tempFolder } from '../support/temp-folder.js';
import { FIXTURES, lines } from './bench.js';

export const CHATGPT = readFileSync(join(FIXTURES, 'chatgpt/conversations.json'), 'utf8');
const GEMINI = lines(
  { sessionId: 's', projectHash: 'p', startTime: '2026-01-01T00:00:00Z' },
  { id: 'a', timestamp: '2026-01-01T00:00:00Z', type: 'user', content: 'hello' },
  { $set: { messages: [{ id: 'b', type: 'gemini', content: 'x', toolCalls: [{ name: 'y' }] }] } },
);
const CODE = lines(
  {
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    sessionId: 's',
    message: { content: 'hello <system-reminder>x</system-reminder>' },
  },
  {
    type: 'assistant',
    uuid: 'u2',
    parentUuid: 'u1',
    sessionId: 's',
    message: { id: 'm', content: [{ type: 'tool_use', id: 't', name: 'ls', input: {} }] },
  },
);
const CODEX = lines(
  { type: 'session_meta', timestamp: '2026-01-01T00:00:00Z', payload: { id: 's', cwd: '/a' } },
  {
    type: 'response_item',
    payload: { type: 'message', role: 'user', content: [{ text: 'hello' }] },
  },
);
/** A small file of each source that reads texts: its name begins with the kind of the source. */
export const TEXT_SAMPLES: Readonly<Record<string, string>> = {
  'chatgpt/conversations.json': CHATGPT,
  'claude/conversations.json': JSON.stringify([
    {
      uuid: 'c',
      name: 'n',
      chat_messages: [
        { uuid: 'm', sender: 'human', content: [{ type: 'text', text: 'x' }] },
        {
          uuid: 'n',
          parent_message_uuid: 'm',
          sender: 'assistant',
          content: [
            { type: 'tool_result', content: [{ title: 'A', url: 'https://a.example' }] },
            { type: 'text', text: 'y', citations: [{ details: { url: 'https://a.example' } }] },
          ],
        },
      ],
    },
  ]),
  'claude-code/projects/p/s.jsonl': CODE,
  'codex/rollout-1-s.jsonl': CODEX,
  'gemini-cli/shed/chats/session-1.jsonl': GEMINI,
  'openai/a.json': JSON.stringify({ messages: [{ role: 'user', content: [{ text: 'x' }] }] }),
  'markdown/a.md': '## User\nx\n\n## Assistant\ny\n',
  'markdown/b.txt':
    ' ▐▛███▜▌ Claude Code v2.1\n\n❯ x\n\n✻ Thinking…\n\nz\n\n⏺ Bash(ls)\n  ⎿  y\n\n⏺ y\n',
  'daybook/a.jsonl': lines(
    { thread: { id: 't' } },
    { message: { threadId: 't', role: 'user', content: 'x' } },
  ),
  'openwebui/a.json': JSON.stringify([
    { id: 'c', chat: { history: { messages: { a: { role: 'user', content: 'x' } } } } },
  ]),
  'librechat/a.json': JSON.stringify({
    conversationId: 'c',
    messages: [{ messageId: 'm', text: 'x', isCreatedByUser: true }],
  }),
  'mem0/a.json': JSON.stringify([{ memory: 'x' }]),
  'gemini-apps/MyActivity.json': JSON.stringify([
    { header: 'Gemini Apps', title: 'Prompted x', safeHtmlItem: [{ html: '<p>y' }] },
  ]),
  'server-memory/memory.jsonl': lines({ type: 'entity', name: 'a', observations: ['b'] }),
  'cursor-cli/shed/agent-transcripts/s/s.jsonl': lines(
    { role: 'user', message: { content: [{ type: 'text', text: '<user_query>x</user_query>' }] } },
    {
      role: 'assistant',
      message: {
        content: [
          { type: 'tool_use', id: 't', name: 'ls', input: {} },
          { type: 'tool_result', tool_use_id: 't', content: 'files' },
          { type: 'text', text: 'y' },
        ],
      },
    },
  ),
  'cursor-cli/shed/agent-transcripts/s/subagents/t.txt':
    'user:\nx\n\nassistant:\n[Tool call] ls\n  path: .\n\n[Tool result] ls\n  files\n\ny\n',
  'vscode/workspaceStorage/w/chatSessions/s.jsonl': lines(
    { kind: 0, v: { version: 3, sessionId: 's', creationDate: 1770112800000, requests: [] } },
    {
      kind: 2,
      k: ['requests'],
      v: [{ requestId: 'r', timestamp: 1770112800001, message: { text: 'x' }, response: [] }],
    },
    {
      kind: 2,
      k: ['requests', 0, 'response'],
      v: [{ kind: 'toolInvocationSerialized', toolId: 'ls' }, { value: 'y' }],
    },
  ),
  'copilot-cli/s/events.jsonl': lines(
    { type: 'session.start', data: { sessionId: 's', context: { cwd: '/a' } } },
    { type: 'user.message', id: 'u', data: { content: 'x' } },
    {
      type: 'assistant.message',
      id: 'a',
      data: { content: 'y', toolRequests: [{ toolCallId: 't', name: 'ls' }] },
    },
    { type: 'tool.execution_complete', data: { toolCallId: 't', result: { content: 'z' } } },
  ),
  'vscode/workspaceStorage/w/workspace.json': JSON.stringify({ folder: 'file:///shed' }),
  'vault/a.md':
    '---\ntitle: Shed\npermalink: shed\n---\n- [decision] Larch #wood\n- rests on [[Base]]\n',
  'memory-bank/kg_wal.log': lines({ s: 'a', p: 'b', o: 'c' }),
};

type Cell = string | number | Uint8Array | null;
export type Tables = Readonly<Record<string, readonly Readonly<Record<string, Cell>>[]>>;

const T = 1706102400123;
const UUID = '66666666-aaaa-4aaa-8aaa-000000000001';
const MESSAGE_DIGEST = 'aa'.repeat(32);
const OLD_CHATS = { tabs: [{ tabId: 'c', bubbles: [{ type: 'user', id: 'u', text: 'x' }] }] };

/** The same for sources that read SQLite files: by kind, with a file name if it matters. */
export const DATABASE_SAMPLES: Readonly<Record<string, Tables>> = {
  opencode: {
    session: [{ id: 's', directory: '/shed', title: 'x', time_created: T, time_updated: T }],
    message: [
      { id: 'a', session_id: 's', time_created: T, data: '{"role":"user"}' },
      { id: 'b', session_id: 's', time_created: T, data: '{"role":"assistant"}' },
    ],
    part: [
      { id: 'p', message_id: 'a', data: '{"type":"text","text":"x"}' },
      { id: 'q', message_id: 'b', data: '{"type":"tool","tool":"ls","state":{"input":{}}}' },
      { id: 'r', message_id: 'b', data: '{"type":"text","text":"y"}' },
    ],
  },
  mnemosyne: {
    conversations: [{ id: 'c', created_at: T, updated_at: T, title: 'x', metadata: '{"a":1}' }],
    messages: [
      {
        id: 'm',
        conversation_id: 'c',
        role: 'user',
        content: 'x',
        created_at: T,
        parent_message_id: null,
        metadata: '{}',
      },
    ],
    conversation_summaries: [
      {
        conversation_id: 'c',
        level: 'brief',
        summary_text: 'x',
        provider: 'y',
        model: 'z',
        generated_at: T,
        message_count: 1,
        quality_score: 0.5,
      },
    ],
    persistence_state: [{ key: 'pinned_conversations', value: '["c"]', updated_at: T }],
  },
  'odei-history': {
    threads: [
      {
        id: UUID,
        module: 'm',
        title: 'x',
        createdAt: '2025-12-18T14:22:00Z',
        updatedAt: '2025-12-18T14:22:00Z',
        meta: '{"tags":["a"]}',
      },
    ],
    messages: [
      {
        id: 'a',
        threadId: UUID,
        seq: 1,
        role: 'user',
        content: 'x',
        createdAt: '2025-12-18T14:22:00Z',
      },
    ],
  },
  'insights-mcp': {
    insights: [
      {
        id: UUID,
        content: 'x',
        context: 'global',
        metadata: '{"files":["a"]}',
        created_at: T,
        updated_at: T,
      },
    ],
  },
  llm: {
    conversations: [{ id: 'c', name: 'x', model: 'm' }],
    responses: [
      {
        id: 'r',
        model: 'm',
        prompt: 'x',
        system: 's',
        response: 'y',
        conversation_id: 'c',
        datetime_utc: '2026-02-03T10:00:00',
      },
    ],
    threads: [{ id: 'c', name: 'x', tip_message_hash: 'h2', forked_from: null }],
    turns: [
      {
        id: 'u',
        thread_id: 'c',
        parent_message_hash: 'h1',
        tip_message_hash: 'h2',
        model: 'm',
        datetime_utc: '2026-02-03T10:00:00+00:00',
      },
    ],
    messages: [
      { hash: 'h1', parent_hash: null, role: 'user' },
      { hash: 'h2', parent_hash: 'h1', role: 'assistant' },
    ],
    parts: [
      {
        message_hash: 'h1',
        position: 0,
        type: 'text',
        tool_name: null,
        text: null,
        payload: '{"text_ref":[{"fragment":1},{"literal":"x"}]}',
      },
      { message_hash: 'h2', position: 0, type: 'text', tool_name: null, text: 'y', payload: null },
    ],
  },
  cursor: {
    cursorDiskKV: [
      {
        key: 'composerData:d',
        value: '{"createdAt":1770112800000,"fullConversationHeadersOnly":[{"bubbleId":"b"}]}',
      },
      {
        key: 'bubbleId:d:b',
        value: '{"type":2,"text":"x","toolFormerData":{"name":"ls","rawArgs":"{}"}}',
      },
    ],
    ItemTable: [
      {
        key: 'workbench.panel.aichat.view.aichat.chatdata',
        value: JSON.stringify(OLD_CHATS),
      },
      { key: 'aiService.prompts', value: '[{"text":"y"}]' },
    ],
  },
  'cursor-cli': {
    blobs: [
      { id: MESSAGE_DIGEST, data: '{"role":"user","content":"x"}' },
      { id: 'root', data: Buffer.concat([Buffer.from([10, 32]), Buffer.alloc(32, 0xaa)]) },
    ],
    meta: [{ key: '0', value: '{"agentId":"c","latestRootBlobId":"root"}' }],
  },
};

export function databaseAt(path: string, tables: Tables): string {
  mkdirSync(dirname(path), { recursive: true });
  const database = new sqlite.Database(path);
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? {});
    database.exec(`CREATE TABLE ${table} (${columns.join(', ')})`);
    const marks = columns.map(() => '?').join(', ');
    for (const row of rows) {
      database.run(`INSERT INTO ${table} VALUES (${marks})`, Object.values(row));
    }
  }
  database.close();
  return path;
}

export const NASTY: readonly unknown[] = [
  ...[null, true, 0, -1, 1e308, 2 ** 60, '', 'x', '\ud800', '__proto__', [], {}, [null]],
  { text: { text: {} } },
  [[[[[]]]]],
];

/** The same document with one value of it, chosen by `at`, turned into another. */
export function changed(value: unknown, at: { left: number }, into: unknown): unknown {
  at.left -= 1;
  if (at.left === 0) return into;
  if (Array.isArray(value)) return value.map((each) => changed(each, at, into));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, changed(each, at, into)]),
  );
}

/** The text samples of a kind: name and content. */
const textsOf = (kind: string) =>
  Object.entries(TEXT_SAMPLES).filter(([name]) => name.startsWith(`${kind}/`));

/** A folder with all samples of a kind; the one file of a kind that has no folder in this form. */
export function inputOf(kind: string): string {
  const folder = tempFolder();
  for (const [name, content] of textsOf(kind)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const tables = DATABASE_SAMPLES[kind];
  if (tables !== undefined) databaseAt(join(folder, 'chat', 'store.db'), tables);
  return kind === 'daybook' ? join(folder, 'daybook/a.jsonl') : folder;
}
