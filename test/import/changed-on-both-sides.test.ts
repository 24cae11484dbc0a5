/**
 * A conversation was changed here and at its source: what the source changed is stored once, in a branch, and
 * no text is there twice.
 */
import { expect, it } from 'vitest';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import { counts, fileWith, openImportBench } from './bench.js';

interface Node {
  readonly id: string;
  readonly parent?: string;
  readonly text: string;
}
type Bench = Awaited<ReturnType<typeof openImportBench>>;
type Exported = (nodes: readonly Node[], shown: string, day: number) => object;

const START = Date.parse('2026-01-01T00:00:00Z');
const timeOf = (day: number) => new Date(START + day * 86_400_000).toISOString();
const secondsOf = (day: number) => START / 1000 + day * 86_400;
/** Long enough to be the id of the message in the store too. */
const idOf = (id: string) => `message-0000-0000-${id}`;
const isUser = ({ id }: Node) => id.startsWith('q');

const chatGpt: Exported = (nodes, shown, day) => [
  {
    id: 'c',
    title: 'T',
    create_time: secondsOf(0),
    update_time: secondsOf(day),
    current_node: idOf(shown),
    mapping: Object.fromEntries(
      nodes.map((node) => [
        idOf(node.id),
        {
          id: idOf(node.id),
          parent: node.parent ? idOf(node.parent) : null,
          message: {
            id: idOf(node.id),
            author: { role: isUser(node) ? 'user' : 'assistant' },
            create_time: secondsOf(0),
            content: { content_type: 'text', parts: [node.text] },
          },
        },
      ]),
    ),
  },
];

const claude: Exported = (nodes, shown, day) => [
  {
    uuid: 'c',
    name: 'T',
    created_at: timeOf(0),
    updated_at: timeOf(day),
    current_leaf_message_uuid: idOf(shown),
    chat_messages: nodes.map((node) => ({
      uuid: idOf(node.id),
      parent_message_uuid: node.parent ? idOf(node.parent) : null,
      sender: isUser(node) ? 'human' : 'assistant',
      text: node.text,
      created_at: timeOf(0),
    })),
  },
];

const SOURCES = [
  ['ChatGPT', chatGpt],
  ['Claude.ai', claude],
] as const;

const q1: Node = { id: 'q1', text: 'question' };
const a1: Node = { id: 'a1', parent: 'q1', text: 'answer' };
const q2: Node = { id: 'q2', parent: 'a1', text: 'more?' };
const a2: Node = { id: 'a2', parent: 'q2', text: 'more' };
const q3: Node = { id: 'q3', parent: 'a2', text: 'thanks' };
const a3: Node = { id: 'a3', parent: 'q3', text: 'welcome' };
const withText = (node: Node, text: string): Node => ({ ...node, text });

const edit = (bench: Bench, id: string, content: string) =>
  bench.store.revise(bench.bySource('c').conversationId, ({ updatedAt, messages }) => ({
    updatedAt,
    messages: messages.map((each) => (each.id === idOf(id) ? { ...each, content } : each)),
  }));

type Remove = (bench: Bench, id: string, from?: string) => Promise<unknown>;

const remove: Remove = (bench, id, from = 'c') => {
  const { conversationId, messages } = bench.bySource(from);
  const { content } = messages.find((each: Node) => each.id === idOf(id));
  return bench.store.edits.remove(conversationId, idOf(id), messageHash(content));
};

/** As a person does it in the file, or an older version of Daybook did: the mark does not name the message. */
const removeUnnamed: Remove = (bench, id, from = 'c') =>
  bench.store.revise(bench.bySource(from).conversationId, ({ updatedAt, messages }) => ({
    updatedAt,
    messages: messages.filter((each) => each.id !== idOf(id)),
  }));

const textsOf = ({ folders, jsonOf }: Bench): string[][] =>
  folders().map((name) =>
    jsonOf(name).messages.map(({ content }: Node & { content: string }) => content),
  );

/** Imports twice: a dry run counts the same, and the second import changes no byte. */
async function importTwice(bench: Bench, content: object) {
  const path = fileWith(content, 'conversations.json');
  const planned = await bench.import(path, { dryRun: true });
  const report = await bench.import(path);
  expect(counts(planned)).toEqual(counts(report));
  expect(report.problems).toEqual([]);
  const before = bench.hash();
  const again = await bench.import(path);
  expect(bench.hash()).toBe(before);
  expect(again).toMatchObject({ added: 0, updated: 0 });
  return report;
}

it.each(
  SOURCES,
)('%s: a branch has no copy of the texts that did not change', async (_, exported) => {
  const bench = await openImportBench();
  await bench.importText(exported([q1, a1, q2, a2], 'a2', 1), 'conversations.json');
  await edit(bench, 'q2', 'more, here');
  const nodes = [withText(q1, 'question, changed'), a1, q2, withText(a2, 'more, changed'), q3];
  await importTwice(bench, exported(nodes, 'q3', 2));
  expect(textsOf(bench)).toEqual([
    ['question', 'answer', 'more, here', 'more'],
    ['question, changed'],
    ['more?', 'more, changed', 'thanks'],
  ]);
  await importTwice(bench, exported([...nodes, a3], 'a3', 3));
  expect(textsOf(bench)[2]).toEqual(['more?', 'more, changed', 'thanks', 'welcome']);
});

