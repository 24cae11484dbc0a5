/**
 * The report of the last run of the retention policy: `retention-last-run.json` in the logs folder
 * (docs/FORMAT.md). If its date is today, today's run is done. It is written after the run, so an interrupted
 * run is repeated.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { isoTime } from '../../base/clock.js';
import { totalBytes } from '../../base/total-bytes.js';
import { atomicWrite } from '../../files/atomic/atomic-write.js';
import { readJsonIfSound, renderDocument } from '../../files/read/json-document.js';
import type { MeasuredSize } from '../size-limit.js';
import type { Skipped } from '../skipped-conversations.js';
import type { TrashedItem } from '../trash-bin.js';
import type { PolicyOptions } from './policy.js';
import type { Candidate } from './prunable-conversations.js';

/** The result of a prune. */
export interface PruneReport {
  readonly moved: readonly (Candidate & { readonly trashName: string })[];
  /** Permanently removed from the trash. */
  readonly removed: readonly TrashedItem[];
  /** Selected, but changed, pinned or deleted since, or with an active research run; or not readable. */
  readonly skipped: readonly Skipped[];
}

/** The number of conversations in the report. The trash has all of them. */
const MAX_LISTED = 20;

const schema = z.object({
  at: z.iso.datetime(),
  moved: z.number(),
  movedBytes: z.number(),
  removed: z.number(),
  removedBytes: z.number(),
  skipped: z.number(),
  sizeBytes: z.number(),
  conversations: z.array(
    z.object({ conversationId: z.string(), trashName: z.string(), reason: z.string() }),
  ),
});

/** What was moved to the trash and removed from it, and the size of the store afterwards. */
export type LastRun = z.output<typeof schema>;

export class LastRunFile {
  readonly #options: PolicyOptions;
  readonly #path: string;

  constructor(options: PolicyOptions) {
    this.#options = options;
    this.#path = join(options.logsFolder, 'retention-last-run.json');
  }

  /** Returns `undefined` if there is no report, or it is not valid. FILESYSTEM_ERROR. */
  async read(): Promise<LastRun | undefined> {
    return schema.safeParse(await readJsonIfSound(this.#path)).data;
  }

  /** Writes the report and returns it. Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR. */
  async write(report: PruneReport, { sizeBytes }: MeasuredSize): Promise<LastRun> {
    const { moved, removed, skipped } = report;
    const run: LastRun = {
      at: isoTime(this.#options.clock.now()),
      moved: moved.length,
      movedBytes: totalBytes(moved),
      removed: removed.length,
      removedBytes: totalBytes(removed),
      skipped: skipped.length,
      sizeBytes,
      conversations: moved.slice(0, MAX_LISTED).map(({ head, trashName, reason }) => {
        return { conversationId: head.conversationId, trashName, reason };
      }),
    };
    await atomicWrite(this.#path, renderDocument({ formatVersion: 1, ...run }), this.#options);
    return run;
  }
}
