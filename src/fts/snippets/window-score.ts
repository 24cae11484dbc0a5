/**
 * Scores the windows of a snippet. FTS5 counts 1000 for the first instance of each phrase in a window
 * and 1 for every other instance. The caller must ask for the windows in ascending order, so that each
 * instance is added and removed once, and the time is linear in the number of instances.
 */
import type { PhraseInstance } from '../matching/segment-query.js';

const FIRST_INSTANCE = 1000;

export class WindowScorer {
  readonly #instances: readonly PhraseInstance[];
  readonly #size: number;
  /** Instances in the window of each phrase. */
  readonly #counts: number[] = [];
  #from = 0;
  #to = 0;
  #score = 0;
  /** Instances that entered or left a window so far. */
  steps = 0;

  /** `instances` ascend by offset. `size` is in tokens. */
  constructor(instances: readonly PhraseInstance[], size: number) {
    this.#instances = instances;
    this.#size = size;
  }

  /**
   * Scores the window that begins at token `start`, which is not before the start of the previous call. `first`
   * is the offset of its first instance, -1 if there is none, and `end` the end of its last one.
   */
  scoreAt(start: number) {
    while (this.#offsetOf(this.#to) < start + this.#size) this.#add(this.#to++, 1);
    while (this.#from < this.#to && this.#offsetOf(this.#from) < start) this.#add(this.#from++, -1);
    const last = this.#instances[this.#to - 1];
    if (this.#from === this.#to || last === undefined) return { score: 0, first: -1, end: 0 };
    return {
      score: this.#score,
      first: this.#offsetOf(this.#from),
      end: last.offset + last.length,
    };
  }

  #offsetOf(index: number): number {
    return this.#instances[index]?.offset ?? Number.POSITIVE_INFINITY;
  }

  #add(index: number, sign: 1 | -1): void {
    this.steps++;
    const { phrase, weight } = this.#instances[index] as PhraseInstance;
    const before = this.#counts[phrase] ?? 0;
    const after = before + sign;
    this.#counts[phrase] = after;
    const isFirst = Math.max(before, after) === 1;
    this.#score += sign * weight * (isFirst ? FIRST_INSTANCE : 1);
  }
}
