/** What is built from the files, against the files: the cache of the search index, and vectors. */

import { checkVectors } from '../../embeddings/vectors/vector-files.js';
import { removeFile } from '../../files/paths/folders.js';
import { checkIndexCache } from '../../search/cache/check-index-cache.js';
import type { Check } from '../check.js';

export const indexCheck = (cachePath: string | undefined, logsFolder: string): Check => ({
  name: 'search index',
  async run({ countChecked, found, signal }) {
    if (cachePath === undefined) return;
    const { conversations, problem } = await checkIndexCache(cachePath, logsFolder, signal);
    countChecked(conversations);
    if (problem === undefined) return;
    found({
      severity: 'warning',
      path: cachePath,
      message: `The cache of the search index ${problem}.`,
      hint: 'It is only a copy. --repair removes it, and the next server builds it from the files.',
      repair: async () => {
        await removeFile(cachePath);
        return 'It was removed; the next server builds it from the files.';
      },
    });
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
