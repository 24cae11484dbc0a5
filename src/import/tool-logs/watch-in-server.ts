/**
 * Imports the sessions of tools on this machine continuously while a server runs, before the tools delete
 * them. If several servers run, only the one with the lease imports. When it ends, another server
 * continues.
 */
import { sleep } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import { type Lease, tryLease } from '../../files/locks/lease.js';
import type { Importer } from '../importer.js';
import type { FileVersions, ImportedFiles } from './imported-files.js';
import { WATCH_INTERVAL_MS, watchImports } from './watch-rounds.js';

/** The first round waits, because the client that started the server needs answers to other calls first. */
const FIRST_AFTER_MS = 5_000;

const MAX_PROBLEMS_LOGGED = 5;

export interface ServerWatchOptions {
  readonly importer: Importer;
  readonly leasePath: string;
  readonly log: Log;
  /** What earlier servers have imported; without it, all logs are read once. */
  readonly imported?: ImportedFiles | undefined;
  readonly everyMs?: number;
  readonly firstAfterMs?: number;
}

export interface ServerWatch {
  /** Stops a round that is running. What was imported stays. */
  close(): Promise<void>;
}

/** A failure is logged, and the next round tries again. */
export function startServerWatch(options: ServerWatchOptions): ServerWatch {
  const { firstAfterMs = FIRST_AFTER_MS, log } = options;
  const ending = new AbortController();
  const watching = sleep(firstAfterMs, ending.signal)
    .then(() => watch(options, ending.signal))
    .catch((error: unknown) => {
      if (!ending.signal.aborted)
        log.error({ err: error }, 'the watch of other tools ended because of an error');
    });
  return {
    async close() {
      ending.abort();
      await watching;
    },
  };
}

async function watch(
  { importer, leasePath, log, imported, everyMs = WATCH_INTERVAL_MS }: ServerWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let lease: Lease | undefined;
  const files: FileVersions = new Map();
  const onError = (error: Error) => {
    // A person has started an import.
    if (isAppError(error, 'LOCKED')) log.debug({ err: error }, 'another import is running');
    else log.warn({ err: error }, 'sessions of another tool could not be imported');
  };
  const paths = async () => {
    if (lease?.isHeld() !== true) {
      await lease?.release(); // a lease that was lost keeps its folder open
      lease = await tryLease(leasePath, signal);
      if (lease !== undefined)
        for (const [name, version] of (await imported?.load()) ?? []) files.set(name, version);
    }
    return lease === undefined ? [] : (await importer.watched()).map(({ path }) => path);
  };
  try {
    await watchImports(importer, {
      areFound: true,
      files,
      onFiles: async () => imported?.save(files),
      everyMs,
      signal,
      onError,
      paths: () =>
        paths().catch((error: Error) => {
          if (!signal.aborted) onError(error);
          return [];
        }),
      onRound({ sources, added, updated, problems, stopped }) {
        const counts = { sources, added, updated, problems: problems.length };
        if (problems.length > 0) {
          const first = problems.slice(0, MAX_PROBLEMS_LOGGED);
          log.warn({ ...counts, first }, 'some sessions could not be imported');
        }
        if (stopped !== undefined)
          log.warn({ ...counts, stopped }, 'the import of sessions stopped');
        else if (added + updated > 0) log.info(counts, 'sessions of other tools were imported');
      },
    });
  } finally {
    await lease?.release();
  }
}
