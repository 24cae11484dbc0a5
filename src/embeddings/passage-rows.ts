/**
 * The passages of each conversation, and the rows of their vectors in the vector table. Equal texts have
 * one key, so that a moved or copied conversation is not embedded again. A row is looked up when its passage
 * is stored, or set when its vector is made later; a question looks up nothing.
 */
import { lastAtMost } from '../base/arrays/binary-search.js';
import { type Compare, TopK } from '../base/arrays/top-k.js';
import { Uint32List, withCapacity } from '../base/arrays/typed-array.js';
import type { TimeSlice } from '../base/async/time-slice.js';
import { sha256Hex } from '../base/ids.js';
import type { PassageRef, PassageScore } from '../recall/vector-source.js';
import { KEY_BYTES } from './vectors/vector-table.js';

/** Splits a text into passages; returns their offsets, in order. */
export type PassageSplitter = (
  text: string,
) => readonly { readonly start: number; readonly end: number }[];

export const passageKey = (text: string): string => sha256Hex(text).slice(0, KEY_BYTES * 2);

export interface MissingPassage extends PassageRef {
  readonly key: string;
}

type RowOf = (key: string) => number | undefined;

interface Passages {
  readonly conversationId: string;
  /** By message: the keys of its passages. */
  readonly keys: readonly string[][];
  /** By message: the index in the list of all rows of its first passage, and after the last message the end. */
  readonly starts: Uint32Array;
}

/** Instead of a row: of a passage that has no vector yet, and of one that was deleted. */
const NO_VECTOR = -1;
const DELETED = -2;
/** Lower than every cosine. */
const NONE = Number.NEGATIVE_INFINITY;
/** So many rows of deleted passages may be kept, even if there are few others. */
const MAX_DELETED = 10_000;

export class PassageRows {
  readonly #conversations = new Map<string, Passages>();
  /** By passage of all conversations: its row in the table. One list, because a question reads all of it. */
  #rows = new Int32Array(0);
  #end = 0;
  /** In the order of their rows, also those that were deleted or replaced. */
  #all: Passages[] = [];
  /** By index in `#all`: the index of the first row. */
  readonly #firsts = new Uint32List();
  #passages = 0;
  /** By key without a vector: the conversations that have a passage with this key. */
  readonly #missing = new Map<string, Passages[]>();

  get count(): number {
    return this.#passages;
  }

  /** Number of different texts without a vector. */
  get missingCount(): number {
    return this.#missing.size;
  }

