/**
 * Large files that are only copies (caches), written and read piece by piece, so that neither memory
 * nor the event loop holds all of it at once. A reader finds the old file or the new one, never a
 * half; nothing is fsynced, so whoever reads one checks it. What dead writers left can be swept.
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
const STAGE = /^\.tmp-(.+)-[0-9a-f]{8}$/;

/** Replaces `target` once all pieces are written. STORAGE_FULL, FILESYSTEM_ERROR, what `pieces` throws. */
export async function writePieces(target: string, pieces: Iterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(target));
  const stage = join(dirname(target), `.tmp-${ownerName()}-${randomHex(4)}`);
  try {
    const file = await open(stage, 'wx', FILE_MODE);
    try {
      for (const piece of pieces) await file.writeFile(piece);
    } finally {
      await file.close();
    }
    await renameWithRetry(stage, target);
  } catch (error) {
    await rm(stage, { force: true }).catch(() => undefined); // swept later otherwise
    throw fileError(error, 'write', target);
  }
}

export interface PieceReader {
  /** The next `length` bytes; `undefined` where the file has fewer left. FILESYSTEM_ERROR. */
  read(length: number): Promise<Buffer | undefined>;
  close(): Promise<void>;
}

/** `undefined` where there is no such file. FILESYSTEM_ERROR. */
export async function openPieces(path: string): Promise<PieceReader | undefined> {
  return reporting('read', path, async () => {
    const file = await unless(['ENOENT', 'ENOTDIR'], open(path, 'r'));
    if (file === undefined) return undefined;
    let left = (await file.stat()).size;
    return {
      read: (length) =>
        reporting('read', path, async () => {
          if (length > left) return undefined;
          left -= length;
          return readFully(file, length);
        }),
      close: () => file.close(),
    };
  });
}

async function readFully(file: FileHandle, length: number): Promise<Buffer | undefined> {
  // Memory that the garbage collector does not count: a hundred MB of other would set it going at once.
  const buffer = Buffer.from(new SharedArrayBuffer(length));
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at);
    if (bytesRead === 0) return undefined; // cut meanwhile
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
