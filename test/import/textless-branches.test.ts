/**
 * Branches of a conversation without text are left out, and the report counts them. If the source showed such a
 * branch at an earlier import, its calls stay in the store.
 */
import { expect, it } from 'vitest';
import { counts, fileWith, lines, openImportBench, said } from './bench.js';

const node = (id: string, parent: string | null, role: string, fields: object = {}) => ({
  id,
  parent,
  children: [],
  message: { id, author: { role }, content: { content_type: 'text', parts: ['hello'] }, ...fields },
});
const asked = node('q', null, 'user');
const answered = node('a', 'q', 'assistant');
const chatGpt = (...others: { id: string }[]) => [
  {
    id: 'c',
    current_node: 'a',
    mapping: Object.fromEntries([asked, answered, ...others].map((each) => [each.id, each])),
  },
];
const ran = { content_type: 'code', text: 'print(1)' };

it.each([
  [
    'ChatGPT',
    chatGpt(node('t', 'q', 'assistant', { recipient: 'python', content: ran })),
    { 'branches without text': 1 },
  ],
  ['ChatGPT, hidden', chatGpt(node('h', 'q', 'assistant', { weight: 0 })), { hidden: 1 }],
  ['ChatGPT, an empty node', chatGpt({ ...node('e', 'q', 'user'), message: null } as never), {}],
  [
    'Claude.ai',
    [
      {
        uuid: 'c',
        current_leaf_message_uuid: 'a',
        chat_messages: [
          { uuid: 'q', sender: 'human', text: 'hello', parent_message_uuid: null },
          { uuid: 'a', sender: 'assistant', text: 'hello', parent_message_uuid: 'q' },
          {
            uuid: 't',
            sender: 'assistant',
            parent_message_uuid: 'q',
            content: [{ type: 'thinking', thinking: 'Well' }],
          },
        ],
      },
    ],
    { 'branches without text': 1 },
  ],
])('a branch without text is not imported: %s', async (_name, content, leftOut) => {
  const bench = await openImportBench();
  const path = fileWith(content, 'conversations.json');
  for (const dryRun of [true, false, false]) {
    const report = await bench.import(path, { dryRun });
    expect(report).toMatchObject({ skipped: 0, problems: [] });
    expect(report.leftOut).toEqual(leftOut);
  }
  expect(bench.folders()).toHaveLength(1);
  expect(said(bench.bySource('c'))).toEqual(['user: hello', 'assistant: hello']);
});

it('Claude Code: an interrupted answer is left out, but not the results of parallel tools', async () => {
  const line = (type: string, uuid: string, parentUuid: string | null, content: unknown) => ({
    type,
    uuid,
    parentUuid,
    sessionId: 's',
    timestamp: '2026-01-02T10:00:00.000Z',
    message: { role: type, ...(type === 'assistant' && { id: 'm' }), content },
  });
  const call = (id: string) => [{ type: 'tool_use', id, name: 'ls', input: {} }];
  const result = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: 'file' }];
  const bench = await openImportBench();
  const report = await bench.importText(
    lines(
      line('user', 'u1', null, 'look'),
      { ...line('assistant', 'lost', 'u1', call('t0')), message: { content: call('t0') } },
      line('assistant', 'a1', 'u1', call('t1')),
      line('assistant', 'a2', 'a1', call('t2')),
      line('user', 'r1', 'a1', result('t1')),
      line('user', 'r2', 'a2', result('t2')),
      line('assistant', 'a3', 'r2', 'Two files'),
    ),
    's.jsonl',
  );
  expect(report.leftOut).toEqual({ 'branches without text': 1 });
  expect(said(bench.bySource('s'))).toEqual(['user: look', 'assistant: Two files']);
});