  /** Number of passages without a vector. Several can have the same text. */
  get missingPassages(): number {
    let count = 0;
    for (let at = 0; at < this.#end; at += 1) if (this.#rows[at] === NO_VECTOR) count += 1;
    return count;
  }

  /** At most `limit` keys without a vector, each with one of its passages. */
  missing(limit: number): MissingPassage[] {
    const found: MissingPassage[] = [];
    for (const [key, [first]] of this.#missing) {
      if (found.length === limit || first === undefined) break;
      const message = first.keys.findIndex((own) => own.includes(key));
      const passage = first.keys[message]?.indexOf(key) ?? 0;
      found.push({ key, conversationId: first.conversationId, seq: message + 1, passage });
    }
    return found;
  }

  /** The vector of a key is in this row of the table. */
  addRow(key: string, row: number): void {
    for (const { keys, starts } of this.#missing.get(key) ?? []) {
      let at = starts[0] ?? 0;
      for (const own of keys)
        for (const other of own) {
          if (other === key) this.#rows[at] = row;
          at += 1;
        }
    }
    this.#missing.delete(key);
  }

  /** The conversation no longer waits for the vector of this key. */
  forgetMissing(key: string, conversationId: string): void {
    const others = this.#missing.get(key)?.filter((one) => one.conversationId !== conversationId);
    if (others?.length) this.#missing.set(key, others);
    else this.#missing.delete(key);
  }

  /** Number of the conversation's messages that are stored here. */
  messagesOf(conversationId: string): number {
    return this.#conversations.get(conversationId)?.keys.length ?? 0;
  }

  /** Replaces the messages from index `from` (0 for all). `rowOf`: the row of a key that has a vector. */
  put(conversationId: string, from: number, keys: readonly string[][], rowOf: RowOf): void {
    const before = this.#conversations.get(conversationId);
    const kept = before?.keys.slice(0, from) ?? [];
    const known =
      before && this.#rows.slice(before.starts[0] ?? 0, before.starts[kept.length] ?? 0);
    this.delete(conversationId);
    this.#add(conversationId, [...kept, ...keys], known ?? new Int32Array(0), rowOf);
    if (this.#end > 2 * this.#passages + MAX_DELETED) this.#removeDeleted();
  }

  delete(conversationId: string): void {
    const known = this.#conversations.get(conversationId);
    if (known === undefined) return;
    const [first = 0, end = 0] = [known.starts[0], known.starts.at(-1)];
    if (this.#missing.size > 0)
      for (const key of new Set(known.keys.flat())) this.forgetMissing(key, conversationId);
    this.#rows.fill(DELETED, first, end);
    this.#passages -= end - first;
    this.#conversations.delete(conversationId);
  }

  /** All keys in use. */
  async keys(slice: TimeSlice): Promise<Set<string>> {
    const all = new Set<string>();
    for (const { keys } of this.#conversations.values()) {
      for (const key of keys.flat()) all.add(key);
      if (slice.isSpent()) await slice.yield();
    }
    return all;
  }

  /** The best passage of a message; `undefined` if none has a vector yet, or there is no such message. */
  best(conversationId: string, seq: number, cosines: Float32Array): PassageScore | undefined {
    const starts = this.#conversations.get(conversationId)?.starts;
    const end = starts?.[seq] ?? 0;
    const first = starts?.[seq - 1] ?? end;
    let best: PassageScore | undefined;
    for (let at = first; at < end; at += 1) {
      const cosine = cosineOf(this.#rows[at], cosines);
      if (Number.isNaN(cosine) || (best !== undefined && cosine <= best.cosine)) continue;
      best = { conversationId, seq, passage: at - first, cosine };
    }
    return best;
  }

  /** The best cosine of the messages `from` up to, without, `to`; `undefined` if none has a vector yet. */
  highest(
    conversationId: string,
    from: number,
    to: number,
    cosines: Float32Array,
  ): number | undefined {
    const starts = this.#conversations.get(conversationId)?.starts;
    const end = starts?.[Math.min(to, starts.length) - 1] ?? 0;
    let highest = NONE;
    for (let at = starts?.[from - 1] ?? end; at < end; at += 1) {
      const cosine = cosineOf(this.#rows[at], cosines);
      if (cosine > highest) highest = cosine;
    }
    return highest === NONE ? undefined : highest;
  }

  /** The nearest passages for which `accepts` is true, best first. */
  nearest(
    limit: number,
    accepts: (ref: PassageRef) => boolean,
    cosines: Float32Array,
  ): PassageScore[] {
    const rows = this.#rows;
    const best = new TopK(limit, byCosine);
    const end = this.#end;
    let least = NONE;
    for (let at = 0; at < end; at += 1) {
      const cosine = cosineOf(rows[at], cosines);
      if (Number.isNaN(cosine) || cosine < least) continue;
      const ref = this.#refAt(at);
      if (ref === undefined || !accepts(ref)) continue;
      best.offer({ ...ref, cosine });
      least = best.last?.cosine ?? least;
    }
    return best.sorted();
  }

  /** `known`: the rows of the first passages. */
  #add(conversationId: string, keys: readonly string[][], known: Int32Array, rowOf: RowOf): void {
    const starts = new Uint32Array(keys.length + 1);
    starts[0] = this.#end;
    keys.forEach((own, message) => {
      starts[message + 1] = (starts[message] ?? 0) + own.length;
    });
    const first = this.#end;
    this.#end = starts[keys.length] ?? 0;
    this.#passages += this.#end - first;
    this.#rows = withCapacity(this.#rows, this.#end);
    const passages = { conversationId, keys, starts };
    keys.flat().forEach((key, index) => {
      const row = known[index] ?? rowOf(key) ?? NO_VECTOR;
      this.#rows[first + index] = row;
      if (row === NO_VECTOR) this.#addMissing(key, passages);
    });
    this.#conversations.set(conversationId, passages);
    this.#all.push(passages);
    this.#firsts.push(first);
  }

  #addMissing(key: string, passages: Passages): void {
    const others = this.#missing.get(key);
    if (others === undefined) this.#missing.set(key, [passages]);
    else if (others.at(-1) !== passages) others.push(passages);
  }

  /** The passage at an index in the list of rows. */
  #refAt(at: number): PassageRef | undefined {
    const found = this.#all[lastAtMost(this.#firsts.array, this.#firsts.count, at)];
    if (found === undefined) return undefined;
    const { conversationId, keys, starts } = found;
    const message = lastAtMost(starts, keys.length, at);
    return { conversationId, seq: message + 1, passage: at - (starts[message] ?? 0) };
  }

  #removeDeleted(): void {
    this.#all = this.#all.filter((one) => this.#conversations.get(one.conversationId) === one);
    this.#firsts.clear();
    this.#end = 0;
    for (const { starts } of this.#all) {
      const [first = 0, end = 0] = [starts[0], starts.at(-1)];
      this.#rows.copyWithin(this.#end, first, end);
      this.#firsts.push(this.#end);
      const moved = first - this.#end;
      for (let message = 0; message < starts.length; message += 1)
        starts[message] = (starts[message] ?? 0) - moved;
      this.#end += end - first;
    }
  }
}

/** NaN without a row, or for a row that was added after the cosines were computed. */
const cosineOf = (row = NO_VECTOR, cosines: Float32Array): number =>
  row < 0 ? Number.NaN : (cosines[row] ?? Number.NaN);

/** Equal cosines: by conversation and message, so that the order of embedding does not matter. */
const byCosine: Compare<PassageScore> = (a, b) => {
  if (a.cosine !== b.cosine) return b.cosine - a.cosine;
  if (a.conversationId !== b.conversationId) return a.conversationId < b.conversationId ? -1 : 1;
  return a.seq - b.seq || a.passage - b.passage;
};
