/**
 * Yields the text of a snapshot in chunks: all operations that still have an effect, sorted by subject,
 * predicate and object. The graph may change meanwhile. It does not matter whether those changes are in the
 * snapshot: they are in the log after the position where the snapshot began, and replaying them twice has
 * the same result.
 */
import { TimeSlice } from '../../../base/async/time-slice.js';
import { namesOf, type TripleTable } from '../table/triple-table.js';
import { encodeOperation, SNAPSHOT_CLOSING, SNAPSHOT_OPENING } from './operation-line.js';
import { sortInSlices } from './sort-in-slices.js';

const PIECE_CHARACTERS = 1 << 16;
const PROGRESS_EVERY = 10_000;

/** Options of the caller that waits for the snapshot. */
export interface ProgressOptions {
  readonly signal?: AbortSignal;
  /** Called with the number of written triples and the number of all triples. */
  onProgress?(done: number, total: number): void;
}

/** At the end it calls `onLines` with the number of operations. */
export async function* snapshotText(
  table: TripleTable,
  { signal, onProgress }: ProgressOptions,
  onLines: (count: number) => void,
): AsyncGenerator<string> {
  const slice = new TimeSlice({ signal });
  const keys = await sortedKeys(table, slice);
  let text = `${SNAPSHOT_OPENING}\n`;
  let [lines, done] = [0, 0];
  for (const position of keys.order) {
    const key = { s: keys.s[position] ?? 0, p: keys.p[position] ?? 0, o: keys.o[position] ?? 0 };
    const names = namesOf(table, key);
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
    if (slice.isSpent()) await slice.yield();
  }
  onLines(lines);
  yield `${text}${SNAPSHOT_CLOSING}\n`;
}

/** Sorts keys and not rows, because the row of a deleted triple is reused for another one. */
async function sortedKeys(table: TripleTable, slice: TimeSlice) {
  const ranks = await ranksOf(table, slice);
  const most = table.rowEnd + table.histories.size;
  const [s, p, o] = [new Uint32Array(most), new Uint32Array(most), new Uint32Array(most)];
  let count = 0;
  for (const key of table.keys()) {
    s[count] = key.s;
    p[count] = key.p;
    o[count] = key.o;
    count += 1;
  }
  const rank = (part: Uint32Array, position: number) => ranks[part[position] ?? 0] ?? 0;
  const order = await sortInSlices(
    Uint32Array.from({ length: count }, (_, position) => position),
    (a, b) => rank(s, a) - rank(s, b) || rank(p, a) - rank(p, b) || rank(o, a) - rank(o, b),
    slice,
  );
  return { order, s, p, o };
}

/** The rank of each term in the order of the terms. */
async function ranksOf({ terms }: TripleTable, slice: TimeSlice): Promise<Uint32Array> {
  const ids = Uint32Array.from({ length: terms.count }, (_, id) => id);
  const sorted = await sortInSlices(ids, (a, b) => terms.compare(a, b), slice);
  const ranks = new Uint32Array(sorted.length);
  for (let position = 0; position < sorted.length; position += 1)
    ranks[sorted[position] ?? 0] = position;
  return ranks;
}
