/** The nearest passages and the best passage of a message, compared with a look at all keys. */
import { expect, it } from 'vitest';
import { PassageRows } from '../../src/embeddings/passage-rows.js';
import { quantized, VectorTable } from '../../src/embeddings/vectors/vector-table.js';
import type { PassageScore } from '../../src/recall/vector-source.js';
import { seededRandom } from '../support/seeded-random.js';

const WIDTH = 8;
const random = seededRandom(5);
const pick = (limit: number) => Math.floor(random() * limit);
const randomVector = () => Float32Array.from({ length: WIDTH }, () => pick(2000) / 1000 - 1);
const keyOf = (number: number) => number.toString(16).padStart(32, '0');

/** Adds vectors of some keys. */
function embed(table: VectorTable, keys: number): void {
  for (let key = 0; key < keys; key += 1)
    if (pick(3) > 0) table.add({ key: keyOf(key), ...quantized(randomVector()) });
}

it('are found before all passages have vectors, after others got theirs, and after changes', () => {
  const rows = new PassageRows();
  const stored = new Map<string, string[][]>();
  const put = (id: string, from: number) => {
    const keys = Array.from({ length: 1 + pick(9) }, () =>
      Array.from({ length: pick(4) }, () => keyOf(pick(600))),
    );
    rows.put(id, from, keys);
    stored.set(id, [...(stored.get(id) ?? []).slice(0, from), ...keys]);
  };
  for (let id = 0; id < 50; id += 1) put(`c${id}`, 0);
  const tables = [new VectorTable(WIDTH), new VectorTable(WIDTH)];
  for (let round = 0; round < 40; round += 1) {
    const table = tables[pick(2)] as VectorTable;
    embed(table, 15 * round);
    put(`c${pick(50)}`, pick(3));
    if (pick(4) === 0) {
      const id = `c${pick(50)}`;
      rows.delete(id);
      stored.delete(id);
    }
    const cosines = table.cosines(randomVector());
    const all = [...stored].flatMap(([conversationId, messages]) =>
      messages.flatMap((keys, message) =>
        keys.flatMap((key, passage): PassageScore[] => {
          const cosine = cosines[table.rowOf(key) ?? cosines.length];
          return cosine === undefined
            ? []
            : [{ conversationId, seq: message + 1, passage, cosine }];
        }),
      ),
    );
    const accepts = ({ seq }: { seq: number }) => seq !== 2;
    const nearest = rows.nearest(20, accepts, table, cosines);
    const expected = all
      .filter(accepts)
      .sort(
        (a, b) =>
          b.cosine - a.cosine ||
          Number(a.conversationId > b.conversationId) -
            Number(a.conversationId < b.conversationId) ||
          a.seq - b.seq ||
          a.passage - b.passage,
      );
    expect(nearest).toEqual(expected.slice(0, 20));
    for (const [conversationId, messages] of stored) {
      const seq = 1 + pick(messages.length);
      const own = all.filter((one) => one.conversationId === conversationId && one.seq === seq);
      const best = own.toSorted((a, b) => b.cosine - a.cosine || a.passage - b.passage)[0];
      expect(rows.best(conversationId, seq, table, cosines)).toEqual(best);
      for (const none of [0, messages.length + 1])
        expect(rows.best(conversationId, none, table, cosines)).toBeUndefined();
      const to = seq + pick(4);
      const range = all.filter(
        (one) => one.conversationId === conversationId && one.seq >= seq && one.seq < to,
      );
      expect(rows.highest(conversationId, seq, to, table, cosines)).toBe(
        range.length === 0 ? undefined : Math.max(...range.map(({ cosine }) => cosine)),
      );
    }
  }
  expect(rows.count).toBe([...stored.values()].flat(2).length);
});
