/** Prompts that were typed while Claude Code worked: it records them as attachments, not as lines of a user. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { folderWith, lines, openImportBench, said } from './bench.js';

const SESSION = '33333333-cccc-4ccc-8ccc-000000000001';
const id = (n: number) => `33333333-dddd-4ddd-8ddd-${String(n).padStart(12, '0')}`;
const at = (n: number) => `2026-06-02T10:00:${String(n).padStart(2, '0')}.000Z`;
const line = (n: number, parent: number | null, type: string, content: unknown) => ({
  type,
  uuid: id(n),
  parentUuid: parent === null ? null : id(parent),
  sessionId: SESSION,
  cwd: '/home/ada/shed',
  isSidechain: false,
  timestamp: at(n),
  message: { content },
});
const queued = (n: number, prompt: unknown, more: object = {}) => ({
  type: 'attachment',
  timestamp: at(n),
  sessionId: SESSION,
  attachment: { type: 'queued_command', commandMode: 'prompt', prompt, ...more },
});
const inChain = (n: number, parent: number, prompt: unknown, more: object = {}) => ({
  ...queued(n, prompt, more),
  uuid: id(n),
  parentUuid: id(parent),
  isSidechain: false,
});
const START = [
  line(1, null, 'user', 'Build a shed'),
  line(2, 1, 'assistant', [{ type: 'tool_use', id: 't1', name: 'Bash', input: {} }]),
];
const RESULT = [{ type: 'tool_result', tool_use_id: 't1', content: 'ok' }];
const sessionOf = (...some: readonly object[]) =>
  folderWith({ [`projects/-shed/${SESSION}.jsonl`]: lines(...some) });

it.each([
  [
    'in the chain of lines',
    [
      inChain(3, 2, 'Use larch'),
      line(4, 3, 'user', RESULT),
      line(5, 4, 'assistant', 'Larch then.'),
    ],
  ],
  [
    'beside the chain',
    [
      inChain(3, 2, 'Use larch'),
      line(4, 2, 'user', RESULT),
      line(5, 4, 'assistant', 'Larch then.'),
    ],
  ],
  [
    'without an id',
    [queued(3, 'Use larch'), line(4, 2, 'user', RESULT), line(5, 4, 'assistant', 'Larch then.')],
  ],
])('imports a queued prompt that is %s, at its place', async (_what, rest) => {
  const bench = await openImportBench();
  const folder = sessionOf(...START, ...rest);
  await bench.import(folder);
  expect(bench.folders()).toHaveLength(1);
  const session = bench.bySource(SESSION);
  expect(said(session).filter((text: string) => text !== 'assistant: ')).toEqual([
    'user: Build a shed',
    'user: Use larch',
    'assistant: Larch then.',
  ]);
  expect(
    session.messages.find(({ content }: { content: string }) => content === 'Use larch'),
  ).toMatchObject({
    createdAt: at(3),
  });
  const before = bench.hash();
  await bench.import(folder);
  expect(bench.hash()).toBe(before);
});

it('imports two queued prompts in their order, and those of a resumed copy once', async () => {
  const bench = await openImportBench();
  const some = [
    ...START,
    queued(3, 'Use larch'),
    queued(4, 'And a green door'),
    line(5, 2, 'user', RESULT),
    line(6, 5, 'assistant', 'Yes.'),
  ];
  const other = '33333333-cccc-4ccc-8ccc-000000000002';
  const copy = some.map((each) => ({ ...each, sessionId: other }));
  const folder = folderWith({
    [`projects/-shed/${SESSION}.jsonl`]: lines(...some),
    [`projects/-shed/${other}.jsonl`]: lines(...copy),
  });
  await bench.import(folder);
  expect(bench.folders()).toHaveLength(1);
  expect(said(bench.bySource(SESSION)).filter((text: string) => text.startsWith('user'))).toEqual([
    'user: Build a shed',
    'user: Use larch',
    'user: And a green door',
  ]);
});

it('imports no queued notice of the program', async () => {
  const bench = await openImportBench();
  const notice = '<task-notification>done</task-notification>';
  const report = await bench.import(
    sessionOf(
      ...START,
      queued(3, notice, { commandMode: 'task-notification' }),
      queued(4, notice),
      queued(5, 'from another agent', { origin: { kind: 'peer' } }),
      { ...queued(6, 'a hook'), isMeta: true },
    ),
  );
  expect(said(bench.bySource(SESSION))).toEqual(['user: Build a shed', 'assistant: ']);
  expect(report.leftOut).toEqual({ 'injected context': 4 });
});

it('imports the image of a queued prompt', async () => {
  const bench = await openImportBench();
  const source = {
    type: 'base64',
    media_type: 'image/png',
    data: Buffer.from('png').toString('base64'),
  };
  const prompt = [
    { type: 'text', text: 'like this' },
    { type: 'image', source },
  ];
  await bench.import(sessionOf(...START, inChain(3, 2, prompt)), { attachments: true });
  const { conversationId, messages } = bench.bySource(SESSION);
  const name = `images/${id(3)}-1.png`;
  expect(messages.at(-1)).toMatchObject({ content: `like this\n\n[image: ${name}]` });
  const path = join(bench.logsFolder, conversationId, 'attachments', name);
  expect(existsSync(path) && readFileSync(path, 'utf8')).toBe('png');
});
