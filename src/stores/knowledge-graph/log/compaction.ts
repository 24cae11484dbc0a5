/**
 * Compaction: writes a new snapshot and starts a new log. The snapshot is written in the background beside
 * the old one. The lock is held only for the last steps: make hard links to the old snapshot and log (the
 * previous generation), then replace the sidecar, the snapshot and the log. The new log has the operations
 * that were added meanwhile. After each step the files are a complete graph, because replaying the old log
 * over the new snapshot has the same result.
 */
import { type Clock, DAY_MS } from '../../../base/clock.js';
import { sha256Stream } from '../../../base/ids.js';
import { type AppendHandle, FileReader } from '../../../files/atomic/append-file.js';
import type { Durability } from '../../../files/atomic/atomic-write.js';
import { stageFile } from '../../../files/atomic/new-file-stream.js';
import type { HeldLock } from '../../../files/locks/file-lock.js';
import type { RetainedLock } from '../../../files/locks/retained-lock.js';
import { removeFile } from '../../../files/paths/folders.js';
import { isSameFile, modifiedMs, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { toStoredLines } from '../../../files/sealing/open-stores.js';
import type { GraphState } from '../graph-state.js';
import type { TripleTable } from '../table/triple-table.js';
import { encodeHead } from './operation-line.js';
import { GUARD_BYTES, type LogPosition, NAME_LENGTH } from './replay.js';
import { type Compaction, encodeSidecar, nameOfFile, nameOfVersion } from './sidecar.js';
import { type ProgressOptions, snapshotText } from './snapshot-text.js';

/** A log smaller than this is not compacted. */
const MIN_LOG_BYTES = 1_000_000;
/**
 * An editor, git or a copy over the network may still be writing a damaged snapshot that was changed this
 * recently, or one that it has removed first. Its file would replace a new snapshot and lose the rest.
 */
const SETTLED_MS = 30_000;
/** Deletions are kept this long, so that a git branch merged later does not bring the fact back. */
const TOMBSTONE_DAYS = 30;
/** The compaction is tried again if another process compacted meanwhile, or the files changed. */
const MAX_TRIES = 5;

export interface Saved {
  readonly generation: number;
  /** The number of facts, with ended facts. */
  readonly triples: number;
  readonly snapshotBytes: number;
}

export interface CompactionParts extends Durability {
  readonly state: GraphState;
  readonly lock: RetainedLock;
  /** The handle of the log. Later appends go to the new log. */
  readonly end: AppendHandle;
  readonly clock: Clock;
}

interface Staged {
  readonly table: TripleTable;
  /** The end of the part of the log that is in the snapshot. */
  readonly from: LogPosition;
  readonly stage: string;
  readonly sha256: string;
  readonly count: number;
  /** Deletions from before this time are not in the snapshot. */
  readonly forgotten: number;
}

/**
 * Whether the background work should compact: the log is larger than the snapshot (and than MIN_LOG_BYTES),
 * or the snapshot is damaged and no program is writing it. `now`: epoch milliseconds.
 */
export function isCompactionDue(
  { content: { snapshot, needsHealing }, files }: GraphState,
  logBytes: number,
  now: number,
): boolean {
  if (!needsHealing) return logBytes > Math.max(MIN_LOG_BYTES, Number(snapshot?.size ?? 0));
  const changed = snapshot ?? readStampNow(files.folder); // the removal of a file changes its folder
  const ageMs = now - (changed === undefined ? 0 : modifiedMs(changed));
  return Math.abs(ageMs) > SETTLED_MS;
}

/** Returns `undefined` if another process compacted meanwhile, or if the files changed at each try. */
export async function compact(
  parts: CompactionParts,
  progress: ProgressOptions,
): Promise<Saved | undefined> {
  const { state } = parts;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    await state.update();
    await state.recordDamage();
    const isHealing = state.content.needsHealing;
    const before = generationOf(state);
    const saved = await compactOnce(parts, progress, !isHealing);
    // A damaged snapshot must not become the previous generation, so a second compaction keeps the repaired
    // one.
    if (saved !== undefined) return isHealing ? await compactOnce(parts, progress, true) : saved;
    // A second compaction is useless, and other processes can follow only one: they would read all files
    // again.
    if (generationOf(state) > before && !state.content.needsHealing) return undefined;
  }
  return undefined;
}

