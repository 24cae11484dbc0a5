/**
 * Reads the graph's files into a table: the snapshot, then the log. If the snapshot is damaged, it also reads
 * the previous generation; if the log follows a newer snapshot, also the previous log. It takes no lock. A
 * compaction replaces the snapshot before it replaces the log, so the result is consistent if the snapshot is
 * still the same after the read. line-scanner.ts handles damaged lines, and a last line that a crash has
 * cut off.
 */

import { TimeSlice } from '../../../base/async/time-slice.js';
import { AppError } from '../../../base/errors.js';
import { sha256Stream } from '../../../base/ids.js';
import { countOf } from '../../../base/text/display-text.js';
import { FileReader } from '../../../files/atomic/append-file.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { isConflictMarker } from '../../conflict-markers.js';
import { TripleTable } from '../table/triple-table.js';
import type { GraphFiles } from './graph-files.js';
import { type DamagedLine, LineScanner } from './line-scanner.js';
import { readSidecar, type Sidecar } from './sidecar.js';

/** The bytes that are scanned in one step of a few milliseconds. */
const CHUNK_BYTES = 1 << 18;
const MIN_CHUNK_BYTES = 1 << 12;
/** The number of bytes before the read position that are compared to detect another log. */
export const GUARD_BYTES = 64;
const MAX_TRIES = 20;
/** The number of digits of the snapshot's SHA-256 in the head of its log. */
export const NAME_LENGTH = 16;

/** The position up to which a log was read. */
export interface LogPosition {
  readonly stamp: Stamp | undefined;
  readonly offset: number;
  readonly guard: Buffer;
}

export interface Damage extends DamagedLine {
  readonly path: string;
}

export interface GraphContent {
  readonly table: TripleTable;
  readonly snapshot: Stamp | undefined;
  readonly log: LogPosition;
  readonly sidecar: Sidecar | undefined;
  /** The SHA-256 of the snapshot file that was read. */
  readonly sha256: string | undefined;
  readonly damage: readonly Damage[];
  /** Sentences for users about faults and what Daybook did about them. */
  readonly notices: readonly string[];
  /** The snapshot is damaged or needed the previous generation, so it must be written again. */
  readonly needsHealing: boolean;
  /** The snapshot is missing, and no previous generation replaces it: its facts are missing. */
  readonly lacksSnapshot: boolean;
}

/** FILESYSTEM_ERROR, FORMAT_TOO_NEW. Damage is reported in the result and does not throw. */
export async function readGraph(files: GraphFiles): Promise<GraphContent> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const content = await readOnce(files);
    if (isSameStamp(content.snapshot, readStampNow(files.snapshot))) return content;
  }
  throw new AppError(
    'CONFLICT',
    `${files.snapshot} could not be read, because other processes changed it several times during the reading.`,
  );
}

async function readOnce(files: GraphFiles): Promise<GraphContent> {
  const table = new TripleTable();
  const { sidecar, ...snapshot } = await readSnapshot(files.snapshot, files.sidecar, table);
  const wal = await readLog(files.wal, table);
  const notices: string[] = [];
  const isMissing =
    snapshot.stamp === undefined && (sidecar !== undefined || wal.continuesSnapshot);
  const isBroken = snapshot.isBroken || isMissing;
  let isRecovered = false;
  if (isBroken) {
    notices.push(brokenNotice(files, snapshot));
    isRecovered = mayUsePrevious(snapshot.stamp, sidecar, wal.follows);
    if (isRecovered) notices.push(...(await readPrevious(files, table)));
    else if (isMissing) notices.push('The facts in it are missing too.');
  } else if (snapshot.stamp !== undefined && snapshot.sha256 !== sidecar?.sha256) {
    notices.push(
      `${files.snapshot} is not the file that Daybook wrote last: git or a person changed it, or a crash interrupted the write. Daybook uses it with its present content.`,
    );
    notices.push(...(await readLogBetween(files, table, snapshot.sha256, wal.follows)));
  }
  const damage = [...snapshot.damage, ...wal.damage];
  return {
    table,
    snapshot: snapshot.stamp,
    log: wal.position,
    sidecar,
    sha256: snapshot.sha256,
    damage,
    notices: [...notices, ...damageNotices(files, damage)],
    needsHealing: isRecovered || snapshot.isBroken,
    lacksSnapshot: isMissing && !isRecovered,
  };
}

interface SnapshotContent {
  readonly stamp: Stamp | undefined;
  readonly sidecar: Sidecar | undefined;
  readonly sha256: string | undefined;
  readonly damage: readonly Damage[];
  readonly isBroken: boolean;
}

