/**
 * The size of the store and its limit (DAYBOOK_MAX_SIZE_MB). The trash does not count for the limit. Writes
 * call `requireRoom` first. Unless the limit is near, it uses an earlier measurement, which is repeated in the
 * background every ten seconds to a minute, or less often if a measurement takes long.
 */
import { join } from 'node:path';
import type { Clock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { type FolderSize, folderSize, forEachSize } from '../files/read/folder-size.js';
import { NO_DATA } from '../files/read/walk-files.js';

export interface StoreSizeOptions {
  readonly folders: readonly string[];
  /** `undefined`: no limit. */
  readonly limitBytes: number | undefined;
  readonly clock: Clock;
  /**
   * Returns the size of a part of the store that is known without disk access. If given, a write does not wait
   * for the first measurement while this part is far below the limit.
   */
  knownBytes?(): Promise<number | undefined>;
}

export interface MeasuredSize {
  /** The size of all files except those in the trash. */
  readonly sizeBytes: number;
  readonly trashBytes: number;
  /** Absent if there is no limit. */
  readonly limitBytes?: number;
}

/** Not counted as trash, because an empty trash has this file too. */
const TRASH_IGNORE = '.trash/.gitignore';

interface Measurement {
  readonly size: MeasuredSize;
  readonly byFolder: ReadonlyMap<string, FolderSize>;
  readonly atMs: number;
  readonly tookMs: number;
}

/** From this share of its limit on, a store is reported, and `bySize` moves the oldest conversations. */
export const NEARLY_FULL = 0.8;

type Limited = Pick<MeasuredSize, 'sizeBytes'> & { readonly limitBytes: number };

export const isNearlyFull = (size: Omit<MeasuredSize, 'trashBytes'>): size is Limited =>
  size.limitBytes !== undefined && size.sizeBytes >= size.limitBytes * NEARLY_FULL;

export const percentOfLimit = ({ sizeBytes, limitBytes }: Limited): number =>
  Math.floor((sizeBytes / limitBytes) * 100);

/** Above this share of the limit, a measurement is used only for a second. */
const NEAR = 0.9;
/** A store whose conversations take at most this share is not expected to be full. */
const FAR = 0.25;
const NEAR_INTERVAL_MS = 1_000;
const INTERVAL_MS = 10_000;
/** The interval while the store cannot come near its limit within it. */
const FAR_INTERVAL_MS = 60_000;
/** A result is used 100 times as long as it took: a large store takes seconds to measure. */
const INTERVAL_PER_MS = 100;
/**
 * Assumed maximum growth: 10 MB a second, in addition to the writes that this process has announced. A
 * measurement is repeated before the store can be near its limit.
 */
const MAX_GROWTH_BYTES_PER_MS = 10_000;

export class StoreSize {
  readonly #options: StoreSizeOptions;
  #measuring: Promise<Measurement> | undefined;
  #last: Measurement | undefined;
  /** What writes have announced since the last measurement began. */
  #grownBytes = 0;

  constructor(options: StoreSizeOptions) {
    this.#options = options;
  }

  /** Measures the size on disk now. FILESYSTEM_ERROR. */
  async measure(): Promise<MeasuredSize> {
    return (await this.#measureOnce()).size;
  }

  /**
   * Like `measure`. `sizeIn` returns the size of all files of a folder that lies directly in one of the
   * folders, such as that of a conversation, as it was measured.
   */
  async measureEach(): Promise<{ size: MeasuredSize; sizeIn(path: string): Promise<number> }> {
    const sizes = new Map<string, number>();
    const { size } = await this.#measure((path, bytes) => {
      sizes.set(path, (sizes.get(path) ?? 0) + bytes);
    });
    const sizeIn = async (path: string) => sizes.get(path) ?? (await folderSize(path)).sizeBytes;
    return { size, sizeIn };
  }

  /** The size of each folder with its trash, from the last or a new measurement. FILESYSTEM_ERROR. */
  async byFolder(): Promise<ReadonlyMap<string, FolderSize>> {
    return (this.#last ?? (await this.#measureOnce())).byFolder;
  }

  /** Calls during a measurement get its result. */
  #measureOnce(): Promise<Measurement> {
    this.#measuring ??= this.#measure().finally(() => {
      this.#measuring = undefined;
    });
    return this.#measuring;
  }

  /** STORAGE_FULL if the store has reached its limit, or would exceed it with `moreBytes` more. */
  async requireRoom(moreBytes = 0): Promise<void> {
    const { limitBytes, clock } = this.#options;
    if (limitBytes === undefined) return;
    let sizeBytes = await this.#known(limitBytes);
    sizeBytes ??= (await this.#recent(limitBytes, clock.monotonic())).sizeBytes;
    if (sizeBytes + this.#grownBytes + moreBytes >= limitBytes && this.#grownBytes > 0) {
      ({ sizeBytes } = await this.measure());
    }
    if (sizeBytes + moreBytes < limitBytes) {
      this.#grownBytes += moreBytes;
      return;
    }
    const inMb = (bytes: number) => `${Math.max(0.1, bytes / 1e6).toFixed(1)} MB`;
    const more = moreBytes === 0 ? '' : `, and this write needs ${inMb(moreBytes)} more`;
    const message = `The size of the store is ${inMb(sizeBytes)}${more}. Its limit is ${inMb(limitBytes)}.`;
    throw new AppError('STORAGE_FULL', message, {
      hint: 'Nothing was changed. The user can move old conversations to the trash with `daybook prune --by-size`, or raise DAYBOOK_MAX_SIZE_MB.',
      details: { sizeBytes, limitBytes },
    });
  }

  /** Instead of the first measurement, which this begins. */
  async #known(limitBytes: number): Promise<number | undefined> {
    if (this.#last !== undefined) return undefined;
    const bytes = await this.#options.knownBytes?.();
    if (bytes === undefined || bytes + this.#grownBytes > limitBytes * FAR) return undefined;
    this.measure().catch(() => undefined); // repeated by the next write
    return bytes;
  }

  async #recent(limitBytes: number, nowMs: number): Promise<MeasuredSize> {
    const last = this.#last;
    if (last === undefined) return this.measure();
    const ageMs = nowMs - last.atMs;
    const untilNear = limitBytes * NEAR - last.size.sizeBytes - this.#grownBytes;
    if (untilNear <= 0) return ageMs < NEAR_INTERVAL_MS ? last.size : this.measure();
    const untilNearMs = untilNear / MAX_GROWTH_BYTES_PER_MS;
    const farMs = Math.max(FAR_INTERVAL_MS, last.tookMs * INTERVAL_PER_MS);
    // After an error, the next write repeats the measurement.
    if (ageMs >= Math.max(INTERVAL_MS, Math.min(farMs, untilNearMs))) {
      this.measure().catch(() => undefined);
    }
    return last.size;
  }

  /** `onFile` gets the folder directly in one of the folders that contains the file. */
  async #measure(onFile?: (folder: string, bytes: number) => void): Promise<Measurement> {
    const { folders, limitBytes, clock } = this.#options;
    let sizeBytes = 0;
    let trashBytes = 0;
    const byFolder = new Map<string, FolderSize>();
    const startedMs = clock.monotonic();
    this.#grownBytes = 0;
    for (const folder of folders) {
      let files = 0;
      const before = sizeBytes + trashBytes;
      const add = (name: string, bytes: number) => {
        files += 1;
        if (name.startsWith('.trash/') && name !== TRASH_IGNORE) trashBytes += bytes;
        else sizeBytes += bytes;
        if (onFile !== undefined) onFile(join(folder, name.split('/', 1)[0] ?? ''), bytes);
      };
      await forEachSize(folder, add, (each) => NO_DATA.has(each));
      byFolder.set(folder, { files, sizeBytes: sizeBytes + trashBytes - before });
    }
    const size = { sizeBytes, trashBytes, ...(limitBytes !== undefined && { limitBytes }) };
    const atMs = clock.monotonic();
    this.#last = { size, byFolder, atMs, tookMs: atMs - startedMs };
    return this.#last;
  }
}
