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

export class PassageRows {
  /** By conversation: the keys of the passages of each message. */
  readonly #keys = new Map<string, string[][]>();
  #passages = 0;

  get count(): number {
    return this.#passages;
  }

  /** Number of the conversation's messages that are stored here. */
  messagesOf(conversationId: string): number {
    return this.#keys.get(conversationId)?.length ?? 0;
  }

  /** Replaces the messages from index `from` (0 for all). */
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

  /** All keys in use. */
  keys(): Set<string> {
    return new Set([...this.#keys.values()].flat(2));
  }

  /** The best passage of a message; `undefined` if none has a vector yet. */
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

  /** The nearest passages for which `accepts` is true, best first. */
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
