/**
 * Large cache files. They are written and read chunk by chunk, so that the whole file is never in memory
 * and the event loop is not blocked. Format: for each chunk its length (32 bits, little-endian), then its
 * bytes. A reader finds the old file or the new one, never a part. Nothing is fsynced, so the reader must
 * check each chunk. `sweepTemporaries` (staging.ts) removes the temporary files of dead writers.
 */
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { ABSENT, ignoreErrno, withFileError } from '../file-errors.js';
import { createHandleIn, openHandle, requireReplaceable } from '../safe-access/open-regular.js';
import { inFolder } from '../safe-access/pinned-folder.js';
import { toStoredPiece } from '../sealing/open-stores.js';
import { openFile, sealedFileKey } from '../sealing/sealed-form.js';
import { makeFolder } from './atomic-write.js';
import { renameWithRetry } from './rename-with-retry.js';
import { removeQuietly, temporaryName } from './staging.js';

const LENGTH_BYTES = 4;
/** The number of chunks that are read ahead. */
const READS_AHEAD = 2;

/**
 * Replaces `target` when all chunks are written. Nothing is durable when it resolves. STORAGE_FULL,
 * FILESYSTEM_ERROR, and whatever `chunks` throws.
 */
export async function writeChunks(target: string, chunks: Iterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(target));
  const stage = temporaryName();
  await withFileError('write', target, () =>
    inFolder(dirname(target), async (folder) => {
      try {
        await fill(await createHandleIn(folder, stage), target, chunks);
        requireReplaceable(folder, basename(target), target);
        await renameWithRetry(folder.at(stage), folder.at(basename(target)));
      } catch (error) {
        removeQuietly(folder.at(stage));
        throw error;
      }
    }),
  );
}

async function fill(file: FileHandle, target: string, chunks: Iterable<Uint8Array>): Promise<void> {
  try {
    for (const plain of chunks) {
      const chunk = toStoredPiece(target, plain);
      const length = Buffer.alloc(LENGTH_BYTES);
      length.writeUInt32LE(chunk.byteLength);
      await file.writeFile(length);
      await file.writeFile(chunk);
    }
  } finally {
    await file.close();
  }
}

/**
 * Stops before an incomplete or empty chunk; nothing if there is no file. FILESYSTEM_ERROR, DECRYPT. A power loss
 * can leave zeros: as lengths they would be millions of chunks.
 */
export async function* readChunks(path: string): AsyncGenerator<Buffer, undefined> {
  const file = await withFileError('read', path, () => ignoreErrno(ABSENT, openHandle(path)));
  if (file === undefined) return;
  const ahead: Promise<Buffer | undefined>[] = [];
  const read = (length: number, position: number) =>
    withFileError('read', path, () => readFully(file, length, position));
  try {
    for (let at = 0; ; ) {
      while (ahead.length < READS_AHEAD) {
        const length = (await read(LENGTH_BYTES, at))?.readUInt32LE();
        if (length === undefined || length === 0) break;
        const chunk = read(length, at + LENGTH_BYTES);
        chunk.catch(() => undefined); // thrown when it is awaited below
        ahead.push(chunk);
        at += LENGTH_BYTES + length;
      }
      const chunk = await ahead.shift();
      if (chunk === undefined) return;
      yield sealedFileKey(chunk) === undefined ? chunk : uncounted(openFile(chunk, path));
    }
  } finally {
    await Promise.allSettled(ahead);
    await file.close();
  }
}

/**
 * Copies to shared memory, which V8 does not count: a hundred MB that it counts start a garbage collection.
 */
function uncounted(bytes: Buffer): Buffer {
  const copy = Buffer.from(new SharedArrayBuffer(bytes.byteLength));
  bytes.copy(copy);
  return copy;
}

/** Returns `undefined` if the file has fewer bytes after `position`. */
async function readFully(
  file: FileHandle,
  length: number,
  position: number,
): Promise<Buffer | undefined> {
  // A damaged length must not allocate gigabytes.
  if (length > LENGTH_BYTES && position + length > (await file.stat()).size) return undefined;
  const buffer = Buffer.from(new SharedArrayBuffer(length)); // as in `uncounted`
  for (let at = 0; at < length; ) {
    const { bytesRead } = await file.read(buffer, at, length - at, position + at);
    if (bytesRead === 0) return undefined;
    at += bytesRead;
  }
  return buffer;
}
