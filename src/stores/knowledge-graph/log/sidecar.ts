/**
 * The sidecar of a snapshot, for this machine only. It shows whether the snapshot is the one that was
 * written, and which files it replaced, so that a process that had read those continues in the new log.
 */
import { readWhole } from '../../../files/read/json-doc.js';
import type { Stamp } from '../../../files/read/stamp.js';
import { checkedEnd, withSum } from './operation-line.js';

export interface Sidecar {
  readonly sha256: string;
  /** The number of operations in the snapshot. */
  readonly count: number;
  readonly generation: number;
  /** Absent if no process can continue from the files before. */
  readonly compaction?: Compaction | undefined;
}

/** Which files replaced which. `nameOfVersion` and `nameOfFile` make the names. */
export interface Compaction {
  readonly snapshot: string;
  readonly oldSnapshot: string;
  readonly oldLog: string;
  /** The old log from here to `end` is the new log after its head. The part before it is in the snapshot. */
  readonly start: number;
  readonly end: number;
  /** Deletions from before this time were forgotten. */
  readonly forgotten: number;
}

export function nameOfVersion(stamp: Stamp | undefined): string {
  return stamp === undefined ? '' : `${nameOfFile(stamp)}-${stamp.size}-${stamp.mtimeNs}`;
}

export function nameOfFile({ dev, ino }: Stamp): string {
  return `${dev}-${ino}`;
}

export function encodeSidecar(sidecar: Sidecar): Buffer {
  return Buffer.from(`${withSum(JSON.stringify(sidecar).slice(0, -1))}\n`);
}

/** `undefined` if there is none, or if it is damaged. FILESYSTEM_ERROR. */
export async function readSidecar(path: string): Promise<Sidecar | undefined> {
  const found = await readWhole(path);
  if (found === undefined) return undefined;
  const text = found.bytes.toString().trimEnd();
  const bytes = Buffer.from(text);
  const { sha256, count, generation, compaction } = parsed(text);
  const isSound = typeof sha256 === 'string' && isCount(count) && isCount(generation);
  if (!isSound) return undefined;
  const isChecked = checkedEnd(bytes, 0, bytes.length) !== -1;
  return { sha256, count, generation, ...(isChecked && { compaction: compaction as Compaction }) };
}

function parsed(text: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(text)) as Record<string, unknown>;
  } catch {
    return {}; // the sidecar is only a help; without it the snapshot is read line by line
  }
}

const isCount = (value: unknown): value is number => Number.isInteger(value);