async function readSnapshot(
  path: string,
  sidecarPath: string | undefined,
  table: TripleTable,
): Promise<SnapshotContent> {
  const source = FileReader.open(path);
  try {
    // The sidecar is read after the snapshot was opened, because a compaction writes it before the snapshot.
    const sidecar = sidecarPath === undefined ? undefined : await readSidecar(sidecarPath);
    if (source === undefined) {
      return { stamp: undefined, sidecar, sha256: undefined, damage: [], isBroken: false };
    }
    const sha256 = await hashFile(source);
    // If the checksum of the whole file is right, the checksums of the lines are not checked.
    const scanner = new LineScanner(table, path, sidecar?.sha256 === sha256);
    if (sidecar !== undefined) table.reserve(Math.min(sidecar.count, Number(source.stamp.size)));
    await scanFile(source, 0, scanner);
    const damage = damageOf(scanner, path);
    const isBroken = damage.length > 0 || !scanner.isClosed;
    return { stamp: source.stamp, sidecar, sha256, damage, isBroken };
  } finally {
    source?.close();
  }
}

async function hashFile(source: FileReader): Promise<string> {
  const slice = new TimeSlice();
  const hash = sha256Stream();
  const buffer = Buffer.allocUnsafe(chunkBytes(Number(source.stamp.size)));
  for (let position = 0; ; ) {
    const count = source.read(buffer, 0, position);
    if (count === 0) return hash.hex();
    hash.update(buffer.subarray(0, count));
    position += count;
    if (slice.isSpent()) await slice.yield();
  }
}

/** One byte more than the file has, so that the first read also detects the end of the file. */
const chunkBytes = (sizeBytes: number) =>
  Math.max(MIN_CHUNK_BYTES, Math.min(CHUNK_BYTES, sizeBytes + 1));

interface LogContent {
  readonly position: LogPosition;
  readonly damage: readonly Damage[];
  readonly follows: ReadonlySet<string>;
  readonly continuesSnapshot: boolean;
}

async function readLog(path: string, table: TripleTable): Promise<LogContent> {
  const source = FileReader.open(path);
  if (source === undefined)
    return { position: NO_LOG, damage: [], follows: new Set(), continuesSnapshot: false };
  try {
    const scanner = new LineScanner(table, path);
    const position = await scanLog(source, 0, scanner);
    const { follows, continuesSnapshot = false } = scanner;
    return { position, damage: damageOf(scanner, path), follows, continuesSnapshot };
  } finally {
    source.close();
  }
}

const NO_LOG: LogPosition = { stamp: undefined, offset: 0, guard: Buffer.alloc(0) };

/** Scans the log up to the size in the stamp. The next update reads lines that are appended meanwhile. */
export async function scanLog(
  source: FileReader,
  from: number,
  scanner: LineScanner,
): Promise<LogPosition> {
  const to = Number(source.stamp.size);
  const offset = await scanFile(source, from, scanner, { isLog: true, to });
  return { stamp: source.stamp, offset, guard: guardOf(source, offset) };
}

/** Returns the bytes before `offset`, by which a later read detects that the log was replaced. */
export function guardOf(source: FileReader, offset: number): Buffer {
  const guard = Buffer.alloc(Math.min(GUARD_BYTES, offset));
  source.read(guard, 0, offset - guard.length);
  return guard;
}

/**
 * Scans all lines from `from` up to `to` and returns the position of the next line. The last line of a
 * log may be incomplete, because it is still being written.
 */
export async function scanFile(
  source: FileReader,
  from: number,
  scanner: LineScanner,
  range: { isLog?: boolean; to?: number } = {},
): Promise<number> {
  const { lines, damaged } = scanner;
  const known = damaged.length;
  const reached = await scanLines(source, from, scanner, range);
  const found = damaged.splice(known);
  // Counting line feeds takes time, so only damage is numbered.
  const before = found.length === 0 ? 0 : lineFeedsBefore(source, from) - lines;
  damaged.push(...found.map((each) => ({ ...each, line: each.line + before })));
  return reached;
}

function lineFeedsBefore(source: FileReader, end: number): number {
  const buffer = Buffer.allocUnsafe(chunkBytes(end));
  let count = 0;
  for (let position = 0; position < end; ) {
    const read = source.read(
      buffer.subarray(0, Math.min(buffer.length, end - position)),
      0,
      position,
    );
    if (read === 0) break;
    const filled = buffer.subarray(0, read);
    for (let at = filled.indexOf(0x0a); at !== -1; at = filled.indexOf(0x0a, at + 1)) count += 1;
    position += read;
  }
  return count;
}

