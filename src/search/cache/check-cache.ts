/**
 * Compares what a cache has of each conversation with what was read from its file. Neither is kept in memory:
 * both are reduced to a digest. Changes nothing.
 */
import { crc32 } from 'node:zlib';
import { type Log, silentLog } from '../../base/log.js';
import { countOf } from '../../base/text/display-text.js';
import { isSameStamp, readStamp, type Stamp } from '../../files/read/stamp.js';

/** What a cache has, or must have, of one version of a conversation. */
export interface Digested {
  readonly stamp: Stamp;
  readonly digest: number;
}

/** By the id of the conversation; `undefined` if its file was not read. */
export type Expected = (conversationId: string) => Digested | undefined;

export interface CacheCheck {
  /** Number of conversations in the cache that can be used. */
  readonly conversations: number;
  /** Continues a sentence that begins with "The cache"; absent if there is no cache or it is correct. */
  readonly problem?: string;
  /** The problem is only that conversations are missing, because they changed while the cache was written. */
  readonly isIncomplete?: true;
}

/** A digest of the values of a list, with their number. */
export function digestOf(count: number, values: Float64Array | string): number {
  const bytes =
    typeof values === 'string'
      ? values
      : new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  return count * 2 ** 32 + crc32(bytes);
}

/**
 * Checks the cache at `path`. `read` passes each conversation of the cache to its argument; it returns the
 * number of conversations that the cache should have, or `undefined` if the cache cannot be used. A warning in the
 * log means the same. A
 * conversation whose file has changed since is not compared, because the next start detects it.
 * FILESYSTEM_ERROR.
 */
export async function compareCache(
  path: string,
  expected: Expected,
  read: (
    onCached: (conversationId: string, cached: Digested) => void,
    log: Log,
  ) => Promise<number | undefined>,
): Promise<CacheCheck> {
  if ((await readStamp(path)) === undefined) return { conversations: 0 };
  let conversations = 0;
  let wrong = 0;
  let isDamaged = false;
  const log = { ...silentLog, warn: () => (isDamaged = true) };
  const total = await read((id, { stamp, digest }) => {
    conversations += 1;
    const file = expected(id);
    if (file !== undefined && isSameStamp(file.stamp, stamp) && file.digest !== digest) wrong += 1;
  }, log);
  if (total === undefined || isDamaged) {
    return {
      conversations: 0,
      problem: 'cannot be used: it is damaged, or another version of Daybook wrote it',
    };
  }
  if (wrong > 0)
    return { conversations, problem: `has wrong data for ${countOf(wrong, 'conversation')}` };
  const missing = total - conversations;
  if (missing === 0) return { conversations };
  const problem = `has incomplete data for ${countOf(missing, 'conversation')}, which the next start reads again`;
  return { conversations, problem, isIncomplete: true };
}
