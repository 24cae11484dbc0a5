/**
 * A new snapshot, and a log that begins again. The snapshot is written in the background beside the
 * old one; the lock is held only to put the files in place, in an order that leaves a whole graph
 * after each step: the old snapshot and log get second names as the previous generation, then come
 * the sidecar, the new snapshot, and a log with what was added meanwhile. As long as the old log is there, it is
 * replayed over the new snapshot and comes to the same.
 */
import type { Clock } from '../../base/clock.js';
import { sha256Stream } from '../../base/ids.js';
import type { Durability } from '../../files/atomic-write.js';
import { removeFile } from '../../files/folders.js';
import { type AppendEnd, ByteSource } from '../../files/growing-file.js';
import type { HeldLock } from '../../files/held-lock.js';
import type { KeptLock } from '../../files/kept-lock.js';
import { stageFile } from '../../files/new-file.js';
import { isSameFile, readStampNow, type Stamp } from '../../files/stamp.js';
import { type LogPosition, NAME_LENGTH } from './graph-reader.js';
import type { GraphState } from './graph-state.js';
import { encodeHead } from './operation-line.js';
import { type Compaction, encodeSidecar, nameOfFile, nameOfVersion } from './sidecar.js';
import { snapshotText, type Watched } from './snapshot-text.js';
import type { TripleTable } from './triple-table.js';

/** So long a deletion is remembered, that a branch merged later does not bring the fact back. */
const TOMBSTONE_DAYS = 30;
const DAY_MS = 24 * 60 * 60 * 1000;
const GUARD_BYTES = 64;
/** Somebody else compacted, or the files changed, before it was done. */
const MAX_TRIES = 5;

export interface Saved {
  readonly generation: number;
  /** Facts, closed ones among them. */
  readonly triples: number;
  readonly snapshotBytes: number;
}

export interface CompactionParts extends Durability {
  readonly state: GraphState;
  readonly lock: KeptLock;
  /** Where appends go: to the new log from then on. */
  readonly end: AppendEnd;
  readonly clock: Clock;
}

interface Staged {
  readonly table: TripleTable;
  /** How far the log is in the snapshot. */
  readonly from: LogPosition;
  readonly stage: string;
  readonly sha256: string;
  readonly count: number;
  /** Deletions from before this time are not in it. */
  readonly forgotten: number;
}

/** `undefined` where another process did the same meanwhile, or the files changed under it each time. */
export async function compact(
  parts: CompactionParts,
  watched: Watched,
): Promise<Saved | undefined> {
  const { state } = parts;
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    await state.update();
    const isHealing = state.content.needsHealing;
    const before = generationOf(state);
    const saved = await compactOnce(parts, watched, !isHealing);
    // The damaged snapshot must not become the previous generation: the healed one does, at once.
    if (saved !== undefined) return isHealing ? await compactOnce(parts, watched, true) : saved;
    // One more would be for nothing, and followers that saw neither would have to read all again.
    if (generationOf(state) > before && !state.content.needsHealing) return undefined;
  }
  return undefined;
}

const generationOf = ({ content }: GraphState) => content.sidecar?.generation ?? 0;

async function compactOnce(
  parts: CompactionParts,
  watched: Watched,
  keepsOld: boolean,
): Promise<Saved | undefined> {
  const { state, lock, clock } = parts;
  await state.update();
  const forgotten = clock.now() - TOMBSTONE_DAYS * DAY_MS;
  state.content.table.forgetDeletions(forgotten);
  const staged = await stageSnapshot(parts, watched, forgotten);
  try {
    return await lock.run((held) => {
      watched.signal?.throwIfAborted();
      return putInPlace(parts, staged, held, keepsOld);
    });
  } finally {
    await removeFile(staged.stage); // gone already where it was put in place
  }
}

async function stageSnapshot(
  { state, fsync }: CompactionParts,
  watched: Watched,
  forgotten: number,
): Promise<Staged> {
  const { table } = state.content;
  const from = state.position;
  const hash = sha256Stream();
  let count = 0;
  const pieces = snapshotText(table, watched, (lines) => {
    count = lines;
  });
  const { signal } = watched;
  const stage = await stageFile(state.files.snapshot, hashed(pieces, hash), { fsync, signal });
  return { table, from, stage, sha256: hash.hex(), count, forgotten };
}

async function* hashed(
  pieces: AsyncIterable<string>,
  hash: { update(bytes: Uint8Array): void },
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    const bytes = Buffer.from(piece);
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
    await lock.keep(files.snapshot, files.previousSnapshot);
    await lock.keep(files.wal, files.previousWal);
  }
  await lock.replace(files.sidecar, encodeSidecar(sidecar), { fsync });
  await lock.place(stage, files.snapshot, { fsync });
  const log = Buffer.concat([Buffer.from(`\n${encodeHead(sha256.slice(0, NAME_LENGTH))}`), tail]);
  const stamp = await lock.replace(files.wal, log, { fsync });
  end.close();
  const position = { stamp, offset: log.length, guard: log.subarray(-GUARD_BYTES) };
  state.replaced({ snapshot, sidecar, position });
  return { generation, triples: table.count, snapshotBytes: Number(snapshot.size) };
}

/** Tells those who have read the same files that they can go on; they do so by the previous generation. */
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

/** What the log has beyond the snapshot; `undefined` where it is another log by now. */
function readTail(path: string, from: LogPosition, to: LogPosition): Buffer | undefined {
  if (from.stamp === undefined && to.stamp === undefined) return Buffer.alloc(0);
  const source = ByteSource.open(path);
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
