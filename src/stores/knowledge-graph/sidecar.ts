/**
 * What lies beside a snapshot, for this machine alone: whether the snapshot is the one that was
 * written, and what it was made of, so that who had read that goes on in the new log.
 */
import { readWhole } from '../../files/json-doc.js';
import type { Stamp } from '../../files/stamp.js';
import { checkedEnd, withSum } from './operation-line.js';

export interface Sidecar {
  readonly sha256: string;
  /** Operations in the snapshot. */
  readonly count: number;
  readonly generation: number;
  /** Absent where nobody can go on from what was there before. */
  readonly compaction?: Compaction | undefined;
}

/** Which files became which. Files are named as `nameOfVersion` and `nameOfFile` have it. */
export interface Compaction {
  readonly snapshot: string;
  readonly oldSnapshot: string;
  readonly oldLog: string;
  /** The old log from here to `end` is the new one behind its head; what comes before is in the snapshot. */
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

/** `undefined` where there is none, or nothing that can be read. FILESYSTEM_ERROR. */
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
    return {}; // it only saves work and says whether the snapshot is the one that was written
  }
}

const isCount = (value: unknown): value is number => Number.isInteger(value);
