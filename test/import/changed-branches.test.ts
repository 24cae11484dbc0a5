/**
 * Exports of a tree of messages that grows, each of which shows another branch: each message is stored
 * exactly once, after the one that it answers, and a second import changes nothing.
 */
import { expect, it, vi } from 'vitest';
import { openImportBench } from './bench.js';

interface Node {
  readonly id: string;
  readonly parent: string;
  readonly role: 'user' | 'assistant';
}

const ROOT = 'node-00000000000000';
const idOf = (number: number) => `node-${String(number).padStart(14, '0')}`;

/** Repeatable random numbers below a limit. */
function randomOf(seed: number) {
  let state = seed * 7919 + 13;
  return (limit: number) => {
    state = (state * 48271) % 2147483647;
    return state % limit;
  };
}

function exportOf(nodes: readonly Node[], shown: string, title = 'T') {
  const mapping = nodes.map(({ id, parent, role }, index) => {
    const content = { content_type: 'text', parts: [`text of ${id}`] };
    const message = { id, author: { role }, create_time: 1.7e9 + index, content };
    return [id, { id, parent, message }];
  });
  const root = [ROOT, { id: ROOT, parent: null, message: null }];
  const head = { id: 'conversation-of-the-tree', title, create_time: 1.7e9 };
  const update_time = 1.7e9 + nodes.length;
  return [
    { ...head, update_time, current_node: shown, mapping: Object.fromEntries([root, ...mapping]) },
  ];
}

/** Adds nodes to the tree, and returns an export of it that shows a branch by chance. */
function grownExport(
  nodes: Node[],
  step: number,
  random: (limit: number) => number,
  nameOf: (number: number) => string,
) {
  grow(nodes, step === 0 ? 3 + random(4) : random(3), random, nameOf);
  const leaves = leavesOf(nodes);
  return exportOf(nodes, leaves[random(leaves.length)]?.id ?? ROOT);
}

/** Adds nodes, mostly at leaves. */
function grow(
  nodes: Node[],
  count: number,
  random: (limit: number) => number,
  nameOf: (number: number) => string,
): void {
  for (let added = 0; added < count; added += 1) {
    const leaves = leavesOf(nodes);
    const among = random(3) === 0 ? nodes : leaves;
    const parent = among[random(among.length + (random(4) === 0 ? 1 : 0))];
    nodes.push({
      id: nameOf(nodes.length + 1),
      parent: parent?.id ?? ROOT,
      role: parent?.role === 'user' ? 'assistant' : 'user',
    });
  }
}

const leavesOf = (nodes: readonly Node[]) =>
  nodes.filter(({ id }) => !nodes.some(({ parent }) => parent === id));

type Bench = Awaited<ReturnType<typeof openImportBench>>;

/** The problems of the conversations in the store. Each text contains the id of its node. */
function faults({ folders, jsonOf }: Bench, nodes: readonly Node[]): string[] {
  const documents = folders().map((name) => jsonOf(name));
  const nodeOf = ({ content }: { content: string }) => content.replace('text of ', '');
  const nodeIds = new Map<string, string>();
  for (const { messages } of documents) {
    for (const message of messages) nodeIds.set(message.id, nodeOf(message));
  }
  const conversations = documents.map(({ conversationId, messages, branchOf }) => ({
    conversationId,
    messages: messages.map((message: { content: string }) => ({ id: nodeOf(message) })),
    branchOf: branchOf && { ...branchOf, messageId: nodeIds.get(branchOf.messageId) ?? 'none' },
  }));
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  const found: string[] = [];
  const stored: string[] = conversations.flatMap(({ messages }) =>
    messages.map(({ id }: Node) => id),
  );
  for (const { id } of nodes) {
    const count = stored.filter((each) => each === id).length;
    if (count !== 1) found.push(`${id} is here ${count} times`);
  }
  for (const { messages, branchOf } of conversations) {
    const before = [branchOf?.messageId ?? ROOT, ...messages.map(({ id }: Node) => id)];
    for (const [index, { id }] of messages.entries()) {
      if (parents.get(id) !== before[index]) found.push(`${id} comes after ${before[index]}`);
    }
    const from = conversations.find((each) => each.conversationId === branchOf?.conversationId);
    const isLinked = from?.messages.some(({ id }: Node) => id === branchOf.messageId);
    if (branchOf !== undefined && !isLinked) found.push(`a branch of ${branchOf.messageId}`);
  }
  return found;
}

/** Seeds of random trees, with long or short ids. */
const TREES = [
  ...[3, 6, 11, 17, 23, 25, 30, 91, 121, 148].map((seed) => [seed, 'long', idOf] as const),
  // The store has other ids for these, which it derives from them.
  ...[3, 11, 25, 91, 148].map((seed) => [seed, 'short', (n: number) => `n${n}`] as const),
];

