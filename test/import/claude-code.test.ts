/** Claude Code's logs: sessions, copies of sessions, subagents, prompts of deleted sessions. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { counts, folderWith, lines, openImportBench, said } from './bench.js';

const S1 = '33333333-cccc-4ccc-8ccc-000000000001';
const S2 = '33333333-cccc-4ccc-8ccc-000000000002';
const id = (n: number) => `33333333-dddd-4ddd-8ddd-${String(n).padStart(12, '0')}`;
const line = (
  n: number,
  parent: number | null,
  type: string,
  content: unknown,
  more: object = {},
) => ({
  type,
  uuid: id(n),
  parentUuid: parent === null ? null : id(parent),
  sessionId: S1,
  cwd: '/home/ada/shed',
  gitBranch: 'main',
  version: '2.1.0',
  isSidechain: false,
  timestamp: `2026-01-02T10:00:${String(n).padStart(2, '0')}.000Z`,
  message: { role: type, content },
  ...more,
});
const answer = (n: number, parent: number, apiId: string, block: object, more: object = {}) =>
  line(n, parent, 'assistant', [], {
    message: {
      role: 'assistant',
      id: apiId,
      model: 'claude-x',
      content: [block],
      usage: { input_tokens: 5, output_tokens: 7 },
    },
    ...more,
  });
const text = (words: string) => ({ type: 'text', text: words });
const use = (callId: string, name: string) => ({
  type: 'tool_use',
  id: callId,
  name,
  input: { a: 1 },
});
const result = (callId: string, content: unknown, more: object = {}) => [
  { type: 'tool_result', tool_use_id: callId, content, ...more },
];

const SESSION = [
  { type: 'summary', summary: 'Building a shed', leafUuid: id(9) },
  { type: 'file-history-snapshot', messageId: 'x', snapshot: {} },
  line(1, null, 'user', 'Caveat: injected', { isMeta: true }),
  line(2, 1, 'user', 'Build <system-reminder>be kind</system-reminder>a shed'),
  answer(3, 2, 'msg_1', { type: 'thinking', thinking: 'Hm.' }),
  answer(4, 3, 'msg_1', text('I will look.')),
  answer(5, 4, 'msg_1', use('t1', 'Bash')),
  answer(6, 5, 'msg_1', use('t2', 'Read')),
  line(7, 5, 'user', result('t1', 'ls output'), { toolUseResult: { stdout: 'ls output' } }),
  line(8, 6, 'user', result('t2', [text('file')], { is_error: true })),
  answer(9, 8, 'msg_2', text('Done.')),
  line(
    10,
    9,
    'user',
    '<command-message>x</command-message><command-name>/clear</command-name><command-args>all of it</command-args>',
  ),
];

const sessions = (files: Record<string, string>) =>
  folderWith(
    Object.fromEntries(
      Object.entries(files).map(([name, content]) => [`projects/-home-ada-shed/${name}`, content]),
    ),
  );

describe('a session of Claude Code', () => {
  it('has the messages of the user and the assistant, with tools and thinking in the metadata', async () => {
    const bench = await openImportBench();
    const report = await bench.import(sessions({ [`${S1}.jsonl`]: lines(...SESSION) }));
    expect(report.sources).toMatchObject([{ kind: 'claude-code' }]);
    expect(report.problems).toEqual([]);
    const session = bench.bySource(S1);
    expect(said(session)).toEqual([
      'user: Build a shed',
      'assistant: I will look.',
      'assistant: Done.',
      'user: /clear all of it',
    ]);
    expect(session).toMatchObject({
      title: 'Building a shed',
      module: 'shed',
      createdAt: '2026-01-02T10:00:02.000Z',
      metadata: { cwd: '/home/ada/shed', gitBranch: 'main' },
    });
    expect(session.messages[1]).toMatchObject({ id: id(4) });
    expect(session.messages[1].metadata).toEqual({
      model: 'claude-x',
      usage: { inputTokens: 5, outputTokens: 7 },
      thinking: 'Hm.',
      tools: [
        { name: 'Bash', input: '{"a":1}', result: 'ls output' },
        { name: 'Read', input: '{"a":1}', result: 'file', isError: true },
      ],
    });
    expect(report.leftOut).toEqual({ 'injected context': 1 });
    expect(bench.folders()).toHaveLength(1);
  });

  it('is extended by later messages, but not by an incomplete last line', async () => {
    const bench = await openImportBench();
    const torn = `${lines(...SESSION.slice(0, 6))}{"type":"user","uu`;
    const first = await bench.import(sessions({ [`${S1}.jsonl`]: torn }));
    expect(first.problems).toEqual([]);
    const folder = sessions({ [`${S1}.jsonl`]: lines(...SESSION) });
    expect(counts(await bench.import(folder))).toMatchObject({ added: 0, updated: 1 });
    expect(bench.bySource(S1).messageCount).toBe(4);
    const before = bench.hash();
    await bench.import(folder);
    expect(bench.hash()).toBe(before);
  });

  it('is read without a damaged line, which is reported', async () => {
    const bench = await openImportBench();
    const text = lines(...SESSION.slice(0, 6), '{"broken', ...SESSION.slice(6));
    const report = await bench.import(sessions({ [`${S1}.jsonl`]: text }));
    expect(report.problems).toMatchObject([{ code: 'CORRUPT', record: 'line 7' }]);
    expect(bench.bySource(S1).messageCount).toBe(4);
  });

  it('is one conversation with its resumed copy, also after the first file was deleted', async () => {
    const bench = await openImportBench();
    const inCopy = { sessionId: S2 };
    const copy = [
      ...SESSION.slice(2).map((each) => ({ ...each, ...inCopy })),
      line(20, 10, 'user', 'Go on', inCopy),
      answer(21, 20, 'msg_9', text('Going on.'), inCopy),
    ];
    const folder = sessions({
      [`${S1}.jsonl`]: lines(...SESSION),
      [`${S2}.jsonl`]: lines(...copy),
    });
    expect(counts(await bench.import(folder))).toMatchObject({ added: 1 });
    expect(said(bench.bySource(S1)).slice(-2)).toEqual(['user: Go on', 'assistant: Going on.']);
    rmSync(join(folder, `projects/-home-ada-shed/${S1}.jsonl`));
    expect(counts(await bench.import(folder))).toMatchObject({ added: 0 });
    expect(bench.folders()).toHaveLength(1);
    expect(bench.bySource(S1).messageCount).toBe(6);
  });

  it('has a branch where the user went back, and continues across a compaction', async () => {
    const bench = await openImportBench();
    const folder = sessions({
      [`${S1}.jsonl`]: lines(
        line(1, null, 'user', 'first'),
        answer(2, 1, 'm1', text('one')),
        line(3, 2, 'user', 'taken back'),
        answer(4, 3, 'm2', text('two')),
        line(5, 2, 'user', 'instead'),
        { ...line(6, null, 'system', ''), subtype: 'compact_boundary', logicalParentUuid: id(5) },
        line(7, 6, 'user', 'a long summary', { isCompactSummary: true }),
        answer(8, 7, 'm3', text('three')),
      ),
    });
    await bench.import(folder);
    expect(said(bench.bySource(S1))).toEqual([
      ...['user: first', 'assistant: one', 'user: instead', 'assistant: three'],
    ]);
    const branch = bench.bySource(`${S1}:${id(3)}`);
    expect(said(branch)).toEqual(['user: taken back', 'assistant: two']);
    expect(branch.branchOf.messageId).toBe(id(2));
  });

  it('has subagents as conversations that link to it', async () => {
    const bench = await openImportBench();
    const inAgent = { isSidechain: true, agentId: 'abc' };
    const agent = lines(
      line(30, null, 'user', 'Find the planks', inAgent),
      answer(31, 30, 'm7', text('Found.'), inAgent),
    );
    const folder = sessions({
      [`${S1}.jsonl`]: lines(...SESSION),
      [`${S1}/subagents/agent-abc.jsonl`]: agent,
      [`${S1}/subagents/journal.jsonl`]: lines({ type: 'started' }),
      [`${S1}/subagents/agent-abc.meta.json`]: '{}',
    });
    await bench.import(folder);
    const found = bench.bySource(`${S1}:agent-abc`);
    expect(said(found)).toEqual(['user: Find the planks', 'assistant: Found.']);
    expect(found.tags).toEqual(['claude-code', 'subagent']);
    expect(found.branchOf).toEqual({
      conversationId: bench.bySource(S1).conversationId,
      messageId: id(10),
    });
    expect(bench.folders()).toHaveLength(2);
  });

  it('has long outputs from the files beside it if everything is kept', async () => {
    const bench = await openImportBench();
    const outside = {
      persistedOutputPath: `/home/ada/.claude/projects/x/${S1}/tool-results/t1.txt`,
    };
    const folder = sessions({
      [`${S1}.jsonl`]: lines(
        line(1, null, 'user', 'go'),
        answer(2, 1, 'm1', use('t1', 'Bash')),
        line(3, 2, 'user', result('t1', 'preview'), { toolUseResult: outside }),
      ),
      [`${S1}/tool-results/t1.txt`]: 'the whole output',
    });
    await bench.import(folder, { activity: 'all' });
    expect(bench.bySource(S1).messages[1]).toMatchObject({
      role: 'assistant',
      content: '',
      metadata: { tools: [{ name: 'Bash', result: 'the whole output' }] },
    });
  });

  it('is replaced by prompts of the history only if its file is missing', async () => {
    const bench = await openImportBench();
    const history = lines(
      {
        display: 'Build a shed',
        timestamp: 1767348002000,
        project: '/home/ada/shed',
        sessionId: S1,
      },
      {
        display: 'An old prompt',
        timestamp: 1700000000000,
        project: '/home/ada/old',
        sessionId: S2,
      },
      { display: 'An older one', timestamp: 1690000000000, project: '/home/ada/old' },
    );
    const folder = folderWith({
      'history.jsonl': history,
      [`projects/x/${S1}.jsonl`]: lines(...SESSION),
    });
    await bench.import(folder);
    expect(said(bench.bySource(S2))).toEqual(['user: An old prompt']);
    expect(bench.bySource(S2)).toMatchObject({
      module: 'old',
      tags: ['claude-code', 'prompts only'],
    });
    expect(bench.folders()).toHaveLength(3);
    rmSync(join(folder, `projects/x/${S1}.jsonl`));
    const report = await bench.import(folder);
    expect(counts(report)).toMatchObject({ added: 0, updated: 0, unchanged: 3 });
    expect(bench.bySource(S1).messageCount).toBe(4);
  });
});

it('messages of other agents and of the program are not messages of the user', async () => {
  const bench = await openImportBench();
  const mate = '<teammate-message teammate_id="bob" color="blue">\nDone.\n</teammate-message>';
  const of = (model: string, n: number, parent: number, words: string) =>
    line(n, parent, 'assistant', [], {
      message: { role: 'assistant', id: `m${n}`, model, content: [text(words)] },
    });
  const folder = folderWith({
    [`projects/x/${S1}.jsonl`]: lines(
      line(1, null, 'user', 'Build it', { origin: { kind: 'human' } }),
      of('<synthetic>', 2, 1, 'API Error: 529 Overloaded'),
      line(3, 2, 'user', mate),
      line(4, 3, 'user', `${mate} and mine <teammate-messages>`),
      line(5, 4, 'user', 'A task ended', { origin: { kind: 'task-notification' } }),
      line(6, 5, 'user', 'From my phone', { origin: { kind: 'channel' } }),
      of('claude-x', 7, 6, 'Built.'),
      line(9, 7, 'user', 'From a newer program', { origin: { kind: 'unknown' } }),
    ),
    [`projects/x/${S1}/subagents/agent-a.jsonl`]: lines(
      line(8, null, 'user', mate, { isSidechain: true, origin: { kind: 'coordinator' } }),
    ),
  });
  expect(await bench.import(folder)).toMatchObject({
    added: 2,
    problems: [],
    leftOut: { 'injected context': 2, 'messages of the program': 1 },
  });
  expect(said(bench.bySource(S1))).toEqual([
    'user: Build it',
    'user: and mine <teammate-messages>',
    'user: From my phone',
    'assistant: Built.',
    'user: From a newer program',
  ]);
  expect(said(bench.bySource(`${S1}:agent-a`))).toEqual([`user: ${mate}`]);
});
