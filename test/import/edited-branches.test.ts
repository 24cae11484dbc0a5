/**
 * Exports of a tree whose messages are also edited in place, each of which shows another branch: the text
 * that the source has now is stored exactly once, and no id is there twice.
 */
import { expect, it } from 'vitest';
import type { PastMessage } from '../../src/stores/conversations/document/apply-appends.js';
import { seededRandom } from '../support/seeded-random.js';
import { counts, fileWith, openImportBench } from './bench.js';

interface Node {
  readonly id: string;
  readonly parent: string | null;
  readonly role: 'user' | 'assistant';
  version: number;
}

const idOf = (number: number) => `node-${String(number).padStart(14, '0')}`;
const textOf = ({ id, version }: Node) => `text ${version} of ${id}`;

function exportOf(nodes: readonly Node[], shown: string | undefined) {
  const messages = nodes.map((node, index) => [
    node.id,
    {
      id: node.id,
      parentId: node.parent,
      role: node.role,
      content: textOf(node),
      timestamp: 1.7e9 + index,
    },
  ]);
  const versions = nodes.reduce((sum, { version }) => sum + version, 0);
  const times = { created_at: 1.7e9, updated_at: 1.7e9 + 100 * nodes.length + versions };
  const history = { messages: Object.fromEntries(messages), currentId: shown };
  return [{ id: 'chat-of-the-tree', title: 'T', ...times, chat: { history } }];
}

const leavesOf = (nodes: readonly Node[]) =>
  nodes.filter(({ id }) => !nodes.some(({ parent }) => parent === id));

function change(nodes: Node[], step: number, random: () => number) {
  const below = (limit: number) => Math.floor(random() * limit);
  for (let left = step === 0 ? 3 + below(4) : below(3); left > 0; left -= 1) {
    const among = below(3) === 0 ? nodes : leavesOf(nodes);
    const parent = among[below(among.length)];
    const role = parent?.role === 'user' ? 'assistant' : 'user';
    nodes.push({ id: idOf(nodes.length + 1), parent: parent?.id ?? null, role, version: 1 });
  }
  if (step === 0) return;
  for (let left = below(3); left > 0; left -= 1) {
    const node = nodes[below(nodes.length)];
    if (node !== undefined) node.version += 1;
  }
}

type Bench = Awaited<ReturnType<typeof openImportBench>>;

function faults({ folders, jsonOf }: Bench, nodes: readonly Node[]): string[] {
  const documents = folders().map((name) => jsonOf(name));
  const found: string[] = [];
  const stored: { id: string; content: string }[] = documents.flatMap(({ messages }) => messages);
  for (const node of nodes) {
    const count = stored.filter(({ content }) => content === textOf(node)).length;
    if (count !== 1) found.push(`${textOf(node)} is here ${count} times`);
  }
  for (const { id } of stored) {
    const count = stored.filter((each) => each.id === id).length;
    if (count !== 1) found.push(`${id} is the id of ${count} messages`);
  }
  const nodeOf = (content: string) => content.replace(/^text \d+ of /, '');
  const parents = new Map(nodes.map(({ id, parent }) => [id, parent]));
  for (const { messages, branchOf } of documents) {
    const from = stored.find(({ id }) => id === branchOf?.messageId);
    let before = from === undefined ? null : nodeOf(from.content);
    for (const { content } of messages) {
      const own = nodeOf(content);
      if (parents.get(own) !== before) found.push(`${own} comes after ${before}`);
      before = own;
    }
  }
  return found;
}

/** Seeds with which texts were lost or doubled, or a dry run counted otherwise. */
const SEEDS = [3, 5, 7, 18, 22, 25, 26, 35, 46, 62];

it.each(
  SEEDS,
)('a text that was edited in its place is stored once, whichever branch is shown (%i)', async (seed) => {
  const bench = await openImportBench();
  const random = seededRandom(seed);
  const nodes: Node[] = [];
  for (let step = 0; step < 4; step += 1) {
    change(nodes, step, random);
    const leaves = leavesOf(nodes);
    const made = exportOf(nodes, leaves[Math.floor(random() * leaves.length)]?.id);
    const path = fileWith(made, 'chats.json');
    const planned = await bench.import(path, { dryRun: true });
    const report = await bench.import(path);
    expect(report.problems).toEqual([]);
    expect(counts(planned)).toEqual(counts(report));
    expect(faults(bench, nodes)).toEqual([]);
    const before = bench.hash();
    await bench.importText(made, 'chats.json');
    expect(bench.hash()).toBe(before);
  }
});