const generationOf = ({ content }: GraphState) => content.sidecar?.generation ?? 0;

async function compactOnce(
  parts: CompactionParts,
  progress: ProgressOptions,
  keepsOld: boolean,
): Promise<Saved | undefined> {
  const { state, lock, clock } = parts;
  await state.update();
  const forgotten = clock.now() - TOMBSTONE_DAYS * DAY_MS;
  state.content.table.forgetDeletions(forgotten);
  const staged = await stageSnapshot(parts, progress, forgotten);
  try {
    return await lock.run((handle) => {
      progress.signal?.throwIfAborted();
      return putInPlace(parts, staged, handle, keepsOld);
    });
  } finally {
    await removeFile(staged.stage); // does nothing if it was renamed
  }
}

async function stageSnapshot(
  { state, fsync }: CompactionParts,
  progress: ProgressOptions,
  forgotten: number,
): Promise<Staged> {
  const { table } = state.content;
  const from = state.position;
  const hash = sha256Stream();
  let count = 0;
  const pieces = snapshotText(table, progress, (lines) => {
    count = lines;
  });
  const { signal } = progress;
  const { snapshot } = state.files;
  const stage = await stageFile(snapshot, hashed(pieces, hash, snapshot), { fsync, signal });
  return { table, from, stage, sha256: hash.hex(), count, forgotten };
}

async function* hashed(
  pieces: AsyncIterable<string>,
  hash: { update(bytes: Uint8Array): void },
  path: string,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(toStoredLines(path, piece));
    hash.update(bytes);
    yield bytes;
  }
}

async function putInPlace(
  { state, end, fsync }: CompactionParts,
  staged: Staged,
  lock: HeldLock,
  keepsOld: boolean,
): Promise<Saved | undefined> {
  const { files } = state;
  const { table, from, stage, sha256, count } = staged;
  do await state.update();
  while (state.isUpdating);
  if (state.content.table !== table) return undefined;
  const tail = readTail(files.wal, from, state.position);
  const snapshot = readStampNow(stage);
  if (tail === undefined || snapshot === undefined) return undefined;
  const generation = generationOf(state) + 1;
  const compaction = keepsOld ? compactionOf(state, staged, snapshot) : undefined;
  const sidecar = { sha256, count, generation, compaction };
  if (keepsOld) {
    // Without fsync: if a power cut removes these names, the present files are still complete.
    await lock.link(files.snapshot, files.previousSnapshot, { fsync: false });
    await lock.link(files.wal, files.previousWal, { fsync: false });
  }
  await lock.replace(files.sidecar, encodeSidecar(sidecar), { fsync });
  await lock.replaceByFile(stage, files.snapshot, { fsync });
  const log = Buffer.concat([Buffer.from(`\n${encodeHead(sha256.slice(0, NAME_LENGTH))}`), tail]);
  const stamp = await lock.replace(files.wal, log, { fsync });
  end.close();
  const position = { stamp, offset: log.length, guard: log.subarray(-GUARD_BYTES) };
  state.replaced({ snapshot, sidecar, position });
  return { generation, triples: table.count, snapshotBytes: Number(snapshot.size) };
}

/** Processes that have read the old files use this to continue in the new log (follow-log.ts). */
function compactionOf(
  { content, position }: GraphState,
  { from, forgotten }: Staged,
  snapshot: Stamp,
): Compaction | undefined {
  return (
    position.stamp && {
      snapshot: nameOfVersion(snapshot),
      oldSnapshot: nameOfVersion(content.snapshot),
      oldLog: nameOfFile(position.stamp),
      start: from.offset,
      end: position.offset,
      forgotten,
    }
  );
}

/** Returns the part of the log that is not in the snapshot; `undefined` if the log was replaced. */
function readTail(path: string, from: LogPosition, to: LogPosition): Buffer | undefined {
  if (from.stamp === undefined && to.stamp === undefined) return Buffer.alloc(0);
  const source = FileReader.open(path);
  if (source === undefined || to.stamp === undefined) return undefined;
  try {
    const isSame = isSameFile(source.stamp, from.stamp ?? source.stamp);
    if (!isSame || to.offset < from.offset) return undefined;
    const tail = Buffer.alloc(to.offset - from.offset);
    return source.read(tail, 0, from.offset) === tail.length ? tail : undefined;
  } finally {
    source.close();
  }
}