const claudeAi = (leaf: string, ...others: object[]) => [
  {
    uuid: 'c',
    current_leaf_message_uuid: leaf,
    chat_messages: [
      { uuid: 'q', sender: 'human', text: 'hello', parent_message_uuid: null },
      {
        uuid: 't',
        sender: 'assistant',
        parent_message_uuid: 'q',
        content: [{ type: 'tool_use', name: 'python', input: 'print(1)' }],
      },
      ...others,
    ],
  },
];
const codeLine = (type: string, uuid: string, parentUuid: string | null, content: unknown) => ({
  type,
  uuid,
  parentUuid,
  sessionId: 'c',
  timestamp: `2026-01-02T10:00:0${uuid.charCodeAt(0) % 10}.000Z`,
  message: { role: type, ...(type === 'assistant' && { id: uuid }), content },
});
const pythonCall = [{ type: 'tool_use', id: 'p', name: 'python', input: 'print(1)' }];
const codeLines = [
  codeLine('user', 'n', null, 'hello'), // the times follow the letters
  codeLine('assistant', 'p', 'n', pythonCall),
];
const ranNode = node('t', 'q', 'assistant', { recipient: 'python', content: ran });
const shownBy = (current_node: string, ...others: (typeof asked)[]) => [
  {
    id: 'c',
    current_node,
    mapping: Object.fromEntries([asked, ranNode, ...others].map((each) => [each.id, each])),
  },
];
const claudeAnswer = { uuid: 'a', sender: 'assistant', text: 'hello', parent_message_uuid: 'q' };
const claudeNext = { uuid: 'b', sender: 'human', text: 'hello', parent_message_uuid: 'a' };

it.each([
  [
    'ChatGPT',
    'conversations.json',
    [shownBy('t'), shownBy('a', answered), shownBy('b', answered, node('b', 'a', 'user'))],
    shownBy('t', answered, node('b', 'a', 'user')),
  ],
  [
    'Claude.ai',
    'conversations.json',
    [claudeAi('t'), claudeAi('a', claudeAnswer), claudeAi('b', claudeAnswer, claudeNext)],
    claudeAi('t', claudeAnswer, claudeNext),
  ],
  [
    'Claude Code',
    'c.jsonl',
    [
      lines(...codeLines),
      lines(...codeLines, codeLine('assistant', 'r', 'n', 'hello')),
      lines(
        ...codeLines,
        codeLine('assistant', 'r', 'n', 'hello'),
        codeLine('user', 's', 'r', 'hello'),
      ),
    ],
    undefined,
  ],
])('the calls of a branch without text stay when another branch is shown: %s', async (_name, file, exports, last) => {
  const bench = await openImportBench();
  const all = () => bench.folders().map((name) => said(bench.jsonOf(name)));
  const found: unknown[] = [];
  for (const content of [...exports, ...(last === undefined ? [] : [last])]) {
    const path = fileWith(content, file);
    const planned = await bench.import(path, { dryRun: true });
    const report = await bench.import(path);
    expect(counts(planned)).toEqual(counts(report));
    found.push(all());
    const before = bench.hash();
    for (const activity of ['short', 'none'] as const) {
      expect(await bench.import(path, { activity })).toMatchObject({ added: 0, updated: 0 });
      expect(bench.hash()).toBe(before);
    }
  }
  const [hello, calls] = [['user: hello'], ['assistant: ']];
  const longer = [...hello, 'assistant: hello', ...hello];
  expect(found).toEqual([
    [[...hello, ...calls]],
    [[...hello, 'assistant: hello'], calls],
    ...found.slice(2).map(() => [longer, calls]),
  ]);
  const branch = bench.jsonOf(bench.folders()[1] ?? '');
  expect(branch.messages[0].metadata.tools).toMatchObject([{ name: 'python' }]);
  const [question] = bench.bySource('c').messages;
  expect(branch.branchOf).toMatchObject({ messageId: question.id });
});

it('calls whose answer is not there yet are no branch of a conversation that was continued here', async () => {
  const bench = await openImportBench();
  const all = () => bench.folders().map((name) => said(bench.jsonOf(name)));
  const begin = [codeLine('user', 'n', null, 'hello'), codeLine('assistant', 'o', 'n', 'hello')];
  await bench.importText(lines(...begin), 'c.jsonl');
  const { conversationId } = bench.bySource('c');
  await bench.store.append(conversationId, [{ role: 'user', content: 'mine' }]);
  const own = ['user: hello', 'assistant: hello', 'user: mine'];
  const calls = [...begin, codeLine('assistant', 'p', 'o', pythonCall)];
  await bench.importText(lines(...calls), 'c.jsonl');
  expect(all()).toEqual([own]);
  await bench.importText(lines(...calls, codeLine('assistant', 'q', 'p', 'done')), 'c.jsonl');
  expect(all()).toEqual([own, ['assistant: done']]);
  const [answer] = bench.jsonOf(bench.folders()[1] ?? '').messages;
  expect(answer.metadata.tools).toMatchObject([{ name: 'python' }]);
});
