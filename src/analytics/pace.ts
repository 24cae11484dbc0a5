/**
 * The lengths of sessions, and of the pauses between the messages of one session. Sessions with other pauses are in
 * context/last-session.ts and recall/matching/sessions.ts.
 */

export interface Pace {
  readonly sessions: number;
  readonly medianMinutes: number;
  readonly longestMinutes: number;
  /** Median of the pauses between messages of a session. */
  readonly medianPauseSeconds: number;
  readonly medianMessages: number;
}

/** A longer pause ends a session. Here a session is a time in which the user was present. */
const SESSION_PAUSE_MS = 30 * 60_000;

export class PaceMeter {
  readonly #minutes: number[] = [];
  readonly #messages: number[] = [];
  readonly #pauseSeconds: number[] = [];

  /** Adds the times of one conversation (epoch milliseconds). Returns the minutes of its sessions. */
  add(times: readonly number[]): number {
    const sorted = [...times].sort((a, b) => a - b);
    let total = 0;
    let sessionStart = 0;
    for (const [index, time] of sorted.entries()) {
      const pause = (sorted[index + 1] ?? Number.POSITIVE_INFINITY) - time;
      if (pause <= SESSION_PAUSE_MS) {
        this.#pauseSeconds.push(pause / 1000);
        continue;
      }
      const minutes = (time - (sorted[sessionStart] ?? time)) / 60_000;
      this.#minutes.push(minutes);
      this.#messages.push(index - sessionStart + 1);
      total += minutes;
      sessionStart = index + 1;
    }
    return toTenths(total);
  }

  pace(): Pace {
    return {
      sessions: this.#minutes.length,
      medianMinutes: median(this.#minutes),
      longestMinutes: toTenths(this.#minutes.reduce((most, each) => Math.max(most, each), 0)),
      medianPauseSeconds: median(this.#pauseSeconds),
      medianMessages: median(this.#messages),
    };
  }
}

const toTenths = (amount: number): number => Math.round(amount * 10) / 10;

/** 0 if there are no amounts. */
function median(amounts: readonly number[]): number {
  const sorted = Float64Array.from(amounts).sort();
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? 0;
  return toTenths(sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2);
}
