/**
 * The text of a snapshot: everything that still counts, sorted by subject, predicate and object, in
 * pieces, while the graph goes on living. What changes meanwhile may be in it or not: it is in the log
 * behind the place where the snapshot began, and comes to the same when that is replayed.
 */
import { Breath } from '../../base/breath.js';
import { encodeOperation, SNAPSHOT_CLOSING, SNAPSHOT_OPENING } from './operation-line.js';
import { sortInSlices } from './sort-in-slices.js';
import type { TripleTable } from './triple-table.js';

const PIECE_CHARACTERS = 1 << 16;
const PROGRESS_EVERY = 10_000;

/** For whoever waits for it. */
export interface Watched {
  readonly signal?: AbortSignal;
  /** Of the triples in the snapshot. */
  onProgress?(done: number, total: number): void;
}

/** Calls `onLines` with the count of operations once all is out. */
export async function* snapshotText(
  table: TripleTable,
  { signal, onProgress }: Watched,
  onLines: (count: number) => void,
): AsyncGenerator<string> {
  const breath = new Breath(signal);
  const keys = await sortedKeys(table, breath);
  const { terms } = table;
  let text = `${SNAPSHOT_OPENING}\n`;
  let [lines, done] = [0, 0];
  for (const place of keys.order) {
    const key = { s: keys.s[place] ?? 0, p: keys.p[place] ?? 0, o: keys.o[place] ?? 0 };
    const names = {
      subject: terms.text(key.s),
      predicate: terms.text(key.p),
      object: terms.text(key.o),
    };
    for (const operation of table.operationsOf(key) ?? []) {
      text += `${encodeOperation(names, operation)},\n`;
      lines += 1;
    }
    done += 1;
    if (done % PROGRESS_EVERY === 0) onProgress?.(done, keys.order.length);
    if (text.length >= PIECE_CHARACTERS) {
      yield text;
      text = '';
    }
    if (breath.isDue()) await breath.take();
  }
  onLines(lines);
  yield `${text}${SNAPSHOT_CLOSING}\n`;
}

/** Keys and not rows, because a row is another triple's once its own is deleted. */
async function sortedKeys(table: TripleTable, breath: Breath) {
  const ranks = await ranksOf(table, breath);
  const most = table.rowEnd + table.histories.size;
  const [s, p, o] = [new Uint32Array(most), new Uint32Array(most), new Uint32Array(most)];
  let count = 0;
  for (const key of table.keys()) {
    s[count] = key.s;
    p[count] = key.p;
    o[count] = key.o;
    count += 1;
  }
  const rank = (part: Uint32Array, place: number) => ranks[part[place] ?? 0] ?? 0;
  const order = await sortInSlices(
    Uint32Array.from({ length: count }, (_, place) => place),
    (a, b) => rank(s, a) - rank(s, b) || rank(p, a) - rank(p, b) || rank(o, a) - rank(o, b),
    breath,
  );
  return { order, s, p, o };
}

/** The place of each term among all of them. */
async function ranksOf({ terms }: TripleTable, breath: Breath): Promise<Uint32Array> {
  const ids = Uint32Array.from({ length: terms.count }, (_, id) => id);
  const sorted = await sortInSlices(ids, (a, b) => terms.compare(a, b), breath);
  const ranks = new Uint32Array(sorted.length);
  for (let place = 0; place < sorted.length; place += 1) ranks[sorted[place] ?? 0] = place;
  return ranks;
}
