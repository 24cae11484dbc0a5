/** Implements recall's VectorSource with the stored vectors. */
import { isAppError } from '../base/errors.js';
import type { Log } from '../base/log.js';
import type { VectorScores, VectorSource } from '../recall/vector-source.js';
import type { EmbeddingSync } from './embedding-sync.js';

/**
 * If a question cannot be embedded, `ask` logs a warning and returns `undefined`, so that the search uses
 * only words; it throws CANCELLED. `loads`: for a process that does not call `sync.start`; each question
 * first reads the vectors on disk.
 */
export function createVectorSource(sync: EmbeddingSync, log: Log, loads = false): VectorSource {
  return {
    get model() {
      return sync.model;
    },
    async ask(
      variants: readonly string[],
      signal?: AbortSignal,
    ): Promise<VectorScores | undefined> {
      try {
        if (loads) await sync.load();
        const asked = await sync.ask(variants, signal);
        if (asked === undefined) return undefined;
        const { rows, table, cosines } = asked;
        return {
          best: (conversationId, seq) => rows.best(conversationId, seq, table, cosines),
          nearest: (limit, accepts) => rows.nearest(limit, accepts, table, cosines),
        };
      } catch (error) {
        if (!isAppError(error) || error.code === 'CANCELLED') throw error;
        log.warn({ err: error }, 'a question could not be embedded; the search uses only words');
        return undefined;
      }
    },
  };
}
