/**
 * Which passages the conversations have, and which row of the table each one's vector is: equal texts
 * share a row, so that a moved or copied conversation is embedded only once.
 */
import { sha256Hex } from '../base/ids.js';
import type { PassageRef, PassageScore } from '../recall/vector-source.js';
import { KEY_BYTES, type VectorTable } from './vectors/vector-table.js';

/** Places of the passages of a text, in order. */
export type Cutter = (text: string) => readonly { readonly start: number; readonly end: number }[];

export const keyOf = (text: string): string => sha256Hex(text).slice(0, KEY_BYTES * 2);

export class PassageRows {
  /** A list of keys for each message. */
  readonly #keys = new Map<string, string[][]>();
  #passages = 0;

  get count(): number {
    return this.#passages;
  }

  /** How many messages of it are known here. */
  messagesOf(conversationId: string): number {
    return this.#keys.get(conversationId)?.length ?? 0;
  }

  /** Replaces the messages from `from` (0 for all) on. */
  put(conversationId: string, from: number, keys: readonly string[][]): void {
    const before = this.#keys.get(conversationId) ?? [];
    const kept = before.slice(0, from);
    const lost = before.slice(from).reduce((sum, list) => sum + list.length, 0);
    const gained = keys.reduce((sum, list) => sum + list.length, 0);
    this.#passages += gained - lost;
    this.#keys.set(conversationId, [...kept, ...keys]);
  }

  delete(conversationId: string): void {
    this.put(conversationId, 0, []);
    this.#keys.delete(conversationId);
  }

  /** Every key in use. */
  keys(): Set<string> {
    return new Set([...this.#keys.values()].flat(2));
  }

  /** The best passage of a message; `undefined` while none of them has a vector. */
  best(
    conversationId: string,
    seq: number,
    table: VectorTable,
    cosines: Float32Array,
  ): PassageScore | undefined {
    let best: PassageScore | undefined;
    const keys = this.#keys.get(conversationId)?.[seq - 1] ?? [];
    for (const [passage, key] of keys.entries()) {
      const cosine = cosines[table.rowOf(key) ?? -1];
      if (cosine === undefined || (best !== undefined && cosine <= best.cosine)) continue;
      best = { conversationId, seq, passage, cosine };
    }
    return best;
  }

  /** The nearest passages that `accepts` lets through, best first. */
  nearest(
    limit: number,
    accepts: (ref: PassageRef) => boolean,
    table: VectorTable,
    cosines: Float32Array,
  ): PassageScore[] {
    let best: PassageScore[] = [];
    let least = Number.NEGATIVE_INFINITY;
    for (const [conversationId, messages] of this.#keys) {
      for (const [at, keys] of messages.entries()) {
        for (const [passage, key] of keys.entries()) {
          const cosine = cosines[table.rowOf(key) ?? -1];
          if (cosine === undefined || cosine <= least) continue;
          const ref = { conversationId, seq: at + 1, passage };
          if (!accepts(ref)) continue;
          best.push({ ...ref, cosine });
          if (best.length < limit * 4) continue;
          best = topOf(best, limit);
          least = best.at(-1)?.cosine ?? least;
        }
      }
    }
    return topOf(best, limit);
  }
}

const topOf = (scores: readonly PassageScore[], limit: number): PassageScore[] =>
  scores
    .toSorted(
      (a, b) =>
        b.cosine - a.cosine || (a.conversationId < b.conversationId ? -1 : 1) || a.seq - b.seq,
    )
    .slice(0, limit);
