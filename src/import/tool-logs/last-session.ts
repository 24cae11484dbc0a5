/**
 * Imports the end of the last session of a tool when the next one begins: the last round of a server may have
 * been up to a minute before that end.
 */
import { basename, dirname } from 'node:path';
import { settledOrLater } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { isInside } from '../../files/paths/path-confinement.js';
import type { Importer } from '../importer.js';

/** The tool waits for its new session to begin. A long log is imported later, by a server. */
const MAX_MS = 3_000;

export interface NewSession {
  /** The absolute path of the log of the session that begins. */
  readonly log: string;
  /** Logs that did not change since this time are not read. */
  readonly sinceMs: number;
}

/**
 * Imports the other logs in the folder of `log`, if servers import this tool's logs (`importWatch`). A failure is
 * not reported: the next round of a server reports it.
 */
export async function importLastSession(
  importer: Importer,
  { log, sinceMs }: NewSession,
): Promise<void> {
  if (!(await importer.watched()).some(({ path }) => isInside(log, path))) return;
  const limit = new AbortController();
  const running = importer
    .run({
      paths: [dirname(log)],
      areFound: true,
      dryRun: false,
      isKnown: ({ name, modifiedAtMs }) =>
        basename(name) === basename(log) || modifiedAtMs < sinceMs,
      signal: limit.signal,
    })
    .catch((error: unknown) => {
      if (!isAppError(error)) throw error;
    });
  await settledOrLater(running, MAX_MS);
  limit.abort();
  await running;
}
