/** What is built from the files, against the files: the cache of the search index, and vectors. */

import { checkVectors } from '../../embeddings/vectors/vector-files.js';
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

export const vectorCheck = (folder: string): Check => ({
  name: 'vectors',
  async run({ countChecked, found }) {
    for await (const { path, isSound } of checkVectors(folder)) {
      countChecked();
      if (isSound) continue;
      found({
        severity: 'warning',
        path,
        message: 'The file of vectors is damaged.',
        hint: 'It is only a copy. --repair removes it, and the next server embeds its passages again.',
        repair: async () => {
          await removeFile(path);
          return 'It was removed; the next server makes its vectors again.';
        },
      });
    }
  },
});
