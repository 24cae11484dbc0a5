/**
 * Large files that are only copies (caches), written and read piece by piece, each behind its length
 * in 32 bits, so that neither memory nor the event loop holds all of it at once. A reader finds the
 * old file or the new one, never a half; nothing is fsynced, so whoever reads one checks each piece.
 * What dead writers left can be swept.
 */
import { type FileHandle, open, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock } from '../base/clock.js';
import { randomHex } from '../base/ids.js';
import { FILE_MODE, makeFolder, renameWithRetry } from './atomic-write.js';
import { fileError, reporting, unless } from './file-errors.js';
import { listFiles } from './folders.js';
import { isSurelyDead, ownerName } from './process-identity.js';

/** Nobody writes one file for that long, where nobody can know whether the writer lives. */
const ABANDONED_MS = 24 * 60 * 60 * 1000;
const LENGTH_BYTES = 4;
/** Read beside each other while one is worked on. */
const READS_AHEAD = 2;
const STAGE = /^\.tmp-(.+)-[0-9a-f]{8}$/;

/** Replaces `target` once all pieces are written. STORAGE_FULL, FILESYSTEM_ERROR, what `pieces` throws. */
export async function writePieces(target: string, pieces: Iterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(target));
  const stage = join(dirname(target), `.tmp-${ownerName()}-${randomHex(4)}`);
  try {
    const file = await open(stage, 'wx', FILE_MODE);
    try {
      for (const piece of pieces) {
        const length = Buffer.alloc(LENGTH_BYTES);
        length.writeUInt32LE(piece.byteLength);
        await file.writeFile(length);
        await file.writeFile(piece);
      }
    } finally {
      await file.close();
    }
    await renameWithRetry(stage, target);
  } catch (error) {
    await rm(stage, { force: true }).catch(() => undefined); // swept later otherwise
    throw fileError(error, 'write', target);
  }
}

/**
 * The pieces in turn; they end where the file does, also where that is within one. None where there
 * is no such file. FILESYSTEM_ERROR.
 */
export async function* readPieces(path: string): AsyncGenerator<Buffer, undefined> {
  const file = await reporting('read', path, () => unless(['ENOENT', 'ENOTDIR'], open(path, 'r')));
  if (file === undefined) return;
  const ahead: Promise<Buffer | undefined>[] = [];
  const read = (length: number, position: number) =>
    reporting('read', path, () => readFully(file, length, position));
  try {
    for (let at = 0; ; ) {
      while (ahead.length < READS_AHEAD) {
        const length = (await read(LENGTH_BYTES, at))?.readUInt32LE();
        if (length === undefined) break;
        const piece = read(length, at + LENGTH_BYTES);
        piece.catch(() => undefined); // told when its turn comes
        ahead.push(piece);
        at += LENGTH_BYTES + length;
      }
      const piece = await ahead.shift();
      if (piece === undefined) return;
      yield piece;
    }
  } finally {
    await Promise.allSettled(ahead);
    await file.close();
  }
}

/** `undefined` where the file has fewer bytes left. */
async function readFully(
  file: FileHandle,
  length: number,
  position: number,
): Promise<Buffer | undefined> {
  // A length that is damaged is not believed.
  if (length > LENGTH_BYTES && position + length > (await file.stat()).size) return undefined;
  // Memory that the garbage collector does not count: a hundred MB of other would set it going at once.
  const buffer = Buffer.from(new SharedArrayBuffer(length));
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) return undefined;
    at += bytesRead;
  }
  return buffer;
}

/** Removes what writers in `folder` left behind that are dead, never what a live one is writing. */
export async function sweepPieces(folder: string): Promise<void> {
  for (const name of await listFiles(folder)) {
    const owner = STAGE.exec(name)?.[1];
    if (owner === undefined) continue;
    const path = join(folder, name);
    await reporting('sweep', path, async () => {
      const isLeft = isSurelyDead(owner) || (await isAbandoned(path));
      if (isLeft) await rm(path, { force: true });
    });
  }
}

async function isAbandoned(path: string): Promise<boolean> {
  const found = await unless(['ENOENT'], stat(path));
  return found !== undefined && systemClock.now() - found.mtimeMs > ABANDONED_MS;
}
