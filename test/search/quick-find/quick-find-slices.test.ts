/** Quick find beside other calls: its index is built in slices, by one call after the other. */
import { expect, it } from 'vitest';
import { QuickFind, type QuickFindStores } from '../../../src/search/quick-find/quick-find.js';
import { blockedCpuMs } from '../../support/cpu-time.js';

const REQUEST = { kinds: ['conversation'], limit: 5 } as const;
const head = (at: number, title: string) => ({
  conversationId: `20250101-${1735689600000 + at}`,
  title,
  updatedAt: '2025-01-01T00:00:00.000Z',
});

/** Each call of `find` sees the next of `lists`, and then the last one again. */
function quickFindOver(...lists: ReturnType<typeof head>[][]): QuickFind {
  const list = async () => (lists.length > 1 ? lists.shift() : lists[0]);
  return new QuickFind({ conversations: { list } } as unknown as QuickFindStores);
}

it('other tasks run while many names are indexed', async () => {
  const title = (at: number) => `Plan ${at}: larch planks, a door and two windows for shed ${at}`;
  const quickFind = quickFindOver(Array.from({ length: 4000 }, (_, at) => head(at, title(at))));
  const { longest, all } = await blockedCpuMs(() => quickFind.find('3999', REQUEST));
  expect(longest).toBeLessThan(all / 2);
});

it('other tasks run while a query of many letters is answered', async () => {
  const title = (at: number) =>
    `Plan ${at} for a barn, cart, dairy, edge, field, gate, hill and inn`;
  const quickFind = quickFindOver(Array.from({ length: 4000 }, (_, at) => head(at, title(at))));
  await quickFind.find('p', REQUEST);
  const { longest, all } = await blockedCpuMs(() => quickFind.find('a b c d e f g h i', REQUEST));
  expect(longest).toBeLessThan(all / 2);
});

it('each of several calls at the same time finds the names that it saw', async () => {
  const before = Array.from({ length: 500 }, (_, at) => head(at, `Old plan ${at}`));
  const renamed = before.map((_, at) => head(at, `New plan ${at}`));
  const quickFind = quickFindOver(before, renamed, renamed.slice(0, 3));
  const found = await Promise.all(
    ['old', 'new', 'new'].map((query) => quickFind.find(query, REQUEST)),
  );
  expect(found.map(({ total, hits }) => [total, hits.length])).toEqual([
    [500, 5],
    [500, 5],
    [3, 3],
  ]);
});
