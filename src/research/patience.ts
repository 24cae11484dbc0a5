/**
 * Waiting for a run that does not need anybody to wait: up to a limit, with a sign of life now and
 * then, and free to leave. Neither the limit nor the leaving ends the run.
 */
import { type Clock, sleep } from '../base/clock.js';
import { stoppedWaitingError } from './research-errors.js';
import type { RunHandle, RunOutcome } from './research-runs.js';
import type { Caller, ResearchTiming } from './research-types.js';

/** `undefined` when the time is over first; CANCELLED when the caller leaves; else the run's end. */
export async function outcomeWithin(
  { run, done }: RunHandle,
  caller: Caller,
  timing: ResearchTiming,
  clock: Clock,
): Promise<RunOutcome | undefined> {
  const { waitMs, progressMs } = timing;
  const leave = new AbortController();
  const onCancel = () => leave.abort();
  caller.signal?.addEventListener('abort', onCancel, { once: true });
  if (caller.signal?.aborted) leave.abort();
  const startedAt = clock.monotonic();
  const patience = async (): Promise<undefined> => {
    for (let waited = 0; waited < waitMs; waited = clock.monotonic() - startedAt) {
      const progress = Math.round(waited / 100) / 10;
      const status = run.job.lastStatus ?? 'starting';
      caller.progress?.({ progress, message: `Deep research: ${status}, ${progress} s` });
      await sleep(Math.max(1, Math.min(progressMs, waitMs - waited)), leave.signal).catch(() => {
        throw stoppedWaitingError(run.conversationId);
      });
    }
  };
  try {
    return await Promise.race([done, patience()]);
  } finally {
    caller.signal?.removeEventListener('abort', onCancel);
    leave.abort();
  }
}

/** Resolves when `promise` has settled, however, or the time is over; true in the first case. */
export async function settledWithin(promise: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController();
  const settled = promise.then(
    () => true,
    () => true,
  );
  const late = sleep(ms, timer.signal).then(
    () => false,
    () => false,
  );
  try {
    return await Promise.race([settled, late]);
  } finally {
    timer.abort();
  }
}
