/** What is built from the files, against the files: the cache of the search index, and vectors. */

import {
  checkVectors,
  VectorFiles,
  type VectorFolder,
} from '../../embeddings/vectors/vector-files.js';
import { removeFile } from '../../files/paths/folders.js';
import { checkIndexCache } from '../../search/cache/check-index-cache.js';
import { checkRecallCache } from '../../search/cache/check-recall-cache.js';
import type { Check, Found } from '../check.js';

const wrongCache = (path: string, what: string): Found => ({
  severity: 'warning',
  path,
  message: `The cache of the ${what}.`,
  hint: 'It is only a copy. --repair removes it, and the next server builds it from the files.',
  repair: async () => {
    await removeFile(path);
    return 'It was removed; the next server builds it from the files.';
  },
});

export const indexCheck = (
  cachePath: string | undefined,
  recallPath: string | undefined,
  logsFolder: string,
): Check => ({
  name: 'search index',
  async run({ countChecked, found, signal }) {
    if (cachePath === undefined || recallPath === undefined) return;
    const { conversations, problem } = await checkIndexCache(cachePath, logsFolder, signal);
    countChecked(conversations);
    if (problem !== undefined) found(wrongCache(cachePath, `search index ${problem}`));
    const ofRecall = await checkRecallCache(recallPath, logsFolder, signal);
    countChecked(ofRecall.conversations);
    if (ofRecall.problem !== undefined) {
      found(wrongCache(recallPath, `recall index ${ofRecall.problem}`));
    }
  },
});

const damagedVectors = (path: string): Found => ({
  severity: 'warning',
  path,
  message: 'The file of vectors is damaged.',
  hint: 'It is only a copy. --repair removes it, and the next server embeds its passages again.',
  repair: async () => {
    await removeFile(path);
    return 'It was removed; the next server makes its vectors again.';
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
  hint: 'A part of a text can be guessed from its vector. --repair removes them.',
  repair: async () => {
    await new VectorFiles(path, identity).forget((key) => passages.has(key));
    return 'They were removed.';
  },
});

const unembedded = (path: string, count: number, total: number): Found => ({
  severity: 'note',
  path,
  message: `Passages that have no vector yet: ${count} of ${total}.`,
  hint: 'A server with embeddings makes them in the background; daybook embeddings update makes them now.',
});

/** `passageKeys`: of the texts that are stored. They are read only where there are vectors. */
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
    // The folder of a model that is no longer used may have fewer.
    const missing = models.map(({ keys }) => [...passages].filter((key) => !keys.has(key)).length);
    const least = Math.min(...missing);
    if (least > 0) found(unembedded(folder, least, passages.size));
  },
});
