/**
 * The account of the last run that the retention policy asked for: `retention-last-run.json` in the logs
 * folder (docs/FORMAT.md). Its date also says that today's run is done. Written after the run: one that
 * was killed is done again.
 */
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, isoTime } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { atomicWrite, type Durability } from '../../files/atomic/atomic-write.js';
import { parseDocument, readWhole } from '../../files/read/json-doc.js';
import type { MeasuredSize } from '../store-size.js';
import type { TrashedItem } from '../trash-bin.js';
import type { Candidate } from './candidates.js';

/** What a prune did. */
export interface PruneReport {
  readonly moved: readonly (Candidate & { readonly trashName: string })[];
  /** Removed from the trash permanently. */
  readonly removed: readonly TrashedItem[];
  /** Chosen and left alone: changed since, pinned since, gone, or a research is under way. */
  readonly skipped: readonly { readonly conversationId: string; readonly reason: string }[];
}

/** Enough to see what went; the trash has all of them. */
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

/** Bytes and counts of what moved to the trash and of what was removed from it; the size afterwards. */
export type LastRun = z.output<typeof schema>;

export interface LastRunOptions extends Durability {
  readonly logsFolder: string;
  readonly clock: Clock;
}

export class LastRunFile {
  readonly #options: LastRunOptions;
  readonly #path: string;

  constructor(options: LastRunOptions) {
    this.#options = options;
    this.#path = join(options.logsFolder, 'retention-last-run.json');
  }

  /** `undefined` if there is none, or none that can be read. FILESYSTEM_ERROR. */
  async read(): Promise<LastRun | undefined> {
    const found = await readWhole(this.#path);
    if (found === undefined) return undefined;
    try {
      return schema.safeParse(parseDocument(found.bytes, this.#path, 'CORRUPT')).data;
    } catch (error) {
      if (isAppError(error, 'CORRUPT')) return undefined;
      throw error;
    }
  }

  /** Durable when it resolves. STORAGE_FULL, FILESYSTEM_ERROR. */
  async write(report: PruneReport, { sizeBytes }: MeasuredSize): Promise<LastRun> {
    const { moved, removed, skipped } = report;
    const run: LastRun = {
      at: isoTime(this.#options.clock.now()),
      moved: moved.length,
      movedBytes: bytesOf(moved),
      removed: removed.length,
      removedBytes: bytesOf(removed),
      skipped: skipped.length,
      sizeBytes,
      conversations: moved.slice(0, MAX_LISTED).map(({ head, trashName, reason }) => {
        return { conversationId: head.conversationId, trashName, reason };
      }),
    };
    const text = JSON.stringify({ formatVersion: 1, ...run }, null, 2);
    await atomicWrite(this.#path, Buffer.from(`${text}\n`), this.#options);
    return run;
  }
}

const bytesOf = (items: readonly { readonly sizeBytes: number }[]) =>
  items.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
