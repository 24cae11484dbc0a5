/** Checks the vectors: damaged files, vectors of texts that are no longer stored, and missing vectors. */
import { AppError } from '../../base/errors.js';
import {
  checkVectors,
  removeUnwanted,
  type VectorFolder,
  vectorsLease,
} from '../../embeddings/vectors/vector-files.js';
import { removeFile } from '../../files/paths/folders.js';
import { type Check, type Found, orFinding } from '../check.js';

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
  path: string,
  count: number,
  { folder, passageKeys }: Pick<VectorCheckOptions, 'folder' | 'passageKeys'>,
): Found => ({
  severity: 'note',
  path,
  message: `Vectors of texts that are no longer stored: ${count}.`,
  hint: 'A part of a text can be guessed from its vector. daybook doctor --repair removes these vectors.',
  async repair() {
    const lease = await vectorsLease(folder);
    if (lease === undefined) {
      throw new AppError('LOCKED', 'Another Daybook process is making vectors.', {
        hint: 'Nothing was removed. Run daybook doctor --repair again when that process has finished.',
      });
    }
    try {
      // Read again, because a server may have made vectors of new texts since the examination.
      const { keys, isComplete } = await passageKeys();
      if (!isComplete) return 'Nothing was removed: some conversations cannot be read now.';
      await removeUnwanted(path, keys);
      return 'The vectors were removed.';
    } finally {
      await lease.release();
    }
  },
});

const unembedded = (path: string, count: number, total: number): Found => ({
  severity: 'note',
  path,
  message: `Passages that have no vector yet: ${count} of ${total}.`,
  hint: 'A server with embeddings makes them in the background. To make them now, run daybook embeddings update.',
});

export interface VectorCheckOptions {
  /** It has one folder for each model. */
  readonly folder: string;
  /** The folder of the configured model, if it is known. */
  readonly usedFolder: string | undefined;
  /**
   * Returns the keys of the stored texts that can be read, and whether these are all. It is called only if there are
   * vectors, or if embeddings are on.
   */
  passageKeys(): Promise<{ readonly keys: Set<string>; readonly isComplete: boolean }>;
  readonly isOn: boolean;
}

export const vectorCheck = ({
  folder,
  usedFolder,
  passageKeys,
  isOn,
}: VectorCheckOptions): Check => ({
  name: 'vectors',
  run: ({ countChecked, found }) =>
    orFinding(found, folder, async () => {
      const models: VectorFolder[] = [];
      for await (const model of checkVectors(folder)) {
        countChecked(model.files);
        for (const path of model.damaged) found(damagedVectors(path));
        if (model.keys.size > 0) models.push(model);
      }
      if (models.length === 0 && !isOn) return;
      const { keys: passages, isComplete } = await passageKeys();
      for (const model of models) {
        const count = [...model.keys].filter((key) => !passages.has(key)).length;
        // The text of a vector can be in a conversation that cannot be read now.
        if (count > 0 && isComplete) found(orphans(model.path, count, { folder, passageKeys }));
      }
      // A model that is no longer used may have fewer vectors. If the used one is not known, the best model counts.
      const missing = models
        .filter(({ path }) => usedFolder === undefined || path === usedFolder)
        .map(({ keys }) => [...passages].filter((key) => !keys.has(key)).length);
      const least = Math.min(passages.size, ...missing);
      if (least > 0) found(unembedded(folder, least, passages.size));
    }),
});