async function scanLines(
  source: FileReader,
  from: number,
  scanner: LineScanner,
  { isLog = false, to = Number.POSITIVE_INFINITY }: { isLog?: boolean; to?: number },
): Promise<number> {
  const slice = new TimeSlice();
  let buffer = Buffer.allocUnsafe(chunkBytes(Number(source.stamp.size) - from));
  let position = from;
  let unfinished = 0;
  for (;;) {
    const count = Math.min(source.read(buffer, unfinished, position), to - position);
    position += count;
    const filled = unfinished + count;
    const start = scanBuffer(buffer, filled, scanner);
    if (count === 0) {
      const isTaken = scanner.scan(buffer, start, filled, isLog);
      return isTaken ? position : position - (filled - start);
    }
    buffer.copyWithin(0, start, filled);
    unfinished = filled - start;
    if (unfinished === buffer.length) buffer = Buffer.concat([buffer], 2 * buffer.length);
    if (slice.isSpent()) await slice.yield();
  }
}

/** Scans the complete lines of the buffer and returns the start of the incomplete one. */
function scanBuffer(buffer: Buffer, filled: number, scanner: LineScanner): number {
  let start = 0;
  for (let end = buffer.indexOf(0x0a); end !== -1 && end < filled; ) {
    scanner.scan(buffer, start, end);
    start = end + 1;
    end = buffer.indexOf(0x0a, start);
  }
  return start;
}

/** Git ignores the previous generation, so after a checkout it may be of another branch. */
function mayUsePrevious(
  snapshot: Stamp | undefined,
  sidecar: Sidecar | undefined,
  follows: ReadonlySet<string>,
): boolean {
  const isNamed = sidecar !== undefined && follows.has(sidecar.sha256.slice(0, NAME_LENGTH));
  return isNamed || (snapshot !== undefined && (follows.size === 0 || sidecar === undefined));
}

/**
 * A copy that was made file by file during a compaction has the old snapshot and the new log. The facts
 * between the two are in the previous log, if that follows this snapshot.
 */
async function readLogBetween(
  files: GraphFiles,
  table: TripleTable,
  sha256: string | undefined,
  follows: ReadonlySet<string>,
): Promise<string[]> {
  const name = sha256?.slice(0, NAME_LENGTH);
  if (name === undefined || follows.size === 0 || follows.has(name)) return [];
  const previous = await readLog(files.previousWal, new TripleTable());
  if (!previous.follows.has(name)) return [];
  await readLog(files.previousWal, table);
  return [
    `${files.wal} is newer than ${files.snapshot}. Daybook also read the changes between the two from ${files.previousWal}.`,
  ];
}

async function readPrevious(files: GraphFiles, table: TripleTable): Promise<string[]> {
  const before = table.count;
  const snapshot = await readSnapshot(files.previousSnapshot, undefined, table);
  const log = await readLog(files.previousWal, table);
  if (snapshot.stamp === undefined && log.position.stamp === undefined) {
    return ['There is no previous snapshot from which facts could be recovered.'];
  }
  const recovered = table.count - before;
  if (recovered === 0) return [];
  return [
    `Daybook also read the previous snapshot and its log, and recovered ${countOf(recovered, 'fact')}.`,
  ];
}

const damageOf = (scanner: LineScanner, path: string) =>
  scanner.damaged.map((line) => ({ ...line, path }));

function brokenNotice(
  files: GraphFiles,
  { stamp, damage }: Pick<SnapshotContent, 'stamp' | 'damage'>,
): string {
  if (stamp === undefined) return `${files.snapshot} is missing.`;
  if (damage.length > 0) return `${files.snapshot} has ${kindOf(damage)}: ${damage.length}.`;
  return `${files.snapshot} is incomplete.`;
}

/** The facts between the markers of a merge are whole lines, which are read. */
const kindOf = (damage: readonly Damage[]): string =>
  damage.every(({ text }) => isConflictMarker(text))
    ? 'lines with conflict markers of git'
    : 'damaged lines';

function damageNotices({ wal, rejects }: GraphFiles, damage: readonly Damage[]): string[] {
  if (damage.length === 0) return [];
  const inLog = damage.filter(({ path }) => path === wal);
  const start = inLog.length > 0 ? `${wal} has ${kindOf(inLog)}: ${inLog.length}. ` : '';
  return [
    `${start}Daybook ignores damaged lines. A change of the graph copies them to ${rejects}, and daybook doctor --repair removes them here.`,
  ];
}
