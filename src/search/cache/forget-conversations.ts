/**
 * Removes the words of conversations from the caches on disk, although no index is in memory. Each cache is read,
 * and written again without these conversations; nothing of the other conversations is read from the files. The
 * cache of the figures has its part in analytics/figures-cache.ts.
 */
import { sleep } from '../../base/clock.js';
import { writeChunks } from '../../files/atomic/chunked-file.js';
import { tryLease } from '../../files/locks/lease.js';
import { readStamp } from '../../files/read/stamp.js';
import { MessageIndex } from '../messages/message-index.js';
import { type CacheFile, removeCache } from './cache-file.js';
import {
  type IndexCacheOptions,
  indexChunks,
  type KnownHead,
  loadIndexCache,
} from './index-cache.js';
import { loadRecallCache, recallChunksOf } from './recall-cache.js';

/** A process writes its cache in a few seconds. */
const WAIT_MS = 10_000;
const POLL_INTERVAL_MS = 100;

/** The chunks of the cache without the conversations `gone`. `undefined` if nothing of it can be used. */
export type Remaining = (
  file: CacheFile,
  gone: ReadonlySet<string>,
) => Promise<Iterable<Uint8Array> | undefined>;

/**
 * Writes the cache again without the conversations `gone`. If that fails, the cache is removed, because it may have
 * their words. Waits while another process writes it. Never throws.
 */
export async function forgetIn(
  file: CacheFile,
  gone: ReadonlySet<string>,
  remaining: Remaining,
): Promise<void> {
  const { path, log } = file;
  try {
    if ((await readStamp(path)) === undefined) return;
    const lease = await leaseOf(path);
    try {
      const chunks = lease && (await remaining(file, gone));
      if (chunks !== undefined) return await writeChunks(path, chunks);
    } finally {
      await lease?.release();
    }
  } catch (error) {
    log.warn({ err: error, path }, 'the index cache could not be written; it is removed');
  }
  await removeCache(file);
}

async function leaseOf(path: string) {
  for (let waitedMs = 0; waitedMs <= WAIT_MS; waitedMs += POLL_INTERVAL_MS) {
    const lease = await tryLease(path);
    if (lease !== undefined) return lease;
    await sleep(POLL_INTERVAL_MS);
  }
  return undefined;
}

export const remainingIndex: Remaining = async (file, gone) => {
  const known: KnownHead[] = [];
  const store: IndexCacheOptions['store'] = {
    seed(stamp, head, parts = {}) {
      if (gone.has(head.conversationId)) return false; // then its documents are deleted
      known.push({ stamp, head, ...parts });
      return true;
    },
    known: () => known,
  };
  const index = new MessageIndex();
  await loadIndexCache({ ...file, index, store });
  return index.text.size === 0 ? undefined : indexChunks({ index, store });
};

export const remainingRecall: Remaining = async (file, gone) => {
  const cache = await loadRecallCache(file);
  if (cache === undefined) return undefined;
  const { vocabulary, conversations } = cache;
  const others = [...conversations].filter(([id]) => !gone.has(id));
  return recallChunksOf(
    others.map(([id, cached]) => ({ id, ...cached })),
    vocabulary,
  );
};
