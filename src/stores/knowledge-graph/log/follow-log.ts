/**
 * Reads the lines that other processes appended to the log since the last read. After a compaction it first
 * reads the rest of the old log, which is kept as part of the previous generation, and then the new log.
 */
import { FileReader } from '../../../files/atomic/append-file.js';
import { isSameFile, isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import type { GraphFiles } from './graph-files.js';
import type { LineScanner } from './line-scanner.js';
import { encodeHead } from './operation-line.js';
import { guardOf, type LogPosition, NAME_LENGTH, scanFile, scanLog } from './replay.js';
import {
  type Compaction,
  nameOfFile,
  nameOfVersion,
  readSidecar,
  type Sidecar,
} from './sidecar.js';

/** Files whose content up to `position` is in the table. */
export interface LoadedFiles {
  readonly snapshot: Stamp;
  readonly sidecar: Sidecar;
  readonly position: LogPosition;
}

/** Applies the lines since `position`. `undefined` if it is not the same log with more lines. */
export async function followLog(
  path: string,
  position: LogPosition,
  scanner: LineScanner,
): Promise<LogPosition | undefined> {
  const source = FileReader.open(path);
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
 * Applies the lines after `position` if another process has compacted exactly the `snapshot` and the log
 * that were read. Returns `undefined` if this is not certain; then all files must be read again.
 */
export async function followCompaction(
  files: GraphFiles,
  snapshot: Stamp | undefined,
  position: LogPosition,
  scanner: LineScanner,
): Promise<LoadedFiles | undefined> {
  const next = readStampNow(files.snapshot);
  const sidecar = await readSidecar(files.sidecar);
  const { compaction } = sidecar ?? {};
  if (next === undefined || sidecar === undefined || compaction === undefined) return undefined;
  const { stamp, offset } = position;
  const continuesOurs =
    compaction.snapshot === nameOfVersion(next) &&
    [compaction.oldSnapshot, compaction.snapshot].includes(nameOfVersion(snapshot)) &&
    stamp !== undefined &&
    compaction.oldLog === nameOfFile(stamp) &&
    offset <= compaction.end;
  if (!continuesOurs) return undefined;
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
  const log = FileReader.open(files.wal);
  const old = FileReader.open(files.previousWal);
  try {
    if (log === undefined || old === undefined) return undefined;
    // The new snapshot exists, the new log does not exist yet.
    if (isSameStamp(log.stamp, position.stamp)) return position;
    const expectedHead = Buffer.from(`\n${encodeHead(sha256.slice(0, NAME_LENGTH))}`);
    const head = Buffer.alloc(expectedHead.length);
    if (log.read(head, 0, 0) < head.length || !head.equals(expectedHead)) return undefined;
    if (!isSameLog(old, position)) return undefined;
    const { start } = compaction;
    if (position.offset < start) await scanFile(old, position.offset, scanner, { to: start });
    return await scanLog(log, head.length + Math.max(0, position.offset - start), scanner);
  } finally {
    log?.close();
    old?.close();
  }
}

/** Whether it is the file that was read up to `position`, with or without new lines after that. */
function isSameLog(source: FileReader, { stamp, offset, guard }: LogPosition): boolean {
  if (stamp === undefined || !isSameFile(source.stamp, stamp)) return false;
  // With the same size and a new modification time, the file was edited and must be read again.
  const isGrown = source.stamp.size > stamp.size || isSameStamp(source.stamp, stamp);
  return isGrown && guardOf(source, offset).equals(guard);
}
