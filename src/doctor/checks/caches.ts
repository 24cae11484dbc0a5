/** Compares the caches of the indexes and of the figures with the stored conversations. */
import { isFolder, removeFile } from '../../files/paths/folders.js';
import type { Stamp } from '../../files/read/stamp.js';
import type { CacheCheck, Expected } from '../../search/cache/check-cache.js';
import type { ConversationDocument } from '../../stores/conversations/document/document.js';
import type { Check, Found } from '../check.js';

const badCache = (path: string, what: string, severity: Found['severity']): Found => ({
  severity,
  path,
  message: `The cache of the ${what}.`,
  hint: 'No data is lost: daybook doctor --repair removes the cache, and the next server builds it again from the files.',
  repair: async () => {
    await removeFile(path);
    return 'The cache was removed. The next server builds it again from the files.';
  },
});

const folderInstead = (path: string, name: string): Found => ({
  severity: 'warning',
  path,
  message: `A folder is in the place of the cache of the ${name}.`,
  hint: 'No data is lost. Move the folder to another place, so that the next server can write the cache.',
});

/** A cache that is built from the conversations. */
export interface DerivedCache {
  readonly path: string;
  /** Such as `search index`. */
  readonly name: string;
  /** What the cache must have of a conversation. */
  digestOf(document: ConversationDocument): number;
  check(path: string, expected: Expected): Promise<CacheCheck>;
}

/**
 * What the caches must have of the conversations, by the digests of their files. An earlier check reads each
 * file once for all caches.
 */
export class CacheDigests {
  readonly caches: readonly DerivedCache[];
  readonly #read = new Map<
    string,
    { readonly stamp: Stamp; readonly digests: readonly number[] }
  >();

  constructor(caches: readonly DerivedCache[]) {
    this.caches = caches;
  }

  /** Must be called with each conversation that was read. */
  note(stamp: Stamp, document: ConversationDocument): void {
    const digests = this.caches.map((cache) => cache.digestOf(document));
    this.#read.set(document.head.conversationId, { stamp, digests });
  }

  /** For the cache with this index. */
  expected(cache: number): Expected {
    return (conversationId) => {
      const { stamp, digests = [] } = this.#read.get(conversationId) ?? {};
      const digest = digests[cache];
      return stamp === undefined || digest === undefined ? undefined : { stamp, digest };
    };
  }
}

/** Runs after the check that calls `note`. */
export const indexCheck = (digests: CacheDigests): Check => ({
  name: 'search index',
  async run({ countChecked, found, signal }) {
    for (const [index, { path, name, check }] of digests.caches.entries()) {
      signal.throwIfAborted();
      if (await isFolder(path)) {
        found(folderInstead(path, name));
        continue;
      }
      const { conversations, problem, isIncomplete } = await check(path, digests.expected(index));
      countChecked(conversations);
      if (problem === undefined) continue;
      found(badCache(path, `${name} ${problem}`, isIncomplete ? 'note' : 'warning'));
    }
  },
});
