/** Sessions of GitHub Copilot's command line. */
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

const ID = '0b9a6c1e-1111-4222-8333-444455556666';
const NAME = `session-state/${ID}/events.jsonl`;
const event = (type: string, data: object, n: number, more: object = {}) => ({
  type,
  data,
  id: `event-${n}`,
  timestamp: `2026-02-03T10:00:0${n}.000Z`,
  parentId: null,
  ...more,
});

it('a session has what was said, with calls of tools, and grows', async () => {
  const bench = await openImportBench();
  const folder = folderWith({
    [NAME]: lines(
      event(
        'session.start',
        {
          sessionId: ID,
          startTime: '2026-02-03T10:00:00.000Z',
          context: { cwd: 'C:\\work\\shed', branch: 'main', repository: 'ada/shed' },
        },
        0,
      ),
      event('user.message', { content: 'Build', attachments: [{ path: 'plan.png' }] }, 1),
      event('user.message', { content: '<skill>', source: 'skill' }, 1),
      event(
        'assistant.message',
        {
          content: '',
          reasoningText: 'First look.',
          toolRequests: [{ toolCallId: 't1', name: 'bash', arguments: { command: 'ls' } }],
        },
        2,
      ),
      event('tool.execution_start', { toolCallId: 't1', toolName: 'bash' }, 3),
      event('assistant.message', { content: 'I help', parentToolCallId: 't1' }, 3),
      event('assistant.message', { content: 'I help too' }, 3, { agentId: 'reviewer' }),
      event(
        'tool.execution_complete',
        { toolCallId: 't1', success: false, error: { message: 'No boards' } },
        4,
      ),
      event('assistant.message', { content: 'Done. 完了', model: 'm', outputTokens: 5 }, 5),
      event('session.title_changed', { title: 'The shed' }, 6),
      event('session.compaction_complete', {}, 6),
    ),
  });
  const report = await bench.import(folder);
  expect(report).toMatchObject({ sources: [{ kind: 'copilot-cli' }], added: 1, problems: [] });
  expect(report.leftOut).toEqual({
    compactions: 1,
    'injected context': 1,
    'messages of subagents': 2,
  });
  const stored = bench.bySource(ID);
  expect(said(stored)).toEqual(['user: Build\n\n[file: plan.png]', 'assistant: Done. 完了']);
  expect(stored).toMatchObject({
    title: 'The shed',
    module: 'shed',
    createdAt: '2026-02-03T10:00:00.000Z',
    metadata: { cwd: 'C:\\work\\shed', gitBranch: 'main', gitRemote: 'ada/shed' },
  });
  expect(stored.messages[1].metadata).toEqual({
    model: 'm',
    usage: { outputTokens: 5 },
    thinking: 'First look.',
    tools: [{ name: 'bash', input: '{"command":"ls"}', result: 'No boards', isError: true }],
  });
  appendFileSync(join(folder, NAME), lines(event('user.message', { content: 'Paint it' }, 7)));
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 1, messages: 1 });
  expect(said(bench.bySource(ID)).at(-1)).toBe('user: Paint it');
  const before = bench.hash();
  expect(await bench.import(folder)).toMatchObject({ added: 0, updated: 0 });
  expect(bench.hash()).toBe(before);
});

it('a prompt that names the user as its source is imported, and one of the autopilot is not', async () => {
  const bench = await openImportBench();
  const folder = folderWith({
    [NAME]: lines(
      event('session.start', { sessionId: ID }, 0),
      event('user.message', { content: 'Build', source: 'user' }, 1),
      event('user.message', { content: 'Keep going', isAutopilotContinuation: true }, 2),
      event('assistant.message', { content: 'Done.' }, 3),
    ),
  });
  const report = await bench.import(folder);
  expect(report.leftOut).toEqual({ 'injected context': 1 });
  expect(said(bench.bySource(ID))).toEqual(['user: Build', 'assistant: Done.']);
});
