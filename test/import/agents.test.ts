/** Sessions of coding agents: Codex and Gemini CLI; and Gemini Apps. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { zstdOf } from '../support/zstd.js';
import { counts, folderWith, lines, openImportBench, said } from './bench.js';

const ID = '55555555-ffff-4fff-8fff-000000000001';
const record = (second: number, type: string, payload: object) => ({
  timestamp: `2026-02-03T10:00:${String(second).padStart(2, '0')}.000Z`,
  type,
  payload,
});
const meta = (more: object = {}) =>
  record(0, 'session_meta', {
    id: ID,
    timestamp: '2026-02-03T10:00:00.000Z',
    cwd: '/home/ada/shed',
    git: { branch: 'main', repository_url: 'git@example.org:shed.git' },
    ...more,
  });
const message = (second: number, role: string, text: string) =>
  record(second, 'response_item', {
    type: 'message',
    role,
    content: [{ type: role === 'assistant' ? 'output_text' : 'input_text', text }],
  });
const LEGACY = [
  meta(),
  message(1, 'user', '<environment_context>cwd</environment_context>'),
  record(1, 'turn_context', { model: 'gpt-x' }),
  message(2, 'user', 'Build a shed'),
  record(3, 'response_item', {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm' }],
  }),
  record(4, 'response_item', {
    type: 'function_call',
    name: 'shell',
    arguments: '{"c":"ls"}',
    call_id: 'c1',
  }),
  record(5, 'response_item', { type: 'function_call_output', call_id: 'c1', output: 'files' }),
  record(5, 'event_msg', { type: 'agent_message', message: 'Done.' }),
  record(6, 'compacted', {
    message: 'x',
    replacement_history: [message(1, 'user', 'again').payload],
  }),
  message(7, 'assistant', 'Done.'),
];
const SAID = ['user: Build a shed', 'assistant: Done.'];

describe('a session of Codex', () => {
  it('in the root folder has no module, because that folder has no name', async () => {
    const bench = await openImportBench();
    await bench.importText(lines(meta({ cwd: '/' }), ...LEGACY.slice(1)), 'rollout-x.jsonl');
    const { module, metadata } = bench.bySource(ID);
    expect([module, metadata.cwd]).toEqual([undefined, '/']);
  });

  it('in the older form has the typed and answered messages, without injected and compacted ones', async () => {
    const bench = await openImportBench();
    const report = await bench.import(
      folderWith({
        [`sessions/2026/02/03/rollout-2026-02-03T10-00-00-${ID}.jsonl`]: lines(...LEGACY),
      }),
    );
    expect(report.sources).toMatchObject([{ kind: 'codex' }]);
    const made = bench.bySource(ID);
    expect(said(made)).toEqual(SAID);
    expect(made).toMatchObject({
      module: 'shed',
      createdAt: '2026-02-03T10:00:00.000Z',
      metadata: { gitBranch: 'main', gitRemote: 'git@example.org:shed.git' },
    });
    expect(made.messages[1].metadata).toEqual({
      model: 'gpt-x',
      tools: [{ name: 'shell', input: '{"c":"ls"}', result: 'files' }],
      thinking: 'Hm',
    });
    expect(report.leftOut).toEqual({ 'injected context': 1, compactions: 1 });
  });

  it('is also read from a compressed file, and once if both files exist', async () => {
    const bench = await openImportBench();
    const name = `rollout-2026-02-03T10-00-00-${ID}.jsonl`;
    const packed = folderWith({ [`archived_sessions/${name}.zst`]: zstdOf(lines(...LEGACY)) });
    await bench.import(packed);
    expect(said(bench.bySource(ID))).toEqual(SAID);
    expect(bench.bySource(ID).tags).toEqual(['codex', 'archived']);
    const both = folderWith({
      [`sessions/${name}.zst`]: zstdOf(lines(...LEGACY)),
      [`sessions/${name}`]: lines(...LEGACY, message(9, 'user', 'More')),
    });
    expect((await bench.import(both)).problems).toEqual([]);
    expect(bench.bySource(ID).messageCount).toBe(3);
  });

  it('in the newer form has its completed items, and no response item of a user', async () => {
    const bench = await openImportBench();
    const item = (second: number, fields: object) =>
      record(second, 'event_msg', { type: 'item_completed', item: fields });
    const text = lines(
      meta({ history_mode: 'paginated' }),
      message(1, 'user', 'something injected'),
      item(2, { id: 'i1', type: 'UserMessage', content: [{ type: 'text', text: 'Build a shed' }] }),
      item(3, { id: 'i2', type: 'CommandExecution', command: 'ls', aggregated_output: 'files' }),
      item(3, {
        id: 'i5',
        type: 'McpToolCall',
        server: 's',
        tool: 'buy',
        arguments: { a: 1 },
        result: { content: [{ type: 'text', text: 'bought' }] },
        status: 'completed',
      }),
      item(3, { id: 'i6', type: 'Reasoning', summary_text: ['Hm'], raw_content: ['so'] }),
      item(3, { id: 'i7', type: 'ContextCompaction' }),
      item(4, { id: 'i3', type: 'AgentMessage', content: [{ type: 'Text', text: 'Done.' }] }),
      item(5, { id: 'i4', type: 'Plan', text: 'First the floor.' }),
    );
    const report = await bench.import(folderWith({ [`sessions/rollout-x-${ID}.jsonl`]: text }));
    expect(said(bench.bySource(ID))).toEqual([...SAID, 'assistant: First the floor.']);
    expect(bench.bySource(ID).messages[1].metadata).toEqual({
      tools: [
        { name: 'CommandExecution', input: 'ls', result: 'files' },
        { name: 'buy', input: '{"a":1}', result: 'bought' },
      ],
      thinking: 'Hm\n\nso',
    });
    expect(report.leftOut).toEqual({ 'injected context': 1, compactions: 1 });
  });

  it('of a subagent has a tag and names the session that started it', async () => {
    const bench = await openImportBench();
    const child = ID.replace(/1$/, '2');
    const source = { subagent: { thread_spawn: { parent_thread_id: ID, depth: 1 } } };
    const log = (id: string, ...records: readonly object[]) => ({
      [`sessions/2026/02/03/rollout-2026-02-03T10-00-00-${id}.jsonl`]: lines(...records),
    });
    await bench.import(
      folderWith({
        ...log(ID, ...LEGACY),
        ...log(child, meta({ id: child, source }), message(1, 'user', 'Find planks')),
      }),
    );
    expect(bench.bySource(ID).tags).toEqual(['codex']);
    const stored = bench.bySource(child);
    expect(stored).toMatchObject({ tags: ['codex', 'subagent'], metadata: { parent: ID } });
    expect(said(stored)).toEqual(['user: Find planks']);
  });

  it('in an unknown form is reported and skipped', async () => {
    const bench = await openImportBench();
    const text = lines(meta({ history_mode: 'sharded' }), message(2, 'user', 'x'));
    const report = await bench.import(folderWith({ [`rollout-x-${ID}.jsonl`]: text }));
    expect(report.problems).toMatchObject([{ code: 'FORMAT_TOO_NEW' }]);
    expect(counts(report)).toMatchObject({ added: 0, skipped: 1 });
  });
});

describe('a session of Gemini CLI', () => {
  const at = (n: number) => ({ id: `g${n}`, timestamp: `2026-02-03T10:00:0${n}.000Z` });
  const HEAD = { sessionId: ID, projectHash: 'abc', startTime: '2026-02-03T10:00:00.000Z' };
  const ASKED = { ...at(1), type: 'user', content: [{ text: 'Build a shed' }] };
  const ANSWERED = {
    ...at(2),
    type: 'gemini',
    content: 'Done.',
    model: 'gemini-x',
    tokens: { total: 9 },
    thoughts: [{ subject: 'Plan', description: 'Hm' }],
    toolCalls: [{ name: 'ls', args: {}, resultDisplay: 'files', status: 'success' }],
  };

  it('has messages from before the context was replaced, and removed messages as a branch', async () => {
    const bench = await openImportBench();
    const folder = folderWith({
      'shed/.project_root': '/home/ada/shed\n',
      'shed/chats/session-2026-02-03T10-00-abc.jsonl': lines(
        HEAD,
        { $set: { messages: [ASKED], summary: 'A shed' } },
        { ...at(2), type: 'gemini', content: 'Do' },
        ANSWERED,
        { ...at(3), type: 'user', content: 'wrong' },
        { $rewindTo: 'g3' },
        { ...at(4), type: 'info', content: 'updated' },
      ),
      'shed/chats/session-x.jsonl.tmp-123': 'half',
    });
    const report = await bench.import(folder);
    expect(report.sources).toMatchObject([{ kind: 'gemini-cli' }]);
    const made = bench.bySource(ID);
    expect(said(made)).toEqual(SAID);
    expect(made).toMatchObject({ title: 'A shed', module: 'shed' });
    expect(made.messages[1].metadata).toEqual({
      model: 'gemini-x',
      usage: { total: 9 },
      thinking: 'Hm',
      tools: [{ name: 'ls', input: '{}', result: 'files' }],
    });
    const branch = bench.bySource(`${ID}:g3`);
    expect(said(branch)).toEqual(['user: wrong']);
    expect(branch.branchOf.conversationId).toBe(made.conversationId);
  });

  it('leaves out what hooks added, and keeps the prompt after it', async () => {
    const bench = await openImportBench();
    const hook = '<hook_context>Earlier: &lt;b&gt;\n\nmore</hook_context>';
    const user = (n: number, ...texts: string[]) => ({
      ...at(n),
      id: `g${n}`,
      type: 'user',
      content: texts.map((text) => ({ text })),
    });
    const log = [HEAD, user(1, hook), user(2, `${hook}\n\nthe prompt`), user(3, 'next', hook)];
    const report = await bench.import(folderWith({ 'a/chats/session-1.jsonl': lines(...log) }));
    expect(said(bench.bySource(ID))).toEqual(['user: the prompt', 'user: next']);
    expect(report.leftOut).toMatchObject({ 'injected context': 3 });
  });

  it('keeps messages from before it was compressed, and each message once', async () => {
    const bench = await openImportBench();
    const say = (n: number, content: string, id = `g${n}`) => ({
      ...at(n),
      id,
      type: n % 2 === 1 ? 'user' : 'gemini',
      content,
    });
    const context = '<session_context>This is the Gemini CLI.</session_context>';
    const log = [
      HEAD,
      { $set: { messages: [{ ...at(0), type: 'user', content: [{ text: context }] }] } },
      say(1, 'yes'),
      say(2, 'first answer'),
      say(3, 'yes'),
      { $set: { messages: [say(1, 'yes'), say(2, 'first answer'), say(3, 'yes')] } },
      say(4, 'second answer'),
      {
        $set: {
          messages: [
            { id: 'x1', type: 'user', content: [{ text: '<state_snapshot>S</state_snapshot>' }] },
            { id: 'x2', type: 'gemini', content: 'Got it. Thanks!' },
            say(3, 'yes', 'x3'),
            say(4, 'second answer', 'x4'),
          ],
        },
      },
      say(5, 'third question'),
      say(6, 'third answer'),
      { $rewindTo: 'unknown' },
      { $set: { messages: [] } },
      say(7, 'fourth question'),
    ];
    const folder = folderWith({ 'shed/chats/session-1.jsonl': lines(...log) });
    const report = await bench.import(folder);
    expect(bench.folders()).toHaveLength(1);
    expect(said(bench.bySource(ID))).toEqual([
      ...['user: yes', 'assistant: first answer', 'user: yes', 'assistant: second answer'],
      ...['user: third question', 'assistant: third answer', 'user: fourth question'],
    ]);
    expect(report.leftOut).toEqual({ 'injected context': 2 });
  });

  it('rewinds to a message that a compression gave another id', async () => {
    const bench = await openImportBench();
    const log = [
      HEAD,
      ASKED,
      ANSWERED,
      { $set: { messages: [ASKED, { ...ANSWERED, id: 'x2' }] } },
      { $rewindTo: 'x2' },
      { ...at(3), type: 'gemini', content: 'Instead.' },
    ];
    await bench.import(folderWith({ 'shed/chats/session-1.jsonl': lines(...log) }));
    expect(said(bench.bySource(ID))).toEqual(['user: Build a shed', 'assistant: Instead.']);
    expect(said(bench.bySource(`${ID}:g2`))).toEqual(['assistant: Done.']);
  });

  it('is read from the older single document', async () => {
    const bench = await openImportBench();
    const document = { ...HEAD, messages: [ASKED, ANSWERED] };
    await bench.import(folderWith({ 'abc/chats/session-1.json': document }));
    expect(said(bench.bySource(ID))).toEqual(SAID);
  });

  it('that was deleted has its prompts from logs.json, which never replace a session', async () => {
    const bench = await openImportBench();
    const typed = (sessionId: string, messageId: number, message: string) => ({
      sessionId,
      messageId,
      message,
      type: 'user',
      timestamp: `2026-02-03T10:00:0${messageId}.000Z`,
    });
    const session = 'shed/chats/session-2026-02-03T10-00-abc.jsonl';
    const folder = folderWith({
      'shed/.project_root': '/home/ada/shed\n',
      'shed/logs.json': [
        typed(ID, 1, 'Build a shed'),
        typed('gone', 2, 'one'),
        { messageId: 3 },
        typed('gone', 4, 'two'),
      ],
      [session]: lines(HEAD, ASKED, ANSWERED),
    });
    const report = await bench.import(folder);
    expect(report.problems).toMatchObject([{ path: 'shed/logs.json', record: '[2]' }]);
    expect(bench.folders()).toHaveLength(2);
    const lost = bench.bySource('gone');
    expect(said(lost)).toEqual(['user: one', 'user: two']);
    expect(lost).toMatchObject({ module: 'shed', tags: ['gemini-cli', 'prompts only'] });
    rmSync(join(folder, session));
    const before = bench.hash();
    const again = await bench.import(folder);
    expect(counts(again)).toMatchObject({ added: 0, updated: 0, unchanged: 2 });
    expect(bench.hash()).toBe(before);
  });

  it('replaces the prompts of logs.json that were imported before it', async () => {
    const bench = await openImportBench();
    const log = { sessionId: ID, messageId: 0, type: 'user', message: 'Build a shed' };
    await bench.importText([log], 'logs.json');
    expect(said(bench.bySource(ID))).toEqual(['user: Build a shed']);
    const session = lines(HEAD, ASKED, ANSWERED);
    await bench.import(
      folderWith({ 'shed/logs.json': [log], 'shed/chats/session-1.jsonl': session }),
    );
    expect(bench.folders()).toHaveLength(1);
    expect(said(bench.bySource(ID))).toEqual(SAID);
  });
});

describe('Gemini Apps in a Takeout', () => {
  it('become conversations of one turn, with their answers as text', async () => {
    const bench = await openImportBench();
    const turn = (title: string, html: string) => ({
      header: 'Gemini Apps',
      products: ['Gemini Apps'],
      title,
      time: '2026-02-03T10:00:00.123Z',
      safeHtmlItem: [{ html }],
    });
    const report = await bench.import(
      folderWith({
        'Takeout/My Activity/Gemini Apps/MyActivity.json': [
          turn(
            'Prompted Build a shed',
            '<h2>Plan</h2><p>Use <b>larch</b> &amp; nails</p><ul><li>one</li></ul><pre><code>a &lt; b</code></pre>',
          ),
          turn('Prompted Again', '<p>Yes'),
          { header: 'Search', title: 'Searched' },
        ],
      }),
    );
    expect(counts(report)).toMatchObject({ added: 2, skipped: 1 });
    expect(said(bench.bySource('2026-02-03T10:00:00.123Z:1'))).toEqual([
      'user: Build a shed',
      'assistant: ## Plan\n\nUse **larch** & nails\n\n- one\n\n```\na < b\n```',
    ]);
    expect(bench.folders()).toHaveLength(2);
  });

  it('are found among the activity of many other products', async () => {
    const record = (header: string) => [{ header, title: 'Prompted hi', time: '2026-02-03' }];
    const products = ['Ads', 'Android', 'Books', 'Chrome', 'Discover', 'Drive', 'Gemini Apps'];
    const files = products.map((name) => [`My Activity/${name}/MyActivity.json`, record(name)]);
    const bench = await openImportBench();
    const report = await bench.import(folderWith(Object.fromEntries(files)));
    expect(report).toMatchObject({ added: 1, skipped: 0, problems: [] });
  });
});
