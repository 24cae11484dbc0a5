/** Copies an SQLite file and its write-ahead log: SQLite needs files to which no other program writes. */
import { firstOf } from '../../base/async/first-of.js';
import { sleep } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import { writeNewFile } from '../atomic/new-file-stream.js';
import { readStamp } from '../read/stamp.js';
import type { InputFile } from './input-types.js';
import { regularBytes } from './regular-file.js';
import { type TemporaryFile, writeTemporaryFile } from './temporary-file.js';

/** The header of the database has a counter of changes, that of the write-ahead log has random numbers. */
const HEADER_BYTES = 32;
/** The header of a rollback journal while a transaction is written. SQLite then clears or deletes it. */
const JOURNAL_MAGIC = 'd9d505f920a163d7';
const MAX_TRIES = 10;
const PAUSE_MS = 50;
/** The copy of a file in an archive may need more space than the user expects. */
const MAX_UNPACKED_BYTES = 4 * 1024 ** 3;

/** An SQLite file of an input, and its write-ahead log if both are in an archive. */
export interface DatabaseFile {
  readonly file: InputFile;
  readonly log?: InputFile | undefined;
}

/** FILESYSTEM_ERROR, STORAGE_FULL; for a file in an archive also TOO_LARGE and CORRUPT. */
export function copyDatabase(database: DatabaseFile): Promise<TemporaryFile> {
  const { diskPath } = database.file;
  return diskPath === undefined ? unpacked(database) : copyFromDisk(diskPath, database.file);
}

/** An archive is refused if a file in it has more bytes than its directory says, so the sizes are true. */
async function unpacked({ file, log }: DatabaseFile): Promise<TemporaryFile> {
  if (file.sizeBytes + (log?.sizeBytes ?? 0) > MAX_UNPACKED_BYTES) {
    throw new AppError('TOO_LARGE', `${file.name} is too large to be read in an archive.`, {
      hint: 'Unpack the archive, then import the folder.',
    });
  }
  const copy = await writeTemporaryFile('copy.db', file.bytes());
  try {
    if (log !== undefined) await writeNewFile(`${copy.path}-wal`, log.bytes(), { fsync: false });
    return copy;
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

/**
 * Copies again if the file changed while it was copied, because such a copy has parts of two versions. If it
 * changes during each try, the last copy is returned. FILESYSTEM_ERROR, STORAGE_FULL.
 */
async function copyFromDisk(path: string, file: InputFile): Promise<TemporaryFile> {
  for (let tries = 1; ; tries += 1) {
    const before = await versionAtRest(path);
    const copy = await writeTemporaryFile('copy.db', file.bytes());
    try {
      await unlessAbsent(() =>
        writeNewFile(`${copy.path}-wal`, regularBytes(`${path}-wal`), { fsync: false }),
      );
      const isWhole = before !== undefined && before === (await versionAtRest(path));
      if (isWhole || tries === MAX_TRIES) return copy;
    } catch (error) {
      await copy.remove();
      throw error;
    }
    await copy.remove();
    await sleep(PAUSE_MS);
  }
}

/**
 * Stays the same while transactions are only added to the end of the write-ahead log. `undefined` while a
 * transaction is written into the file itself.
 */
async function versionAtRest(path: string): Promise<string | undefined> {
  const [journal, ...headers] = await Promise.all(
    [`${path}-journal`, path, `${path}-wal`].map(headerOf),
  );
  if (journal?.startsWith(JOURNAL_MAGIC)) return undefined;
  const stamp = await readStamp(path);
  return [stamp?.size, stamp?.mtimeNs, ...headers].join(' ');
}

/** In hexadecimal digits; empty if there is no such file. */
async function headerOf(path: string): Promise<string> {
  const found = await unlessAbsent(async () => {
    const header = (await firstOf(regularBytes(path)))?.subarray(0, HEADER_BYTES);
    return Buffer.from(header ?? []).toString('hex');
  });
  return found ?? '';
}

async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error) || error.details?.['errno'] !== 'ENOENT') throw error;
    return undefined;
  }
}
