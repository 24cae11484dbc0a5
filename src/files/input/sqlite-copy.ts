/** Copies an SQLite file and its write-ahead log, to which another program may be writing. */
import { sleep } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { writeNewFile } from '../atomic/new-file.js';
import { readStamp } from '../read/stamp.js';
import { regularBytes } from './regular-file.js';
import { type TemporaryFile, writeTemporaryFile } from './temporary-file.js';

/** The header of the database has a counter of changes, that of the write-ahead log has random numbers. */
const HEADER_BYTES = 32;
/** The header of a rollback journal while a transaction is written. SQLite then clears or deletes it. */
const JOURNAL_MAGIC = 'd9d505f920a163d7';
const MAX_TRIES = 10;
const PAUSE_MS = 50;

/**
 * Copies again if the file changed while it was copied, because such a copy has parts of two versions. If it
 * never rests, the last copy is returned. FILESYSTEM_ERROR, STORAGE_FULL.
 */
export async function copyDatabase(path: string): Promise<TemporaryFile> {
  for (let tries = 1; ; tries += 1) {
    const before = await versionAtRest(path);
    const copy = await writeTemporaryFile('copy.db', regularBytes(path));
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
  const header = await unlessAbsent(async () => {
    for await (const part of regularBytes(path)) {
      return Buffer.from(part.subarray(0, HEADER_BYTES)).toString('hex');
    }
    return ''; // the file is empty
  });
  return header ?? '';
}

async function unlessAbsent<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!isAppError(error) || error.details?.['errno'] !== 'ENOENT') throw error;
    return undefined;
  }
}
