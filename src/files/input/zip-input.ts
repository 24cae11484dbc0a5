/**
 * Reads a zip archive (also zip64) as an import input, with yauzl: first the central directory, then single
 * entries as streams, in bounded memory. Before any entry is read, the central directory is checked: paths
 * that lead out of the archive, links, encryption, and compression ratios of a zip bomb are refused.
 */
import { constants } from 'node:fs';
import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { AppError, errnoOf, isAppError } from '../../base/errors.js';
import { fileError, withFileError } from '../file-errors.js';
import { closeQuietly } from '../safe-access/close-quietly.js';
import { openHandle, openToRead } from '../safe-access/open-regular.js';
import { type Input, type InputFile, isIgnored, type RefusedFile } from './input-types.js';

const MAGIC = Buffer.from('PK\u0003\u0004', 'latin1');
const EMPTY_MAGIC = Buffer.from('PK\u0005\u0006', 'latin1');
/** JSON has a ratio of about 10, very repetitive JSON of about 100; the limit of deflate is 1032. */
const MAX_COMPRESSION_RATIO = 250;
/** Up to this unpacked size, any compression ratio is accepted. */
const UNCHECKED_BYTES = 64 * 1024 * 1024;
const MAX_ENTRIES = 500_000;
const DAMAGED_ENTRY = 'is damaged in the archive';
/** The value of "version made by" for Unix, in the high byte. */
const UNIX = 3;

/** Whether a regular file begins with the magic number of a zip archive. FILESYSTEM_ERROR. */
export async function isZip(path: string): Promise<boolean> {
  const handle = await withFileError('open', path, () => openHandle(path));
  try {
    const start = Buffer.alloc(4);
    await handle.read(start, 0, 4, 0);
    return start.equals(MAGIC) || start.equals(EMPTY_MAGIC);
  } finally {
    await handle.close();
  }
}

/**
 * `path`: the archive as the user gave it; `real`: its absolute path without links. CORRUPT for a damaged
 * archive, PATH_ESCAPE, TOO_LARGE, FILESYSTEM_ERROR.
 */
export async function zipInput(path: string, real: string): Promise<Input> {
  const zip = await openZip(path, real);
  try {
    const { entries, refused } = await listEntries(zip, path);
    requireNoZipBomb(entries, zip.fileSize, path);
    const files = entries.map((entry) => fileOf(zip, entry, path));
    files.sort((a, b) => (a.name < b.name ? -1 : 1));
    return { path, form: 'zip', files, refused, close: async () => zip.close() };
  } catch (error) {
    zip.close();
    throw asDamage(error, path);
  }
}

/** Opens the file here, because yauzl follows links. yauzl closes the file when the archive is closed. */
async function openZip(path: string, real: string): Promise<ZipFile> {
  const { fromFdPromise } = await import('yauzl');
  const { number } = await withFileError('open', path, async () => openToRead(real));
  try {
    // Windows PowerShell 5 writes paths with backslashes; yauzl replaces them, then checks the paths.
    const options = { lazyEntries: true, autoClose: false, strictFileNames: false };
    return await fromFdPromise(number, {
      ...options,
      decodeStrings: true,
      validateEntrySizes: true,
    });
  } catch (error) {
    closeQuietly(number);
    throw asDamage(error, path);
  }
}

async function listEntries(zip: ZipFile, path: string) {
  const entries: Entry[] = [];
  const refused: RefusedFile[] = [];
  const names = new Set<string>();
  if (zip.entryCount > MAX_ENTRIES) throw tooMany(path);
  for await (const entry of zip.eachEntry()) {
    const { fileName: name } = entry;
    if (name.endsWith('/') || isIgnored(name)) continue;
    const reason = refusalOf(entry) ?? (names.has(name) ? 'is in the archive twice' : undefined);
    names.add(name);
    if (reason === undefined) entries.push(entry);
    else refused.push({ name, reason });
  }
  return { entries, refused };
}

