/** The nearest passages and the best passage of a message, compared with a look at all keys. */
import { describe, expect, it, vi } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import { PassageRows } from '../../src/embeddings/passage-rows.js';
import { quantized, VectorTable } from '../../src/embeddings/vectors/vector-table.js';
import type { PassageScore } from '../../src/recall/vector-source.js';
import { seededRandom } from '../support/seeded-random.js';
import { STEPS_PER_SLICE, tickingClock } from '../support/ticking-clock.js';

const WIDTH = 8;
const random = seededRandom(5);
const pick = (limit: number) => Math.floor(random() * limit);
const randomVector = () => Float32Array.from({ length: WIDTH }, () => pick(2000) / 1000 - 1);
const keyOf = (number: number) => number.toString(16).padStart(32, '0');

/** Adds vectors of some keys. */
function embed(table: VectorTable, rows: PassageRows, keys: number): void {
  for (let number = 0; number < keys; number += 1) {
    if (pick(3) === 0) continue;
    const key = keyOf(number);
    rows.addRow(key, table.add({ key, ...quantized(randomVector()) }));
  }
}

it('are found before all passages have vectors, after others got theirs, and after changes', () => {
  const rows = new PassageRows();
  const table = new VectorTable(WIDTH);
  const stored = new Map<string, string[][]>();
  const put = (id: string, from: number) => {
    const keys = Array.from({ length: 1 + pick(9) }, () =>
      Array.from({ length: pick(4) }, () => keyOf(pick(600))),
    );
    rows.put(id, from, keys, (key) => table.rowOf(key));
    stored.set(id, [...(stored.get(id) ?? []).slice(0, from), ...keys]);
  };
  for (let id = 0; id < 50; id += 1) put(`c${id}`, 0);
  for (let round = 0; round < 40; round += 1) {
    embed(table, rows, 15 * round);
    put(`c${pick(50)}`, pick(3));
    if (pick(4) === 0) {
      const id = `c${pick(50)}`;
      rows.delete(id);
      stored.delete(id);
    }
    const keys = new Set([...stored.values()].flat(2));
    expect(rows.missingCount).toBe(
      [...keys].filter((key) => table.rowOf(key) === undefined).length,
    );
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
    const nearest = rows.nearest(20, accepts, cosines);
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
      expect(rows.best(conversationId, seq, cosines)).toEqual(best);
      for (const none of [0, messages.length + 1])
        expect(rows.best(conversationId, none, cosines)).toBeUndefined();
      const to = seq + pick(4);
      const range = all.filter(
        (one) => one.conversationId === conversationId && one.seq >= seq && one.seq < to,
      );
      expect(rows.highest(conversationId, seq, to, cosines)).toBe(
        range.length === 0 ? undefined : Math.max(...range.map(({ cosine }) => cosine)),
      );
    }
  }
  expect(rows.count).toBe([...stored.values()].flat(2).length);
});

const noRow = () => undefined;

it('the keys are collected in slices', async () => {
  const rows = new PassageRows();
  for (let id = 0; id < 100; id += 1) rows.put(`c${id}`, 0, [[keyOf(id)], [keyOf(id + 1)]], noRow);
  const slice = new TimeSlice({ clock: tickingClock() });
  const yields = vi.spyOn(slice, 'yield');
  const keys = await rows.keys(slice);
  expect(yields).toHaveBeenCalledTimes(100 / STEPS_PER_SLICE);
  expect(keys).toEqual(new Set(Array.from({ length: 101 }, (_, at) => keyOf(at))));
});

describe('a key without a vector', () => {
  const cosines = Float32Array.of(0.5, 0.25);
  const [one, two, three] = [keyOf(1), keyOf(2), keyOf(3)];

  it('is looked up once, and its vector is used in all its passages when it comes', () => {
    const rows = new PassageRows();
    const asked: string[] = [];
    const rowOf = (key: string) => {
      asked.push(key);
      return key === three ? 0 : undefined;
    };
    rows.put('a', 0, [[one, three], [two]], rowOf);
    rows.put('b', 0, [[two]], rowOf);
    rows.put('a', 2, [[two, one]], rowOf);
    expect(rows.best('b', 1, cosines)).toBeUndefined();
    expect(rows.nearest(9, () => true, cosines)).toHaveLength(1);
    expect(asked).toEqual([one, three, two, two, two, one]);
    rows.addRow(two, 1);
    expect(rows.best('b', 1, cosines)?.cosine).toBe(0.25);
    expect(rows.best('a', 2, cosines)?.cosine).toBe(0.25);
    expect(rows.best('a', 3, cosines)).toMatchObject({ passage: 0, cosine: 0.25 });
    rows.addRow(one, 0);
    expect(rows.best('a', 3, cosines)).toMatchObject({ passage: 1, cosine: 0.5 });
    expect(rows.missingCount).toBe(0);
  });

  it('is forgotten when its last passage is deleted or replaced', () => {
    const rows = new PassageRows();
    rows.put('a', 0, [[one], [two]], noRow);
    rows.put('b', 0, [[three, two]], noRow);
    rows.put('a', 1, [[three]], noRow);
    const missing = () =>
      rows
        .missing(9)
        .map(({ key, conversationId, seq, passage }) => [
          key,
          `${conversationId} ${seq} ${passage}`,
        ]);
    expect(Object.fromEntries(missing())).toEqual({
      [one]: 'a 1 0',
      [two]: 'b 1 1',
      [three]: 'b 1 0',
    });
    rows.delete('b');
    expect(Object.fromEntries(missing())).toEqual({ [one]: 'a 1 0', [three]: 'a 2 0' });
    expect(rows.missing(1)).toHaveLength(1);
    rows.delete('a');
    expect(rows.missingCount).toBe(0);
  });

  it('keeps its passages when the rows of deleted passages are removed', () => {
    const rows = new PassageRows();
    const put = () =>
      rows.put('b', 0, [Array.from({ length: 100 }, (_, at) => keyOf(at + 3))], noRow);
    put();
    rows.put('a', 0, [[one], [two]], noRow);
    for (let round = 0; round < 200; round += 1) put();
    rows.delete('b');
    rows.put('c', 0, [[two]], noRow);
    expect(rows.missingCount).toBe(2);
    rows.addRow(two, 1);
    expect(rows.nearest(9, () => true, cosines)).toEqual([
      { conversationId: 'a', seq: 2, passage: 0, cosine: 0.25 },
      { conversationId: 'c', seq: 1, passage: 0, cosine: 0.25 },
    ]);
    rows.forgetMissing(one, 'a');
    expect(rows.missingCount).toBe(0);
  });
});
