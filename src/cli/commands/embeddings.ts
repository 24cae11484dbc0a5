/** `daybook embeddings`: installs and removes the large packages of the local model, and makes vectors. */

import { join } from 'node:path';
import { openEmbedder, packagesFolder } from '../../app/services/embeddings.js';
import { systemClock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { Config } from '../../config/config.js';
import { PACKAGES } from '../../embeddings/model/package-loader.js';
import { removeFolder } from '../../files/paths/folders.js';
import { folderSize } from '../../files/read/folder-size.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { installPackages } from '../install-packages.js';
import { configuration, type Flags } from '../options/configuration.js';
import { type ConsentOptions, report } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { withApp } from '../with-app.js';

const PROBE = 'The south wall gets a raised bed.';

/** Installs and prepares the local model, and makes one vector with it. */
export async function enableEmbeddings(options: ConsentOptions, flags: Flags): Promise<void> {
  const config = configuration(flags);
  const isInstalled = await installPackages({
    packages: PACKAGES,
    folder: packagesFolder(config),
    size: 'about 340 MB on disk',
    yes: options.yes,
  });
  if (!isInstalled) return;
  const facts = await probe(withLocalModel(config));
  const next = config.embeddings.mode === 'off' ? ' To use it, set DAYBOOK_EMBEDDINGS=local.' : '';
  report(facts, options.json, () => console.log(`The model ${facts.model} is ready.${next}`));
}

/** Exit status 1 if the configured model cannot be used. */
export async function embeddingsStatus(options: ConsentOptions, flags: Flags): Promise<void> {
  const config = configuration(flags);
  const { mode } = config.embeddings;
  const sizes = {
    packages: await folderSize(packagesFolder(config)),
    vectors: await folderSize(join(config.cacheFolder, 'vectors')),
  };
  if (mode === 'off') {
    report({ mode, sizes }, options.json, () => console.log('Embeddings: off.'));
    return;
  }
  try {
    const facts = { mode, ...(await probe(config)), sizes };
    report(facts, options.json, () =>
      console.log(`Embeddings: ${mode}, model ${facts.model}, ready.`),
    );
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, hint } = error;
    process.exitCode = NOTHING_FOUND;
    report({ mode, sizes, problem: { code, message, hint } }, options.json, () =>
      console.log(`Embeddings: ${mode}, which cannot be used: ${message}\n  ${hint}`),
    );
  }
}

/** Makes missing vectors, as a running server does in the background. After Ctrl-C finished ones are kept. */
export async function updateEmbeddings(options: ConsentOptions, flags: Flags): Promise<void> {
  await withApp(
    flags,
    async ({ embeddings }, signal) => {
      const done = await withProgressBar((show) =>
        embeddings.embedAll(
          ({ embedded, passages }) =>
            show({ progress: embedded, total: passages, message: 'passages' }),
          signal,
        ),
      );
      const { model = '', embedded, passages } = done;
      report({ model, embedded, passages }, options.json, () =>
        console.log(`${countOf(passages, 'passage')}: each has a vector of the model ${model}.`),
      );
    },
    { isReading: true, writesElsewhere: true },
  );
}

/** Removes the packages, the model and all vectors; conversations are not changed. */
export async function disableEmbeddings(options: ConsentOptions, flags: Flags): Promise<void> {
  const config = configuration(flags);
  await removeFolder(join(config.cacheFolder, 'embeddings'));
  await removeFolder(join(config.cacheFolder, 'vectors'));
  const isSet = config.embeddings.mode !== 'off';
  report({ removed: true, mode: config.embeddings.mode }, options.json, () =>
    console.log(
      `The packages, the model and the vectors are removed.${isSet ? ' DAYBOOK_EMBEDDINGS is still set: remove this setting.' : ''}`,
    ),
  );
}

const withLocalModel = (config: Config): Config => ({
  ...config,
  embeddings: { ...config.embeddings, mode: 'local' },
});

/** Asks the model for the vector of a fixed text. Throws what the model throws. */
async function probe(config: Config): Promise<{ model: string; dimensions: number }> {
  const embedder = await openEmbedder(config, systemClock);
  try {
    const [vector] = await embedder.embed([PROBE]);
    return { model: embedder.model, dimensions: vector?.length ?? 0 };
  } finally {
    await embedder.close();
  }
}