function refusalOf(entry: Entry): string | undefined {
  if (entry.isEncrypted()) return 'is encrypted';
  if (!entry.canDecodeFileData())
    return 'is compressed with a method that Daybook does not support';
  const mode = entry.externalFileAttributes >>> 16;
  const kind = mode & constants.S_IFMT;
  const isUnix = entry.versionMadeBy >>> 8 === UNIX;
  if (!isUnix || kind === 0 || kind === constants.S_IFREG) return undefined;
  return kind === constants.S_IFLNK ? 'is a link' : 'is not a regular file';
}

/** Checks each entry, and all entries together, because several entries can use the same compressed bytes. */
function requireNoZipBomb(entries: readonly Entry[], archiveBytes: number, path: string): void {
  const unpacked = entries.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  const worst = entries.find(
    ({ uncompressedSize, compressedSize }) =>
      uncompressedSize > UNCHECKED_BYTES &&
      uncompressedSize > compressedSize * MAX_COMPRESSION_RATIO,
  );
  const isBomb = unpacked > UNCHECKED_BYTES && unpacked > archiveBytes * MAX_COMPRESSION_RATIO;
  if (worst === undefined && !isBomb) return;
  throw new AppError(
    'TOO_LARGE',
    `${path} would have ${unpacked} bytes when it is unpacked, which is too large for an export.`,
    {
      hint: 'Nothing was read. If you trust the archive, unpack it and import the folder.',
      details: { path, unpackedBytes: unpacked, ...(worst && { name: worst.fileName }) },
    },
  );
}

/** An entry is checked when it is first read. A damaged one has no bytes, because its damage may be anywhere. */
function fileOf(zip: ZipFile, entry: Entry, path: string): InputFile {
  let check: Promise<void> | undefined;
  return {
    name: entry.fileName,
    sizeBytes: entry.uncompressedSize,
    modifiedAtMs: entry.getLastModDate().getTime(),
    async *bytes() {
      check ??= requireSoundEntry(zip, entry, path);
      await check;
      yield* entryBytes(zip, entry, path);
    },
  };
}

/** yauzl compares only the size. CORRUPT. */
async function requireSoundEntry(zip: ZipFile, entry: Entry, path: string): Promise<void> {
  let checksum = 0;
  for await (const chunk of entryBytes(zip, entry, path)) checksum = crc32(chunk, checksum);
  if (checksum === entry.crc32) return;
  throw asDamage(new Error('its checksum is wrong'), `${path}/${entry.fileName}`, DAMAGED_ENTRY);
}

async function* entryBytes(zip: ZipFile, entry: Entry, path: string): AsyncGenerator<Uint8Array> {
  let stream: Readable | undefined;
  try {
    stream = await zip.openReadStreamPromise(entry);
    for await (const chunk of stream) yield chunk as Uint8Array;
  } catch (error) {
    throw asDamage(error, `${path}/${entry.fileName}`, DAMAGED_ENTRY);
  } finally {
    stream?.destroy();
  }
}

/** Errors of the system have an errno. All other errors are yauzl's or zlib's and mean a damaged archive. */
function asDamage(error: unknown, path: string, what = 'is a damaged zip archive'): AppError {
  if (isAppError(error)) return error;
  const code = errnoOf(error);
  const isOfZlib = code?.startsWith('Z_') || code?.startsWith('ERR_') || code === undefined;
  if (!isOfZlib) return fileError(error, 'read', path);
  const message = error instanceof Error ? error.message.replace(/\.$/, '') : '';
  if (/relative path|absolute path|invalid characters in fileName/.test(message)) {
    return new AppError(
      'PATH_ESCAPE',
      `${path} has an entry whose path leads out of the archive: ${message}.`,
      {
        hint: 'Nothing was read. Get the export again from its source.',
        details: { path },
        cause: error,
      },
    );
  }
  return new AppError('CORRUPT', `${path} ${what}: ${message}.`, {
    hint: 'Download or copy the archive again.',
    details: { path },
    cause: error,
  });
}

function tooMany(path: string): AppError {
  return new AppError('TOO_LARGE', `${path} has more than ${MAX_ENTRIES} entries.`);
}
