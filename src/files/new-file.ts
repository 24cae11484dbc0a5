/**
 * Writing a large new file from a stream of chunks: staged beside its target, its length checked,
 * synced, looked at by the caller, and only then given its name, which nothing may have yet.
 * A crash or a full disk at any point leaves no file of that name; what a killed process staged is
 * removed by `sweepStages`. Replacing what is there is `atomic-write.ts`.
 */
import { type FileHandle, link, open, readdir, rename, rm, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AppError, errnoOf, isAppError } from '../base/errors.js';
import { randomHex } from '../base/ids.js';
import {
  type Durability,
  FILE_MODE,
  makeFolder,
  renameWithRetry,
  syncFolder,
} from './atomic-write.js';
import { fileError, reporting, unless } from './file-errors.js';
import { isSurelyDead, ownerName } from './process-identity.js';
import { readStamp } from './stamp.js';

/** Small chunks are gathered to this: a system call costs more than copying it. */
const WRITE_BYTES = 256 * 1024;
/** What file systems without hard links answer. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EACCES'];
const MOST_TRIES = 5;
const STAGE_NAME = /^\.tmp-(.+)-[0-9a-f]{8}$/;

export interface NewFileOptions extends Durability {
  /** Aborted: its reason is thrown and nothing stays. */
  readonly signal?: AbortSignal | undefined;
  /** Looks at the finished file under its staging name; where it throws, nothing stays. */
  check?(stage: string): Promise<void>;
}

/**
 * Makes `target` of all `chunks` and gives its size in bytes; durable when it resolves.
 * ALREADY_EXISTS (then nothing was touched), STORAGE_FULL, FILESYSTEM_ERROR, and whatever `chunks` throws.
 */
export async function writeNewFile(
  target: string,
  chunks: AsyncIterable<Uint8Array | string>,
  options: NewFileOptions,
): Promise<number> {
  const stage = join(dirname(target), `.tmp-${ownerName()}-${randomHex(4)}`);
  if ((await readStamp(target)) !== undefined) throw taken(target);
  try {
    const sizeBytes = await fill(stage, target, chunks, options);
    await options.check?.(stage);
    options.signal?.throwIfAborted();
    await publish(stage, target);
    await syncFolder(dirname(target), options);
    return sizeBytes;
  } catch (error) {
    throw errnoOf(error) === undefined ? error : fileError(error, 'write', target);
  } finally {
    await rm(stage, { force: true }).catch(() => undefined); // swept at a later start otherwise
  }
}

/**
 * The same for one file of these bytes in a folder that is made where it is missing, and again where
 * a server that starts just then cleared it away as empty.
 */
export async function addFile(
  target: string,
  bytes: Uint8Array,
  durability: Durability,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await makeFolder(dirname(target));
    try {
      await writeNewFile(target, once(bytes), durability);
      return await syncFolder(dirname(dirname(target)), durability);
    } catch (error) {
      const isSwept = isAppError(error) && error.details?.['errno'] === 'ENOENT';
      if (!isSwept || attempt === MOST_TRIES) throw error;
    }
  }
}

/**
 * Gives a file another name, in a folder that is there, on the same file system; durable when it
 * resolves. What somebody saves under the old name meanwhile gets the new name too. ALREADY_EXISTS
 * (then nothing was touched). A crash in between leaves it under both names.
 */
export async function renameFile(from: string, to: string, durability: Durability): Promise<void> {
  await reporting('rename', from, async () => {
    await publish(from, to);
    await takeAway(from, to);
  });
  await syncFolder(dirname(to), durability);
  await syncFolder(dirname(from), durability);
}

/** Removes the old name of `to`. Moved aside first: looking at it under its name would be too early. */
async function takeAway(from: string, to: string): Promise<void> {
  const aside = join(dirname(from), `.tmp-${ownerName()}-${randomHex(4)}`);
  const isMoved = await unless(
    ['ENOENT'],
    rename(from, aside).then(() => true),
  );
  if (!isMoved) return;
  const [old, kept] = [await readStamp(aside), await readStamp(to)];
  const isSame = old?.ino === kept?.ino && old?.dev === kept?.dev;
  await (isSame ? unlink(aside) : rename(aside, to));
}

/**
 * Writes `chunks` to a new file beside `target`, synced, for the caller to put in its place: the
 * answer is its path. Where it throws, nothing stays. STORAGE_FULL, FILESYSTEM_ERROR, what `chunks` throws.
 */
export async function stageFile(
  target: string,
  chunks: AsyncIterable<Uint8Array | string>,
  options: NewFileOptions,
): Promise<string> {
  const stage = join(dirname(target), `.tmp-${ownerName()}-${randomHex(4)}`);
  try {
    await fill(stage, target, chunks, options);
    return stage;
  } catch (error) {
    await rm(stage, { force: true }).catch(() => undefined); // swept at a later start otherwise
    throw errnoOf(error) === undefined ? error : fileError(error, 'write', target);
  }
}

async function* once<T>(value: T): AsyncGenerator<T> {
  yield value;
}

/** Removes what dead processes staged in `folder`; nothing of a live one. */
export async function sweepStages(folder: string): Promise<void> {
  const names = (await reporting('list', folder, () => unless(['ENOENT'], readdir(folder)))) ?? [];
  for (const name of names) {
    const owner = STAGE_NAME.exec(name)?.[1];
    if (owner === undefined || !isSurelyDead(owner)) continue;
    await reporting('remove', name, () => rm(join(folder, name), { force: true }));
  }
}

async function fill(
  stage: string,
  target: string,
  chunks: AsyncIterable<Uint8Array | string>,
  { fsync, signal }: NewFileOptions,
): Promise<number> {
  const handle = await open(stage, 'wx', FILE_MODE);
  try {
    await handle.chmod(FILE_MODE); // the umask may have taken bits away
    let sizeBytes = 0;
    for await (const bytes of gathered(chunks)) {
      signal?.throwIfAborted();
      await writeAll(handle, bytes, target);
      sizeBytes += bytes.byteLength;
    }
    if ((await handle.stat()).size !== sizeBytes) throw full(target);
    if (fsync) await handle.sync();
    return sizeBytes;
  } finally {
    await handle.close();
  }
}

async function* gathered(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
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
    if (bytesWritten === 0) throw full(target);
    done += bytesWritten;
  }
}

/** By a hard link, which fails where the name is taken; a rename would replace what is there. */
async function publish(stage: string, target: string): Promise<void> {
  try {
    await link(stage, target);
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') throw taken(target);
    if (!NO_LINKS.includes(errnoOf(error) ?? '')) throw error;
    if ((await readStamp(target)) !== undefined) throw taken(target);
    await renameWithRetry(stage, target);
  }
}

function taken(path: string): AppError {
  return new AppError('ALREADY_EXISTS', `${path} exists already; nothing was written.`, {
    details: { path },
  });
}

function full(path: string): AppError {
  return new AppError('STORAGE_FULL', `Not all bytes of ${path} fitted on the disk.`, {
    details: { path },
  });
}
