/**
 * Compares derived data with the stored files: the caches of the indexes and of statistics, and the vectors.
 */

import {
  checkVectors,
  VectorFiles,
  type VectorFolder,
} from '../../embeddings/vectors/vector-files.js';
import { removeFile } from '../../files/paths/folders.js';
import type { Stamp } from '../../files/read/stamp.js';
import type { CacheCheck, Expected } from '../../search/cache/cache-check.js';
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
      const { conversations, problem, isIncomplete } = await check(path, digests.expected(index));
      countChecked(conversations);
      if (problem === undefined) continue;
      found(badCache(path, `${name} ${problem}`, isIncomplete ? 'note' : 'warning'));
    }
  },
});

const damagedVectors = (path: string): Found => ({
  severity: 'warning',
  path,
  message: 'The file of vectors is damaged.',
  hint: 'No data is lost: daybook doctor --repair removes the file, and the next server makes its vectors again.',
  repair: async () => {
    await removeFile(path);
    return 'The file was removed. The next server makes its vectors again.';
  },
});

const orphans = (
  { path, identity }: VectorFolder,
  count: number,
  passages: Set<string>,
): Found => ({
  severity: 'note',
  path,
  message: `Vectors of texts that are no longer stored: ${count}.`,
  hint: 'A part of a text can be guessed from its vector. daybook doctor --repair removes these vectors.',
  repair: async () => {
    await new VectorFiles(path, identity).removeUnwanted((key) => passages.has(key));
    return 'The vectors were removed.';
  },
});

const unembedded = (path: string, count: number, total: number): Found => ({
  severity: 'note',
  path,
  message: `Passages that have no vector yet: ${count} of ${total}.`,
  hint: 'A server with embeddings makes them in the background. To make them now, run daybook embeddings update.',
});

/** `passageKeys`: returns the keys of the stored texts. It is called only if there are vectors. */
export const vectorCheck = (folder: string, passageKeys: () => Promise<Set<string>>): Check => ({
  name: 'vectors',
  async run({ countChecked, found }) {
    const models: VectorFolder[] = [];
    for await (const model of checkVectors(folder)) {
      countChecked(model.files);
      for (const path of model.damaged) found(damagedVectors(path));
      if (model.keys.size > 0) models.push(model);
    }
    if (models.length === 0) return;
    const passages = await passageKeys();
    for (const model of models) {
      const count = [...model.keys].filter((key) => !passages.has(key)).length;
      if (count > 0) found(orphans(model, count, passages));
    }
    // A model that is no longer used may have fewer vectors, so the best model counts.
    const missing = models.map(({ keys }) => [...passages].filter((key) => !keys.has(key)).length);
    const least = Math.min(...missing);
    if (least > 0) found(unembedded(folder, least, passages.size));
  },
});
