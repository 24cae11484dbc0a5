/**
 * The passages of each conversation, and the keys of their vectors in the vector table. Equal texts have
 * one key, so that a moved or copied conversation is not embedded again.
 */
import { sha256Hex } from '../base/ids.js';
import type { PassageRef, PassageScore } from '../recall/vector-source.js';
import { KEY_BYTES, type VectorTable } from './vectors/vector-table.js';

/** Splits a text into passages; returns their offsets, in order. */
export type PassageSplitter = (
  text: string,
) => readonly { readonly start: number; readonly end: number }[];

export const passageKey = (text: string): string => sha256Hex(text).slice(0, KEY_BYTES * 2);

interface Passages {
  /** By message: the keys of its passages. */
  readonly keys: readonly string[][];
  /** Made at the first question, and again after vectors were added that were missing. */
  rows?: Rows;
}

/** The rows of a conversation's passages, so that a question need not look for their keys. */
interface Rows {
  readonly table: VectorTable;
  /** Size of the table when the rows were looked for. */
  readonly size: number;
  /** In the order of the passages; NO_ROW if the passage has no vector yet. */
  readonly numbers: Int32Array;
  /** By message: index of its first passage. At the end, the number of passages. */
  readonly starts: Uint32Array;
  readonly isComplete: boolean;
}

const NO_ROW = -1;

export class PassageRows {
  readonly #conversations = new Map<string, Passages>();
  #passages = 0;

  get count(): number {
    return this.#passages;
  }

  /** Number of the conversation's messages that are stored here. */
  messagesOf(conversationId: string): number {
    return this.#conversations.get(conversationId)?.keys.length ?? 0;
  }

  /** Replaces the messages from index `from` (0 for all). */
  put(conversationId: string, from: number, keys: readonly string[][]): void {
    const before = this.#conversations.get(conversationId)?.keys ?? [];
    const kept = before.slice(0, from);
    const lost = before.slice(from).reduce((sum, list) => sum + list.length, 0);
    const gained = keys.reduce((sum, list) => sum + list.length, 0);
    this.#passages += gained - lost;
    this.#conversations.set(conversationId, { keys: [...kept, ...keys] });
  }

  delete(conversationId: string): void {
    this.put(conversationId, 0, []);
    this.#conversations.delete(conversationId);
  }

  /** All keys in use. */
  keys(): Set<string> {
    return new Set([...this.#conversations.values()].flatMap(({ keys }) => keys.flat()));
  }

  /** The best passage of a message; `undefined` if none has a vector yet. */
  best(
    conversationId: string,
    seq: number,
    table: VectorTable,
    cosines: Float32Array,
  ): PassageScore | undefined {
    const conversation = this.#conversations.get(conversationId);
    if (conversation === undefined) return undefined;
    const { numbers, starts } = rowsOf(conversation, table);
    const first = starts[seq - 1] ?? 0;
    const end = starts[seq] ?? 0;
    let best: PassageScore | undefined;
    for (let at = first; at < end; at += 1) {
      const cosine = cosineOf(numbers[at], cosines);
      if (cosine === undefined || (best !== undefined && cosine <= best.cosine)) continue;
      best = { conversationId, seq, passage: at - first, cosine };
    }
    return best;
  }

  /** The nearest passages for which `accepts` is true, best first. */
  nearest(
    limit: number,
    accepts: (ref: PassageRef) => boolean,
    table: VectorTable,
    cosines: Float32Array,
  ): PassageScore[] {
    let best: PassageScore[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (const [conversationId, conversation] of this.#conversations) {
      const { numbers, starts } = rowsOf(conversation, table);
      let seq = 1;
      for (let at = 0; at < numbers.length; at += 1) {
        const cosine = cosineOf(numbers[at], cosines);
        if (cosine === undefined || cosine <= least) continue;
        while ((starts[seq] ?? 0) <= at) seq += 1;
        const ref = { conversationId, seq, passage: at - (starts[seq - 1] ?? 0) };
        if (!accepts(ref)) continue;
        best.push({ ...ref, cosine });
        if (best.length < limit * 4) continue;
        best = topOf(best, limit);
        least = best.at(-1)?.cosine ?? least;
      }
    }
    return topOf(best, limit);
  }
}

/** `undefined` without a row, or for a row that was added after the cosines were computed. */
const cosineOf = (row = NO_ROW, cosines: Float32Array): number | undefined =>
  row === NO_ROW ? undefined : cosines[row];

function rowsOf(conversation: Passages, table: VectorTable): Rows {
  const { keys, rows } = conversation;
  if (rows?.table === table && (rows.isComplete || rows.size === table.size)) return rows;
  const starts = new Uint32Array(keys.length + 1);
  keys.forEach((own, message) => {
    starts[message + 1] = (starts[message] ?? 0) + own.length;
  });
  const numbers = Int32Array.from(keys.flat(), (key) => table.rowOf(key) ?? NO_ROW);
  const isComplete = !numbers.includes(NO_ROW);
  conversation.rows = { table, size: table.size, numbers, starts, isComplete };
  return conversation.rows;
}

const topOf = (scores: readonly PassageScore[], limit: number): PassageScore[] =>
  scores
    .toSorted(
      (a, b) =>
        b.cosine - a.cosine || (a.conversationId < b.conversationId ? -1 : 1) || a.seq - b.seq,
    )
    .slice(0, limit);
