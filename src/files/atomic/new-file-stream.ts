/**
 * Writes a large new file from a stream of chunks: write a temporary file beside the target, check its
 * length, fsync it, let the caller check it, and give it its name, which must not exist yet. After a crash
 * or on a full disk there is no file of that name. `sweepTemporaries` (staging.ts) removes the temporary
 * files of killed processes. To replace a file that exists, use atomic-write.ts.
 */
import { linkSync, lstatSync, lutimesSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError, errnoOf, isAppError } from '../../base/errors.js';
import { alreadyExistsError, diskFullError, fileError } from '../file-errors.js';
import { readStamp } from '../read/stamp.js';
import { createHandleIn } from '../safe-access/open-regular.js';
import { inFolder, type PinnedFolder } from '../safe-access/pinned-folder.js';
import { isSealedWhole, requireUnconverted, toStored } from '../sealing/open-stores.js';
import { confirmNames, type Durability, makeFolder } from './atomic-write.js';
import { renameWithRetry } from './rename-with-retry.js';
import { isWithoutLinks, removeQuietly, temporaryName } from './staging.js';

/** Small chunks are joined to this size, because a system call costs more than the copy. */
const WRITE_BYTES = 256 * 1024;
const MAX_TRIES = 5;
/** A larger file is not sealed, because all its bytes must be in memory for that. */
const MAX_SEALED_BYTES = 1024 * 1024 * 1024;

export interface NewFileOptions extends Durability {
  /** If it is aborted, the write throws its reason and leaves no file. */
  readonly signal?: AbortSignal | undefined;
  /** When the content was last modified, in epoch milliseconds; now, if absent. A crash may lose it. */
  readonly modifiedMs?: number | undefined;
  /** Checks the complete file under its temporary name. If it throws, the file is removed. */
  check?(stage: string): Promise<void>;
}

type Chunks = AsyncIterable<Uint8Array | string> | readonly (Uint8Array | string)[];

/**
 * Writes all `chunks` to the new file `target` and returns its size in bytes. Durable when it resolves.
 * ALREADY_EXISTS (nothing was changed), STORAGE_FULL, FILESYSTEM_ERROR, and whatever `chunks` throws.
 */
export async function writeNewFile(
  target: string,
  chunks: Chunks,
  options: NewFileOptions,
): Promise<number> {
  const stage = temporaryName();
  requireUnconverted(target);
  if ((await readStamp(target)) !== undefined) throw alreadyExistsError(target);
  return naming(target, () =>
    inFolder(dirname(target), async (folder) => {
      try {
        const handle = await createHandleIn(folder, stage);
        const sizeBytes = await fill(handle, target, chunks, options);
        await options.check?.(join(folder.realPath, stage));
        options.signal?.throwIfAborted();
        requireUnconverted(target);
        const { modifiedMs } = options;
        if (modifiedMs !== undefined)
          lutimesSync(folder.at(stage), modifiedMs / 1000, modifiedMs / 1000);
        await publish(folder.at(stage), folder, target);
        await confirmNames(dirname(target), `${target} was written`, options);
        return sizeBytes;
      } finally {
        removeQuietly(folder.at(stage));
      }
    }),
  );
}

/** Throws an error of the system as a file error, and an error of the caller's chunks unchanged. */
async function naming<T>(target: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw errnoOf(error) === undefined ? error : fileError(error, 'write', target);
  }
}

interface AddFileOptions extends Pick<NewFileOptions, 'fsync' | 'modifiedMs'> {
  /** Default true. */
  readonly makesParents?: boolean;
}

/**
 * Writes `bytes` to the new file `target`, and creates its folder if it is missing (without `makesParents`, only
 * if the parent of that folder exists). Durable when it resolves. It retries if another server removed the empty
 * folder meanwhile. Throws like `writeNewFile`.
 */
export async function addFile(
  target: string,
  bytes: Uint8Array,
  { makesParents, ...options }: AddFileOptions,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await makeFolder(dirname(target), { fsync: true }, makesParents);
    try {
      await writeNewFile(target, [toStored(target, bytes)], options);
      return await confirmNames(dirname(dirname(target)), `${target} was written`, options);
    } catch (error) {
      const isSwept = isAppError(error) && error.details?.['errno'] === 'ENOENT';
      if (!isSwept || attempt === MAX_TRIES) throw error;
    }
  }
}

/**
 * Like `writeNewFile`, for a file of a store: it is sealed if the store is encrypted. TOO_LARGE if it is too
 * large for that.
 */
export async function writeNewStoredFile(
  target: string,
  chunks: AsyncIterable<Uint8Array>,
  durability: Durability,
): Promise<void> {
  const isSealed = isSealedWhole(target);
  const stored = isSealed ? [toStored(target, await allOf(chunks, target))] : chunks;
  await writeNewFile(target, stored, durability);
}

async function allOf(chunks: AsyncIterable<Uint8Array>, target: string): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of chunks) {
    sizeBytes += part.byteLength;
    if (sizeBytes > MAX_SEALED_BYTES) {
      throw new AppError(
        'TOO_LARGE',
        `${target} is too large to be encrypted. It was not written.`,
      );
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/**
 * Writes and fsyncs `chunks` to a temporary file beside `target` and returns its path. The caller renames
 * it. STORAGE_FULL, FILESYSTEM_ERROR, and whatever `chunks` throws; then the file is removed.
 */
export async function stageFile(
  target: string,
  chunks: AsyncIterable<Uint8Array | string>,
  options: NewFileOptions,
): Promise<string> {
  const stage = temporaryName();
  return naming(target, () =>
    inFolder(dirname(target), async (folder) => {
      try {
        await fill(await createHandleIn(folder, stage), target, chunks, options);
        return join(folder.realPath, stage);
      } catch (error) {
        removeQuietly(folder.at(stage));
        throw error;
      }
    }),
  );
}

/** Writes the chunks, checks the size, fsyncs, and closes the file. */
async function fill(
  handle: FileHandle,
  target: string,
  chunks: Chunks,
  { fsync, signal }: NewFileOptions,
): Promise<number> {
  try {
    let sizeBytes = 0;
    for await (const bytes of gathered(chunks)) {
      signal?.throwIfAborted();
      await writeAll(handle, bytes, target);
      sizeBytes += bytes.byteLength;
    }
    const { size } = await handle.stat();
    if (size !== sizeBytes) throw diskFullError(target, size, sizeBytes);
    if (fsync) await handle.sync();
    return sizeBytes;
  } finally {
    await handle.close();
  }
}

async function* gathered(chunks: Chunks): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of chunks) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    waiting.push(bytes);
    sizeBytes += bytes.byteLength;
    if (sizeBytes < WRITE_BYTES) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    sizeBytes = 0;
  }
  if (sizeBytes > 0) yield Buffer.concat(waiting);
}

async function writeAll(handle: FileHandle, bytes: Uint8Array, target: string): Promise<void> {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.byteLength - done);
    if (bytesWritten === 0) throw diskFullError(target, done, bytes.byteLength);
    done += bytesWritten;
  }
}

/**
 * Gives the file `stage` the name `target`. Uses a hard link, which fails if the name exists. A rename would
 * replace the file.
 */
export async function publish(stage: string, folder: PinnedFolder, target: string): Promise<void> {
  const to = folder.at(basename(target));
  try {
    linkSync(stage, to);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw alreadyExistsError(target);
    if (!isWithoutLinks(error)) throw error;
    if (lstatSync(to, { throwIfNoEntry: false }) !== undefined) throw alreadyExistsError(target);
    await renameWithRetry(stage, to);
  }
}