it.each([
  { shownFirst: idOf(3), edited: [1, 2, 3] },
  { shownFirst: idOf(2), edited: [2] },
])('an older export does not bring back the older text of a branch that is not shown (%#)', async ({
  shownFirst,
  edited,
}) => {
  const bench = await openImportBench();
  const node = (number: number, parent: string | null): Node => ({
    id: idOf(number),
    parent,
    role: parent === null ? 'user' : 'assistant',
    version: 1,
  });
  const nodes = [node(1, null), node(2, idOf(1))];
  await bench.importText(exportOf(nodes, idOf(2)), 'chats.json');
  nodes.push(node(3, idOf(1)));
  await bench.importText(exportOf(nodes, shownFirst), 'chats.json');
  const older = exportOf(nodes, idOf(3));
  await bench.importText(older, 'chats.json');
  for (const each of nodes) if (edited.some((number) => each.id === idOf(number))) each.version = 2;
  await bench.importText(exportOf(nodes, idOf(3)), 'chats.json');
  expect(faults(bench, nodes)).toEqual([]);
  await bench.importText(older, 'chats.json');
  expect(faults(bench, nodes)).toEqual([]);
});

it('a text that was edited in its place is stored after an older export was imported too', async () => {
  const bench = await openImportBench();
  const parents = [null, idOf(1), idOf(1), idOf(3)];
  const nodes = parents.map((parent, index): Node => {
    return {
      id: idOf(index + 1),
      parent,
      role: index % 3 === 0 ? 'user' : 'assistant',
      version: 1,
    };
  });
  const older = exportOf(nodes, idOf(4));
  await bench.importText(older, 'chats.json');
  for (const version of [2, 3]) {
    for (const each of nodes.slice(2)) each.version = version;
    await bench.importText(exportOf(nodes, idOf(2)), 'chats.json');
    expect(faults(bench, nodes)).toEqual([]);
    await bench.importText(older, 'chats.json');
    expect(faults(bench, nodes)).toEqual([]);
  }
});

it('a message that was edited here keeps its text, and the new text of the source is in a branch', async () => {
  const bench = await openImportBench();
  const nodes: Node[] = [1, 2, 3].map((number) => ({
    id: idOf(number),
    parent: number === 1 ? null : idOf(1),
    role: number === 1 ? 'user' : 'assistant',
    version: 1,
  }));
  await bench.importText(exportOf(nodes, idOf(2)), 'chats.json');
  const { conversationId } = bench.bySource(`chat-of-the-tree:${idOf(3)}`);
  await bench.store.revise(conversationId, ({ updatedAt, messages }) => ({
    updatedAt,
    messages: messages.map((message) => ({ ...message, content: 'edited here' })),
  }));
  for (const each of nodes) each.version = 2;
  const made = exportOf(nodes, idOf(3));
  expect((await bench.importText(made, 'chats.json')).problems).toEqual([]);
  const all = bench.folders().flatMap((name) => bench.jsonOf(name).messages);
  const contents = all.map(({ content }: { content: string }) => content);
  expect(contents.sort()).toEqual([...nodes.map(textOf), 'edited here'].sort());
  expect(new Set(all.map(({ id }: { id: string }) => id)).size).toBe(4);
  const before = bench.hash();
  await bench.importText(made, 'chats.json');
  expect(bench.hash()).toBe(before);
});

it('a new text of a message that is in no shown branch is in the report if the message was edited here too', async () => {
  const bench = await openImportBench();
  const node = (number: number): Node => ({
    id: idOf(number),
    parent: number === 1 ? null : idOf(1),
    role: number === 1 ? 'user' : 'assistant',
    version: 1,
  });
  const nodes = [node(1), node(2)];
  await bench.importText(exportOf(nodes, idOf(2)), 'chats.json');
  const { conversationId } = bench.bySource('chat-of-the-tree');
  await bench.store.revise(conversationId, ({ updatedAt, messages: [first, second] }) => ({
    updatedAt,
    messages: [first, { ...second, content: 'edited here' }] as PastMessage[],
  }));
  nodes.push(node(3));
  expect((await bench.importText(exportOf(nodes, idOf(3)), 'chats.json')).leftOut).toEqual({});
  for (const each of nodes.slice(1, 2)) each.version = 2;
  const path = fileWith(exportOf(nodes, idOf(3)), 'chats.json');
  for (const dryRun of [true, false, false]) {
    const { leftOut } = await bench.import(path, { dryRun });
    expect(leftOut).toEqual({ 'messages that have another text here': 1 });
  }
  expect(counts(await bench.importText(exportOf(nodes, idOf(2)), 'chats.json'))).toMatchObject({
    added: 1,
  });
  expect((await bench.import(path)).leftOut).toEqual({});
});
