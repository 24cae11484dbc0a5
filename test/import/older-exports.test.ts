/** An older export that is imported after a newer one: it never sets the title back. */
import { expect, it } from 'vitest';
import { fileWith, openImportBench, said } from './bench.js';

const node = (id: string, parent: string | null) => ({
  id,
  parent,
  message: {
    id: `message-0000-0000-${id}`,
    author: { role: parent === null ? 'user' : 'assistant' },
    create_time: 1737724800,
    content: { content_type: 'text', parts: [`text of ${id}`] },
  },
});
type Nodes = readonly (readonly [string, string | null])[];
const LINE: Nodes = [
  ['a', null],
  ['b', 'a'],
];
const FORK: Nodes = [...LINE, ['x', 'a']];

const exportOf = (title: string, day: number, nodes: Nodes, current = 'b') =>
  fileWith([
    {
      id: 'c-1',
      title,
      create_time: 1737724800,
      update_time: 1737724800 + day * 86_400,
      current_node: current,
      mapping: Object.fromEntries(nodes.map(([id, parent]) => [id, node(id, parent)])),
    },
  ]);

type Bench = Awaited<ReturnType<typeof openImportBench>>;
const CHANGES: Readonly<Record<string, (bench: Bench, id: string) => Promise<unknown>>> = {
  nothing: async () => undefined,
  'a message': (bench, id) => bench.store.append(id, [{ role: 'user', content: 'more' }]),
};
const OLDER: Readonly<Record<string, () => string>> = {
  'the same messages': () => exportOf('Old', 1, LINE),
  'fewer messages': () => exportOf('Old', 1, LINE.slice(0, 1), 'a'),
  'more messages': () => exportOf('Old', 1, [...LINE, ['y', 'b'], ['z', 'y']], 'z'),
  'another answer': () => exportOf('Old', 1, FORK, 'x'),
};

it.each(
  Object.keys(CHANGES).flatMap((change) => Object.keys(OLDER).map((older) => [change, older])),
)('the newer title stays after %s was added here, if the older export has %s', async (change, older) => {
  const bench = await openImportBench();
  const old = OLDER[older]?.() ?? '';
  bench.time.now += 30 * 86_400_000;
  await bench.import(exportOf('New', 2, LINE));
  const { conversationId } = bench.bySource('c-1');
  await CHANGES[change]?.(bench, conversationId);
  await bench.import(old);
  expect(bench.bySource('c-1').title).toBe('New');
  const before = bench.hash();
  await bench.import(old);
  expect(bench.hash()).toBe(before);
  await bench.import(exportOf('Newest', 3, [...LINE, ['d', 'b']], 'd'));
  expect(bench.bySource('c-1').title).toBe('Newest');
});

it('the newer title of a branch stays too', async () => {
  const bench = await openImportBench();
  await bench.import(exportOf('New', 2, FORK));
  const branch = 'c-1:message-0000-0000-x';
  expect(bench.bySource(branch).title).toBe('New');
  await bench.import(exportOf('Old', 1, FORK));
  expect(bench.bySource(branch).title).toBe('New');
  await bench.import(exportOf('Newest', 3, FORK));
  expect(bench.bySource(branch).title).toBe('Newest');
});

it('an older export does not bring back a message that was deleted here', async () => {
  const bench = await openImportBench();
  const old = exportOf('T', 1, LINE);
  await bench.import(old);
  const { conversationId } = bench.bySource('c-1');
  await bench.store.revise(conversationId, ({ updatedAt, messages }) => ({
    updatedAt,
    messages: messages.slice(1),
  }));
  await bench.import(exportOf('T', 2, [...LINE, ['d', 'b']], 'd'));
  const before = bench.hash();
  await bench.import(old);
  expect(bench.hash()).toBe(before);
  expect(said(bench.bySource('c-1'))).toEqual(['assistant: text of b', 'assistant: text of d']);
});
