/** The times of research: how long it waits, and how often it polls and reports progress. */

export interface RunTiming {
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** After this time, a run that has not ended becomes `unknown`. Another process can still take it over. */
  readonly maxRunMs: number;
}

export interface ResearchTiming extends RunTiming {
  /** How long a deep research call waits for the answer before it returns `in_progress`. */
  readonly waitMs: number;
  /** A call returns `in_progress` only when the question was sent, or after at least this time. */
  readonly sendingMs: number;
  /** How long `history` waits for a run that it has just taken over. */
  readonly pickUpWaitMs: number;
  /** Between two attempts to store an answer for which no caller waits. */
  readonly storeAgainMs: number;
  /**
   * Between two progress reports of a waiting call. Shorter than the heartbeat of a call (1 s), which would
   * repeat the last report.
   */
  readonly progressMs: number;
}

/** `waitMs` is a setting (config/settings/perplexity-settings.ts). */
export const DEFAULT_TIMING: Omit<ResearchTiming, 'waitMs'> = {
  sendingMs: 10_000,
  pickUpWaitMs: 3_000,
  storeAgainMs: 5_000,
  progressMs: 900,
  pollMinMs: 2_000,
  pollMaxMs: 15_000,
  maxRunMs: 60 * 60_000,
};
