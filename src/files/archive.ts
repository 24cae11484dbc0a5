/**
 * Archives (`.tar.gz`) as streams of whole files: the format that every system opens without us.
 * Each entry is one plain file, held in memory while it passes; what the files mean is not known here.
 * Reading believes nothing: gzip's checksum, tar's checksums and the sizes are all held to.
 */
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { createTarDecoder, createTarPacker, type TarPackController } from 'modern-tar';
import { AppError, errnoOf, isAppError } from '../base/errors.js';
import { FILE_MODE } from './atomic-write.js';
import { fileError, reporting } from './file-errors.js';
import { MAX_DOCUMENT_BYTES } from './json-doc.js';

export interface ArchiveFile {
  /** Relative, with `/`. When reading: as the archive has it, to be checked before it becomes a path. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly modifiedMs: number;
}

/** The bytes of an archive of `files`, made as they are asked for. Throws whatever `files` throws. */
export async function* archiveOf(files: AsyncIterable<ArchiveFile>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker();
  const gzip = createGzip();
  const packing = pack(files, controller);
  const flowing = pipeline(Readable.fromWeb(readable as never), gzip);
  flowing.catch(() => undefined); // told by `gzip` below
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
      const header = { name, size: bytes.byteLength, mode: FILE_MODE, mtime: new Date(modifiedMs) };
      const writer = to.add(header).getWriter();
      if (bytes.byteLength > 0) await writer.write(bytes);
      await writer.close();
    }
    to.finalize();
  } catch (error) {
    to.error(error);
  }
}

export const isArchiveName = (path: string): boolean => /\.(tar\.gz|tgz)$/i.test(path);

/** Whether the file begins like an archive or is called one. FILESYSTEM_ERROR, also where there is none. */
export async function isArchive(path: string): Promise<boolean> {
  return reporting('read', path, async () => {
    const handle = await open(path, 'r');
    try {
      const { buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
      return (buffer[0] === 0x1f && buffer[1] === 0x8b) || isArchiveName(path);
    } finally {
      await handle.close();
    }
  });
}

/**
 * The files of an archive in its order. CORRUPT where it is damaged, cut short, no archive at all or
 * holds anything but plain files and folders; FILESYSTEM_ERROR where it cannot be read.
 */
export async function* readArchive(path: string): AsyncGenerator<ArchiveFile> {
  const gunzip = createGunzip();
  const flowing = pipeline(createReadStream(path), gunzip);
  flowing.catch(() => undefined); // told by `gunzip` below
  try {
    const entries = (Readable.toWeb(gunzip) as ReadableStream<Uint8Array>).pipeThrough(
      createTarDecoder({ strict: true }),
    );
    for await (const { header, body } of entries as unknown as AsyncIterable<Entry>) {
      const { name, size, type = 'file', mtime } = header;
      if (type !== 'file' && type !== 'directory') throw damaged(path, `${name} is a ${type}`);
      if (size > MAX_DOCUMENT_BYTES) throw damaged(path, `${name} is larger than 256 MB`);
      const bytes = await bytesOf(body);
      if (type === 'file') yield { name, bytes, modifiedMs: mtime?.getTime() ?? 0 };
    }
    await flowing; // gzip's checksum stands at the very end, after the last entry
  } catch (error) {
    throw readError(error, path);
  } finally {
    gunzip.destroy();
    await Promise.allSettled([flowing]);
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

/** Faults of the system have names such as EIO; everything else is what the decoders found. */
function readError(error: unknown, path: string): unknown {
  if (isAppError(error)) return error;
  if (/^E[A-Z]+$/.test(errnoOf(error) ?? '')) return fileError(error, 'read', path);
  return damaged(path, error instanceof Error ? error.message : 'it cannot be read', error);
}

function damaged(path: string, problem: string, cause?: unknown): AppError {
  return new AppError('CORRUPT', `The archive ${path} is damaged: ${problem}.`, {
    hint: 'Nothing was taken from it. Use another backup.',
    details: { path, problem },
    cause,
  });
}
