/**
 * Writes and reads archives (`.tar.gz`), which every system can open without Daybook. Each entry is one
 * regular file. Only one file is in memory at a time. The reader checks gzip's checksum, tar's checksums
 * and the sizes. This module does not use the meaning of the files.
 */
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream as NodeStream } from 'node:stream/web';
import { createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder, createTarPacker, type TarPackController } from 'modern-tar';
import { AppError, errnoOf, isAppError } from '../base/errors.js';
import { streamDecrypted } from './age-encryption.js';
import { fileError, withFileError } from './file-errors.js';
import { FILE_MODE } from './private-modes.js';
import { MAX_DOCUMENT_BYTES } from './read/whole-file.js';
import { readGivenStart } from './safe-access/given-file.js';
import { SEALED_FILE_BYTES, sealedFileKey } from './sealing/sealed-form.js';

export interface ArchiveFile {
  /** Relative, with `/`. `readArchive` does not check it: check it before you use it as a path. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly modifiedMs: number;
}

/** Tar has eleven octal digits for the seconds since 1970. A time before 1970 cannot be read back. */
const MAX_TAR_MS = (8 ** 11 - 1) * 1000;

/** Yields the bytes of an archive of `files`. Throws whatever `files` throws. */
export async function* archiveOf(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const gzip = createGzip();
  const packing = pack(files, controller);
  const flowing = pipeline(Readable.fromWeb(readable as never), gzip);
  flowing.catch(() => undefined); // `gzip` below throws it
  try {
    yield* gzip;
    await packing;
  } finally {
    gzip.destroy();
    await Promise.allSettled([packing, flowing]);
  }
}

async function pack(files: AsyncIterable<ArchiveFile>, to: TarPackController): Promise<void> {
  try {
    for await (const { name, bytes, modifiedMs } of files) {
      const mtime = new Date(Math.max(0, Math.min(modifiedMs, MAX_TAR_MS)));
      const header = { name, size: bytes.byteLength, mode: FILE_MODE, mtime };
      const writer = to.add(header).getWriter();
      if (bytes.byteLength > 0) await writer.write(bytes);
      await writer.close();
    }
    to.finalize();
  } catch (error) {
    to.error(error);
  }
}

/** Whether this is the name of an archive, plain or encrypted as an age file. */
export const isArchiveName = (path: string): boolean => /\.(tar\.gz|tgz)(\.age)?$/i.test(path);

/** By gzip's two magic bytes or the name. FILESYSTEM_ERROR if it cannot be read. */
export async function isArchive(path: string): Promise<boolean> {
  return withFileError('read', path, async () => {
    const start = readGivenStart(path, 2);
    return (start[0] === 0x1f && start[1] === 0x8b) || isArchiveName(path);
  });
}

/**
 * Yields the files in the order of the archive. CORRUPT if it is damaged, incomplete, not an archive, or
 * contains an entry that is not a regular file or folder. DECRYPT if it is sealed as one file.
 * FILESYSTEM_ERROR if it cannot be read.
 */
export async function* readArchive(path: string): AsyncGenerator<ArchiveFile> {
  yield* unpacked(openSource(path), path);
}

/** Like `readArchive`, for an archive that is in memory, such as one in a backup. */
export function readArchiveBytes(bytes: Uint8Array, path: string): AsyncGenerator<ArchiveFile> {
  return unpacked(Readable.from([bytes]), path);
}

async function* unpacked(source: Readable, path: string): AsyncGenerator<ArchiveFile> {
  const gunzip = createGunzip();
  const flowing = pipeline(source, gunzip);
  flowing.catch(() => undefined); // `gunzip` below throws it
  try {
    // Not Readable.toWeb, which throws outside of any call if the reading ends while it has data.
    const unzipped = NodeStream.from(gunzip) as ReadableStream<Uint8Array>;
    const entries = unzipped.pipeThrough(createTarDecoder({ strict: true }));
    for await (const { header, body } of entries as unknown as AsyncIterable<Entry>) {
      const { name, size, type = 'file', mtime } = header;
      if (type !== 'file' && type !== 'directory') throw damaged(path, `${name} is a ${type}`);
      if (size > MAX_DOCUMENT_BYTES) throw damaged(path, `${name} is larger than 256 MB`);
      const bytes = await bytesOf(body);
      if (type === 'file') yield { name, bytes, modifiedMs: mtime?.getTime() ?? 0 };
    }
    await flowing; // gzip's checksum comes after the last entry
  } catch (error) {
    throw readError(error, path);
  } finally {
    gunzip.destroy();
    await Promise.allSettled([flowing]);
  }
}

function openSource(path: string): Readable {
  try {
    if (sealedFileKey(readGivenStart(path, SEALED_FILE_BYTES)) !== undefined) throw sealed(path);
    return streamDecrypted(path);
  } catch (error) {
    throw readError(error, path);
  }
}

interface Entry {
  header: { name: string; size: number; type?: string; mtime?: Date };
  body: AsyncIterable<Uint8Array>;
}

async function bytesOf(body: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const part of body) parts.push(part);
  return Buffer.concat(parts);
}

/** Errors of the system have names such as EIO. All other errors come from the decoders. */
function readError(error: unknown, path: string): unknown {
  if (isAppError(error)) return error;
  if (/^E[A-Z]+$/.test(errnoOf(error) ?? '')) return fileError(error, 'read', path);
  const problem = error instanceof Error ? error.message : 'it cannot be read';
  return damaged(path, problem.replace(/\.$/, ''), error);
}

/** Only an attachment in an encrypted store: archives of Daybook are not sealed as a whole. */
const sealed = (path: string) =>
  new AppError(
    'DECRYPT',
    `${path} is an archive that the store encrypted as one file. Daybook does not read the files in it.`,
    { hint: 'Nothing was changed. After daybook decrypt, Daybook reads them.', details: { path } },
  );

function damaged(path: string, problem: string, cause?: unknown): AppError {
  return new AppError('CORRUPT', `The archive ${path} is damaged: ${problem}.`, {
    hint: 'Nothing was restored. Use another backup.',
    details: { path, problem },
    cause,
  });
}