it.each(
  SOURCES,
)('%s: a text that changed in a branch that is not shown is stored if the conversation was continued here', async (_, exported) => {
  const bench = await openImportBench();
  await bench.importText(exported([q1, a1], 'a1', 1), 'conversations.json');
  const { conversationId } = bench.bySource('c');
  await bench.store.append(conversationId, [{ role: 'user', content: 'mine' }]);
  const other: Node = { id: 'x1', parent: 'q1', text: 'other answer' };
  await importTwice(bench, exported([q1, a1, other], 'x1', 2));
  const changed = [q1, withText(a1, 'answer, changed'), other];
  const report = await importTwice(bench, exported(changed, 'x1', 3));
  expect(report).toMatchObject({ leftOut: {}, branched: [conversationId] });
  const all = [['question', 'answer', 'mine'], ['other answer'], ['answer, changed']];
  expect(textsOf(bench)).toEqual(all);
  // Whichever branch is shown, and also if an older export is imported again.
  await importTwice(bench, exported(changed, 'a1', 4));
  await importTwice(bench, exported([q1, a1, other], 'x1', 2));
  expect(textsOf(bench)).toEqual(all);
});

it.each(
  SOURCES,
)('%s: a text that was edited here, in a branch that is not shown, is not brought back', async (_, exported) => {
  const bench = await openImportBench();
  await bench.importText(exported([q1, a1], 'a1', 1), 'conversations.json');
  await edit(bench, 'a1', 'answer, here');
  const other: Node = { id: 'x1', parent: 'q1', text: 'other answer' };
  for (const day of [2, 3]) {
    await importTwice(bench, exported([q1, a1, other], 'x1', day));
    expect(textsOf(bench)).toEqual([['question', 'answer, here'], ['other answer']]);
  }
});

const REMOVED = SOURCES.flatMap(([name, exported]) => [
  [name, 'here', exported, remove] as const,
  [name, 'in the file', exported, removeUnnamed] as const,
]);

it.each(
  REMOVED,
)('%s: a message that was deleted %s does not come back, and the messages after it are not copied', async (_, __, exported, remove) => {
  const bench = await openImportBench();
  const nodes = [q1, a1, q2, a2];
  await bench.importText(exported(nodes, 'a2', 1), 'conversations.json');
  await remove(bench, 'q2');
  const other: Node = { id: 'x1', parent: 'a1', text: 'other' };
  await importTwice(bench, exported([...nodes, other], 'x1', 2));
  const begin = ['question', 'answer'];
  // If it is not known what was deleted, the conversation counts as changed here and keeps its messages.
  const isNamed = remove !== removeUnnamed;
  expect(textsOf(bench)).toEqual(
    isNamed ? [[...begin, 'other'], ['more']] : [[...begin, 'more'], ['other']],
  );
  const changed = [withText(q1, 'question, changed'), a1, q2, a2, q3, other];
  await importTwice(bench, exported(changed, 'q3', 3));
  const now = ['question, changed', 'answer'];
  expect(textsOf(bench)).toEqual(
    isNamed
      ? [
          [...now, 'other'],
          ['more', 'thanks'],
        ]
      : [[...now, 'more', 'thanks'], ['other']],
  );
});

it.each(
  REMOVED,
)('%s: the last message, which was deleted %s, does not come back with new texts before it', async (_, __, exported, remove) => {
  const bench = await openImportBench();
  await bench.importText(exported([q1, a1, q2, a2], 'a2', 1), 'conversations.json');
  await remove(bench, 'a2');
  const changed = [withText(q1, 'question, changed'), a1, q2, a2];
  await importTwice(bench, exported(changed, 'a2', 2));
  expect(textsOf(bench)).toEqual([['question, changed', 'answer', 'more?']]);
});

it.each(
  SOURCES,
)('%s: a conversation whose branches are in the store, but not itself, is added once', async (_, exported) => {
  const bench = await openImportBench();
  const [b1, b2] = [
    { id: 'a1b', parent: 'q1', text: 'another answer' },
    { id: 'q2b', parent: 'a1b', text: 'really?' },
  ];
  const [c1, c2] = [
    { id: 'q2c', parent: 'a1b', text: 'why?' },
    { id: 'a2c', parent: 'q2c', text: 'because' },
  ];
  const nodes = [q1, a1, q2, b1, b2];
  await bench.importText(exported(nodes.slice(0, 4), 'a1b', 1), 'conversations.json');
  await bench.importText(exported(nodes, 'q2b', 2), 'conversations.json');
  await remove(bench, 'q2', `c:${idOf('a1')}`);
  await bench.importText(exported([...nodes, c1, c2], 'a2c', 3), 'conversations.json');
  await remove(bench, 'q2b');
  await remove(bench, 'q2c', 'c+');
  const all = exported([...nodes, c1, c2, a2], 'a2', 4);
  await bench.importText(all, 'conversations.json');
  await bench.store.remove(bench.bySource('c').conversationId);
  await importTwice(bench, all);
});
