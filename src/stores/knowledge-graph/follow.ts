/**
 * Keeping up with other processes without reading all again: what was added to the log is read from
 * the place that one has got to, after a compaction from the same place in the log that it left.
 */
import { ByteSource } from '../../files/growing-file.js';
import { isSameFile, isSameStamp, readStampNow, type Stamp } from '../../files/stamp.js';
import type { GraphFiles } from './graph-files.js';
import { guardOf, type LogPosition, NAME_LENGTH, scanFile, scanLog } from './graph-reader.js';
import type { LineScanner } from './line-scanner.js';
import { encodeHead } from './operation-line.js';
import {
  type Compaction,
  nameOfFile,
  nameOfVersion,
  readSidecar,
  type Sidecar,
} from './sidecar.js';

/** Files that say, up to `position`, what the table says. */
export interface Adopted {
  readonly snapshot: Stamp;
  readonly sidecar: Sidecar;
  readonly position: LogPosition;
}

/**
 * Takes in what was added to the log since `position`; `undefined` where it is not the same log with
 * more at its end.
 */
export async function followLog(
  path: string,
  position: LogPosition,
  scanner: LineScanner,
): Promise<LogPosition | undefined> {
  const source = ByteSource.open(path);
  if (source === undefined) return undefined;
  try {
    if (source.stamp.size <= BigInt(position.offset) || !isSameLog(source, position)) {
      return undefined;
    }
    return await scanLog(source, position.offset, scanner);
  } finally {
    source.close();
  }
}

/**
 * Takes in what a compaction of another process left beyond `position`, where it was one of just the
 * `snapshot` and the log that were read; `undefined` where that cannot be known, and everything must
 * be read again.
 */
export async function followCompaction(
  files: GraphFiles,
  snapshot: Stamp | undefined,
  position: LogPosition,
  scanner: LineScanner,
): Promise<Adopted | undefined> {
  const next = readStampNow(files.snapshot);
  const sidecar = await readSidecar(files.sidecar);
  const { compaction } = sidecar ?? {};
  if (next === undefined || sidecar === undefined || compaction === undefined) return undefined;
  const { stamp, offset } = position;
  const isOfOurs =
    compaction.snapshot === nameOfVersion(next) &&
    [compaction.oldSnapshot, compaction.snapshot].includes(nameOfVersion(snapshot)) &&
    stamp !== undefined &&
    compaction.oldLog === nameOfFile(stamp) &&
    offset <= compaction.end;
  if (!isOfOurs) return undefined;
  const reached = await followToNewLog(files, position, sidecar.sha256, compaction, scanner);
  return reached && { snapshot: next, sidecar, position: reached };
}

async function followToNewLog(
  files: GraphFiles,
  position: LogPosition,
  sha256: string,
  compaction: Compaction,
  scanner: LineScanner,
): Promise<LogPosition | undefined> {
  const log = ByteSource.open(files.wal);
  const old = ByteSource.open(files.previousWal);
  try {
    if (log === undefined || old === undefined) return undefined;
    // The new snapshot is there, the new log not yet.
    if (isSameStamp(log.stamp, position.stamp)) return position;
    const head = Buffer.from(`\n${encodeHead(sha256.slice(0, NAME_LENGTH))}`);
    const begin = Buffer.alloc(head.length);
    if (log.read(begin, 0, 0) < head.length || !begin.equals(head)) return undefined;
    if (!isSameLog(old, position)) return undefined;
    const { start } = compaction;
    if (position.offset < start) await scanFile(old, position.offset, scanner, { to: start });
    return await scanLog(log, head.length + Math.max(0, position.offset - start), scanner);
  } finally {
    log?.close();
    old?.close();
  }
}

/** The file that was read up to `position`, with nothing or something new behind that. */
function isSameLog(source: ByteSource, { stamp, offset, guard }: LogPosition): boolean {
  if (stamp === undefined || !isSameFile(source.stamp, stamp)) return false;
  // Of the same length with another time, it was changed somewhere in the middle.
  const isGrown = source.stamp.size > stamp.size || isSameStamp(source.stamp, stamp);
  return isGrown && guardOf(source, offset).equals(guard);
}
