/** The VectorSource of recall: compares a question with the stored vectors, within a time limit. */
import { type Clock, systemClock } from '../base/clock.js';
import { isAppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import { throwIfCancelled } from '../fts/cancellation.js';
import type { VectorScores, VectorSource } from '../recall/vector-source.js';
import { maskedBy, type TextMasker } from '../stores/text-masker.js';
import type { EmbeddingSync } from './embedding-sync.js';

/** A question waits at most so long for its vector. */
const ANSWER_WITHIN_MS = 3_000;
/** After a failure, questions use only words for so long, so that not each of them waits. */
const REST_MS = 30_000;

export interface VectorSourceOptions {
  readonly log: Log;
  /** Masks questions as stored texts are masked, because a model can be on a server. */
  readonly masker?: TextMasker;
  /** For a process that does not call `sync.start`: each question first reads the vectors on disk. */
  readonly loads?: boolean;
  readonly clock?: Clock;
  readonly answerWithinMs?: number;
}

/**
 * If a question cannot be embedded in time, `ask` logs a warning and returns `undefined`, so that the search
 * uses only words; it throws CANCELLED.
 */
export function createVectorSource(
  sync: Pick<EmbeddingSync, 'load' | 'ask'>,
  {
    log,
    masker,
    loads = false,
    clock = systemClock,
    answerWithinMs = ANSWER_WITHIN_MS,
  }: VectorSourceOptions,
): VectorSource {
  let restsUntilMs = Number.NEGATIVE_INFINITY;
  return {
    async ask(
      variants: readonly string[],
      signal?: AbortSignal,
    ): Promise<VectorScores | undefined> {
      if (clock.monotonic() < restsUntilMs) return undefined;
      const limit = new AbortController();
      let timer: NodeJS.Timeout | undefined;
      try {
        if (loads) await sync.load();
        const { value: masked } = await maskedBy(masker, variants);
        throwIfCancelled(signal);
        // Not AbortSignal.timeout: on Node 20 a signal in AbortSignal.any can be garbage-collected before it.
        timer = setTimeout(() => limit.abort(), answerWithinMs);
        const either = signal ? AbortSignal.any([signal, limit.signal]) : limit.signal;
        const asked = await sync.ask(masked, either);
        if (asked === undefined) return undefined;
        const { rows, cosines } = asked;
        return {
          best: (conversationId, seq) => rows.best(conversationId, seq, cosines),
          highest: (id, from, to) => rows.highest(id, from, to, cosines),
          nearest: (limit, accepts) => rows.nearest(limit, accepts, cosines),
        };
      } catch (error) {
        if (signal?.aborted || !isAppError(error)) throw error;
        restsUntilMs = clock.monotonic() + REST_MS;
        log.warn({ err: error }, 'a question could not be embedded; the search uses only words');
        return undefined;
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
