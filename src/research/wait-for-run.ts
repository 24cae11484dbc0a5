/**
 * Waits for a research run, up to a time limit and with progress reports, or until the caller cancels.
 * Neither the time limit nor a cancellation ends the run.
 */
import { type Clock, sleep } from '../base/clock.js';
import { stoppedWaitingError } from './research-errors.js';
import type { Caller } from './research-types.js';
import type { RunHandle, RunOutcome, RunRecord } from './run-record.js';
import type { ResearchTiming } from './timing.js';

const SENDING_STEP_MS = 50;

/** `undefined` if the time limit is reached first. Throws CANCELLED if the caller cancels. */
export async function outcomeWithin(
  { run, done }: RunHandle,
  caller: Caller,
  timing: ResearchTiming,
  clock: Clock,
): Promise<RunOutcome | undefined> {
  const { waitMs, sendingMs, progressMs } = timing;
  const stopWaiting = new AbortController();
  const onCancel = () => stopWaiting.abort();
  caller.signal?.addEventListener('abort', onCancel, { once: true });
  if (caller.signal?.aborted) stopWaiting.abort();
  const startedAt = clock.monotonic();
  const timeLimit = async (): Promise<undefined> => {
    // Until Perplexity has the question, its run has no id by which a later process could find it.
    const limit = () => (run.job.state === 'creating' ? Math.max(waitMs, sendingMs) : waitMs);
    for (let waited = 0; waited < limit(); waited = clock.monotonic() - startedAt) {
      const progress = Math.round(waited / 100) / 10;
      const message = `Deep research: ${activityOf(run)}, ${Math.round(progress)} s`;
      caller.progress?.({ progress, message });
      const untilMs = waited < waitMs ? waitMs - waited : SENDING_STEP_MS;
      await sleep(Math.max(1, Math.min(progressMs, untilMs)), stopWaiting.signal).catch(() => {
        throw stoppedWaitingError(run.conversationId);
      });
    }
  };
  try {
    return await Promise.race([done, timeLimit()]);
  } finally {
    caller.signal?.removeEventListener('abort', onCancel);
    stopWaiting.abort();
  }
}

/** The current activity of the run, for a progress report. */
function activityOf({ job: { state, lastStatus } }: RunRecord): string {
  if (state === 'creating') return 'the question was sent to Perplexity';
  if (lastStatus === 'queued') return "the run is in Perplexity's queue";
  return 'Perplexity is researching';
}
