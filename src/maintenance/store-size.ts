/**
 * How much room the store takes, and its limit. The trash is counted apart: it does not make a store
 * full. A write asks `requireRoom` first; far from the limit that costs nothing but a measurement now and then
 * in the background: every ten seconds, or less often where it takes long and the limit is far away.
 */
import type { Clock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import type { FolderSize } from '../files/read/folder-size.js';
import { listFiles } from '../files/read/list-files.js';
import { readStampNow } from '../files/read/stamp.js';

export interface StoreSizeOptions {
  readonly folders: readonly string[];
  /** `undefined`: no limit. */
  readonly limitBytes: number | undefined;
  readonly clock: Clock;
}

export interface MeasuredSize {
  /** All files but those in the trash. */
  readonly sizeBytes: number;
  readonly trashBytes: number;
  /** Absent without a limit. */
  readonly limitBytes?: number;
}

interface Measurement {
  readonly size: MeasuredSize;
  readonly byFolder: ReadonlyMap<string, FolderSize>;
  readonly atMs: number;
  readonly tookMs: number;
}

const NO_DATA = new Set(['.locks', '.leases', '.git']);
/** From this share of the limit on, each write measures the disk again. */
const NEAR = 0.9;
const FAR_LASTS_MS = 10_000;
const NEAR_LASTS_MS = 1_000;
/** Measuring a store of 100 000 conversations takes seconds; it shall not take more than a twentieth of the time … */
const LASTS_FOR_EACH_MS = 20;
/** … but no store grows from far to near the limit unseen: none grows by more than 100 MB a second. */
const FASTEST_BYTES_A_MS = 100_000;

export class StoreSize {
  readonly #options: StoreSizeOptions;
  #measuring: Promise<Measurement> | undefined;
  #last: Measurement | undefined;

  constructor(options: StoreSizeOptions) {
    this.#options = options;
  }

  get limitBytes(): number | undefined {
    return this.#options.limitBytes;
  }

  /** What is on the disk now. FILESYSTEM_ERROR. */
  async measure(): Promise<MeasuredSize> {
    return (await this.#measureOnce()).size;
  }

  /** Each folder with its trash, as of the last measurement; without one, as it is now. FILESYSTEM_ERROR. */
  async byFolder(): Promise<ReadonlyMap<string, FolderSize>> {
    return (this.#last ?? (await this.#measureOnce())).byFolder;
  }

  /** Callers that come while a measurement is under way get that one. */
  #measureOnce(): Promise<Measurement> {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  /** STORAGE_FULL where the store has reached its limit, or would pass it with so many bytes more. */
  async requireRoom(moreBytes = 0): Promise<void> {
    const { limitBytes, clock } = this.#options;
    if (limitBytes === undefined) return;
    const { sizeBytes } = await this.#recent(limitBytes, clock.monotonic());
    if (sizeBytes + moreBytes < limitBytes) return;
    const inMb = (bytes: number) => `${Math.max(0.1, bytes / 1e6).toFixed(1)} MB`;
    const more = moreBytes === 0 ? '' : `, and this write needs ${inMb(moreBytes)} more`;
    const message = `The size of the store is ${inMb(sizeBytes)}${more}. Its limit is ${inMb(limitBytes)}.`;
    throw new AppError('STORAGE_FULL', message, {
      hint: 'Nothing was changed. The user can move old conversations to the trash with `daybook prune --by-size`, or raise DAYBOOK_MAX_SIZE_MB.',
      details: { sizeBytes, limitBytes },
    });
  }

  async #recent(limitBytes: number, nowMs: number): Promise<MeasuredSize> {
    const last = this.#last;
    if (last === undefined) return this.measure();
    const ageMs = nowMs - last.atMs;
    if (last.size.sizeBytes >= limitBytes * NEAR) {
      return ageMs < NEAR_LASTS_MS ? last.size : this.measure();
    }
    // A measurement that fails is repeated by the next write.
    const untilNearMs = (limitBytes * NEAR - last.size.sizeBytes) / FASTEST_BYTES_A_MS;
    const lastsMs = Math.max(FAR_LASTS_MS, Math.min(last.tookMs * LASTS_FOR_EACH_MS, untilNearMs));
    if (ageMs >= lastsMs) this.measure().catch(() => undefined);
    return last.size;
  }

  async #measure(): Promise<Measurement> {
    const { folders, limitBytes, clock } = this.#options;
    let sizeBytes = 0;
    let trashBytes = 0;
    const byFolder = new Map<string, FolderSize>();
    const startedMs = clock.monotonic();
    for (const folder of folders) {
      let files = 0;
      const before = sizeBytes + trashBytes;
      for await (const { name, path, isPlain } of listFiles(folder, (each) => NO_DATA.has(each))) {
        if (!isPlain) continue;
        files += 1;
        const bytes = Number(readStampNow(path)?.size ?? 0);
        if (name.startsWith('.trash/')) trashBytes += bytes;
        else sizeBytes += bytes;
      }
      byFolder.set(folder, { files, sizeBytes: sizeBytes + trashBytes - before });
    }
    const size = { sizeBytes, trashBytes, ...(limitBytes !== undefined && { limitBytes }) };
    const atMs = clock.monotonic();
    this.#last = { size, byFolder, atMs, tookMs: atMs - startedMs };
    return this.#last;
  }
}
