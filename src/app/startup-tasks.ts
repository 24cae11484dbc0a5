/**
 * The tasks of a server after its start: it removes files of ended processes, continues their research runs, and
 * imports from watched folders.
 */
import { dirname } from 'node:path';
import type { Log } from '../base/log.js';
import type { Config } from '../config/config.js';
import { sweepTemporaries } from '../files/atomic/staging.js';
import { LEASE_STALE_MS } from '../files/locks/lease.js';
import { sweepLocks } from '../files/locks/leftover-locks.js';
import { leasePathIn } from '../files/locks/lock-folders.js';
import type { Importer } from '../import/importer.js';
import { ImportedFiles } from '../import/tool-logs/imported-files.js';
import { type ServerWatch, startServerWatch } from '../import/tool-logs/watch-in-server.js';
import type { Research } from '../research/research.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { MemoryBank } from '../stores/memory-bank/memory-bank.js';
import { indexCachePath } from './cache-paths.js';
import { settingsLocksOf } from './locks.js';

/** After this time the lease of an ended server on a research run has expired, so the run can be resumed. */
const SECOND_RESUME_MS = LEASE_STALE_MS + 5_000;

interface Parts {
  readonly conversations: ConversationStore;
  readonly memoryBank: MemoryBank;
  readonly research: Research;
  readonly importer: Importer;
}

export function startupTasksOf(
  config: Config,
  { conversations, memoryBank, research, importer }: Parts,
  log: Log,
) {
  const { logsDir, imports, archiveFolder, backup, exportsFolder, configFile } = config;
  const closing = new AbortController();
  let tidying: Promise<unknown> = Promise.resolve();
  let secondResume: NodeJS.Timeout | undefined;
  let watch: ServerWatch | undefined;
  const tidyOne = async (work: () => Promise<void>) => {
    if (closing.signal.aborted) return;
    try {
      await work();
    } catch (error) {
      if (closing.signal.aborted) return;
      log.warn({ err: error }, 'leftovers of ended processes were not removed');
    }
  };
  const tidy = async () => {
    await tidyOne(() => conversations.tidy(closing));
    await tidyOne(() => memoryBank.tidy());
    await tidyOne(() => sweepLocks(settingsLocksOf(config)));
    for (const folder of [archiveFolder, backup.folder, exportsFolder, dirname(configFile)])
      await tidyOne(() => sweepTemporaries(folder));
    if (!closing.signal.aborted) void research.resume();
  };
  return {
    start() {
      tidying = tidy();
      secondResume = setTimeout(() => void research.resume(), SECOND_RESUME_MS).unref();
      const leasePath = leasePathIn(logsDir, 'import-watch');
      if (imports.watched.length === 0) return;
      const path = indexCachePath(config, 'imports');
      const imported =
        path === undefined
          ? undefined
          : new ImportedFiles({ path, conversations, settings: imports, log });
      watch = startServerWatch({ importer, leasePath, log, imported });
    },
    async close() {
      clearTimeout(secondResume);
      closing.abort();
      await tidying;
      await watch?.close();
    },
  };
}
