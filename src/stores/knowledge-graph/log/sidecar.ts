/**
 * The sidecar of a snapshot, for this machine only. It contains the hash of the snapshot, and the files that
 * the last compaction replaced, so that a process that has read those can continue in the new log.
 */
import { parsedJson } from '../../../base/json.js';
import { isString, objectIn } from '../../../base/json-fields.js';
import type { Stamp } from '../../../files/read/stamp.js';
import { readWhole } from '../../../files/read/whole-file.js';
import { checkedEnd, withSum } from './operation-line.js';

export interface Sidecar {
  readonly sha256: string;
  /** The number of operations in the snapshot. */
  readonly count: number;
  readonly generation: number;
  /** Absent if no process can continue from the earlier files. */
  readonly compaction?: Compaction | undefined;
}

/** The files before and after the compaction, with names of `nameOfVersion` and `nameOfFile`. */
export interface Compaction {
  readonly snapshot: string;
  readonly oldSnapshot: string;
  readonly oldLog: string;
  /** After its head the new log has the old one from `start` to `end`; the snapshot has the rest. */
  readonly start: number;
  readonly end: number;
  /** Deletions from before this time were forgotten. */
  readonly forgotten: number;
}

/** Identifies one version of a file; empty if there is no file. */
export function nameOfVersion(stamp: Stamp | undefined): string {
  return stamp === undefined ? '' : `${nameOfFile(stamp)}-${stamp.size}-${stamp.mtimeNs}`;
}

export function nameOfFile({ dev, ino }: Stamp): string {
  return `${dev}-${ino}`;
}

export function encodeSidecar(sidecar: Sidecar): Buffer {
  return Buffer.from(`${withSum(JSON.stringify(sidecar).slice(0, -1))}\n`);
}

/** Returns `undefined` if there is no sidecar, or if it is damaged. FILESYSTEM_ERROR. */
export async function readSidecar(path: string): Promise<Sidecar | undefined> {
  const found = await readWhole(path);
  if (found === undefined) return undefined;
  const text = found.bytes.toString().trimEnd();
  const bytes = Buffer.from(text);
  // The sidecar is optional: without it, the checksum of each line is checked.
  const { sha256, count, generation, compaction } = objectIn(parsedJson(text));
  const isSound = typeof sha256 === 'string' && isCount(count) && isCount(generation);
  if (!isSound) return undefined;
  const isChecked = checkedEnd(bytes, 0, bytes.length) !== -1;
  return {
    sha256,
    count,
    generation,
    ...(isChecked && isCompaction(compaction) && { compaction }),
  };
}

function isCompaction(value: unknown): value is Compaction {
  const { snapshot, oldSnapshot, oldLog, start, end, forgotten } = objectIn(value);
  const areNames = [snapshot, oldSnapshot, oldLog].every(isString);
  return areNames && isCount(start) && isCount(end) && typeof forgotten === 'number';
}

/** Below the greatest safe integer, so that the next generation is one too. */
const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) < Number.MAX_SAFE_INTEGER;