it.each(
  TREES,
)('each message is imported once, whichever branch is shown (%i, %s ids)', async (seed, _, nameOf) => {
  const bench = await openImportBench();
  const random = randomOf(seed);
  const nodes: Node[] = [];
  for (let step = 0; step < 4; step += 1) {
    const made = grownExport(nodes, step, random, nameOf);
    const report = await bench.importText(made, 'conversations.json');
    expect(report.problems).toEqual([]);
    expect(faults(bench, nodes)).toEqual([]);
    const before = bench.hash();
    await bench.importText(made, 'conversations.json');
    expect(bench.hash()).toBe(before);
  }
});

it.each(
  TREES,
)('several exports of one tree in one import have the same result as separate imports (%i, %s ids)', async (seed, _, nameOf) => {
  const bench = await openImportBench();
  const random = randomOf(seed);
  const nodes: Node[] = [];
  const made = [0, 1, 2, 3].flatMap((step) => grownExport(nodes, step, random, nameOf));
  const report = await bench.importText(made, 'conversations.json');
  expect(report.problems).toEqual([]);
  expect(faults(bench, nodes)).toEqual([]);
  const before = bench.hash();
  await bench.importText(made, 'conversations.json');
  expect(bench.hash()).toBe(before);
});

it('an import lists the store once, however many conversations were continued on both sides', async () => {
  const bench = await openImportBench();
  const nodesOf = (at: number): Node[] =>
    [1, 2, 3].map((n) => ({
      id: `${idOf(at)}-${n}`,
      parent: n === 1 ? ROOT : `${idOf(at)}-${n - 1}`,
      role: n === 2 ? 'assistant' : 'user',
    }));
  const exportOfAll = (count: number) =>
    [1, 2, 3, 4].flatMap((at) => {
      const nodes = nodesOf(at).slice(0, count);
      return exportOf(nodes, nodes.at(-1)?.id ?? ROOT).map((each) => ({ ...each, id: `c-${at}` }));
    });
  await bench.importText(exportOfAll(2), 'conversations.json');
  for (const conversationId of bench.folders()) {
    await bench.store.append(conversationId, [{ role: 'user', content: 'continued here' }]);
  }
  const list = vi.spyOn(bench.store, 'list');
  const report = await bench.importText(exportOfAll(3), 'conversations.json');
  expect(report).toMatchObject({ added: 4, messages: 4 });
  expect(report.branched).toHaveLength(4);
  expect(list).toHaveBeenCalledTimes(1);
  const before = bench.hash();
  await bench.importText(exportOfAll(3), 'conversations.json');
  expect(bench.hash()).toBe(before);
});

it('a branch that grows has the new title of its conversation', async () => {
  const bench = await openImportBench();
  const node = (number: number, parent: string, role: Node['role']) => ({
    id: idOf(number),
    parent,
    role,
  });
  const nodes = [
    node(1, ROOT, 'user'),
    node(2, idOf(1), 'assistant'),
    node(3, idOf(1), 'assistant'),
  ];
  const titles = () => bench.folders().map((name) => bench.jsonOf(name).title);
  await bench.importText(exportOf(nodes, idOf(2), 'Old'), 'conversations.json');
  expect(titles()).toEqual(['Old', 'Old']);
  nodes.push(node(4, idOf(3), 'user'));
  await bench.importText(exportOf(nodes, idOf(4), 'New'), 'conversations.json');
  expect(titles()).toEqual(['New', 'New']);
  const before = bench.hash();
  await bench.importText(exportOf(nodes, idOf(4), 'New'), 'conversations.json');
  expect(bench.hash()).toBe(before);
});

it('a branch that becomes the shown one has the new title of its conversation', async () => {
  const bench = await openImportBench();
  const nodes = [1, 2, 3].map(
    (number): Node => ({
      id: idOf(number),
      parent: number === 1 ? ROOT : idOf(1),
      role: number === 1 ? 'user' : 'assistant',
    }),
  );
  const titles = () => bench.folders().map((name) => bench.jsonOf(name).title);
  for (const [shown, title] of [
    [2, 'Old'],
    [3, 'New'],
    [3, 'Newer'],
    [2, 'Newest'],
  ] as const) {
    const made = exportOf(nodes, idOf(shown), title);
    await bench.importText(made, 'conversations.json');
    expect(titles()).toEqual([title, title]);
    const before = bench.hash();
    await bench.importText(made, 'conversations.json');
    expect(bench.hash()).toBe(before);
  }
  expect(faults(bench, nodes)).toEqual([]);
});
