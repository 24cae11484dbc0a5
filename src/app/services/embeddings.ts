/** Makes the embeddings: the model, the folder of its vectors, and the source of vectors for recall. */
import { join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import { disableModelTelemetry } from '../../config/environment.js';
import type { Embedder } from '../../embeddings/embedder.js';
import { type EmbeddingProgress, EmbeddingSync } from '../../embeddings/embedding-sync.js';
import { openLocalEmbedder } from '../../embeddings/local-embedder.js';
import { createPackageLoader } from '../../embeddings/model/package-loader.js';
import { passageKey } from '../../embeddings/passage-rows.js';
import { createRemoteEmbedder, remoteIdentity } from '../../embeddings/remote-embedder.js';
import { createVectorSource } from '../../embeddings/stored-vector-source.js';
import { modelFolder } from '../../embeddings/vectors/vector-files.js';
import type { SecretMasker } from '../../privacy/secret-masker.js';
import { passagesOf } from '../../recall/passages.js';
import type { VectorSource } from '../../recall/vector-source.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { vectorsFolder } from '../cache-paths.js';

interface PassageKeys {
  readonly keys: Set<string>;
  readonly isComplete: boolean;
}

export interface EmbeddingParts {
  /** Absent if embeddings are off. */
  readonly vectors?: VectorSource;
  readonly mode: Config['embeddings']['mode'];
  /** `undefined` if embeddings are off. */
  progress(): EmbeddingProgress | undefined;
  /** Loads the vectors from the disk (see `EmbeddingSync.load`). Does nothing if embeddings are off. */
  load(): Promise<void>;
  /** See `EmbeddingSync.embedAll`. Throws VALIDATION_ERROR if embeddings are off. */
  embedAll: EmbeddingSync['embedAll'];
  /** Starts to make vectors in the background. */
  start(): void;
  close(): Promise<void>;
}

interface EmbeddingOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly masker: SecretMasker;
  /** See `AppOptions`. */
  readonly loadsVectors: boolean;
}

export function openEmbeddings(
  config: Config,
  conversations: ConversationStore,
  { clock, log, masker, loadsVectors }: EmbeddingOptions,
): EmbeddingParts {
  const { mode } = config.embeddings;
  if (mode === 'off') {
    const nothing = () => undefined;
    const done = async () => undefined;
    return { mode, progress: nothing, load: done, embedAll: off, start: nothing, close: done };
  }
  const sync = new EmbeddingSync({
    conversations,
    open: () => openEmbedder(config, clock),
    folder: vectorsFolder(config),
    splitPassages: embeddedPassages,
    clock,
    log,
  });
  return {
    mode,
    vectors: createVectorSource(sync, { log, masker, loads: loadsVectors }),
    progress: () => sync.progress,
    load: () => sync.load(),
    embedAll: (onProgress, signal) => sync.embedAll(onProgress, signal),
    start: () => sync.start(),
    close: () => sync.close(),
  };
}

/** None of a message without text: it has no meaning, and servers refuse it with all texts of the request. */
const embeddedPassages = (text: string) => (text.trim() === '' ? [] : passagesOf(text));

async function off(): Promise<never> {
  throw new AppError('VALIDATION_ERROR', 'Embeddings are off.', {
    hint: 'To switch them on, set DAYBOOK_EMBEDDINGS to local, openai or ollama.',
  });
}

/**
 * The keys of all stored passages that can be read, and whether these are all. A vector is stored under the key of
 * its passage.
 */
export async function passageKeys(conversations: ConversationStore): Promise<PassageKeys> {
  const keys = new Set<string>();
  const heads = await conversations.list();
  let isComplete = conversations.damaged().length === 0;
  for (const { conversationId } of heads) {
    try {
      for (const { content } of (await conversations.load(conversationId)).messages) {
        for (const { start, end } of embeddedPassages(content))
          keys.add(passageKey(content.slice(start, end)));
      }
    } catch (error) {
      if (!isAppError(error)) throw error; // the check of conversations reports this file
      isComplete = false;
    }
  }
  return { keys, isComplete };
}

/** The folder with the vectors of the configured model; `undefined` if this is known only when the model is loaded. */
export function usedVectorsFolder(config: Config): string | undefined {
  const { mode, model = '', endpoint } = config.embeddings;
  if (mode === 'off' || mode === 'local') return undefined;
  return modelFolder(vectorsFolder(config), remoteIdentity({ endpoint, model }));
}

/** The folder in which `daybook embeddings enable` installs the packages of the local model. */
export const packagesFolder = ({ cacheFolder }: Config): string =>
  join(cacheFolder, 'embeddings', 'packages');

const missingKey = (mode: string, variable: string) =>
  new AppError('NOT_CONFIGURED', `The key of ${mode} is missing: ${variable} is not set.`, {
    hint: `Set ${variable} in the environment in which the MCP client starts Daybook, or DAYBOOK_EMBEDDINGS_KEY_ENV to the name of another variable.`,
    details: { variable },
  });

/** Opens the configured model. NOT_CONFIGURED without its key, and the errors of `openLocalEmbedder`. */
export async function openEmbedder(config: Config, clock: Clock): Promise<Embedder> {
  const { mode, model, endpoint, keyVariable, apiKey } = config.embeddings;
  if (mode !== 'local' && mode !== 'off') {
    // Without a key, the server would receive the texts and then refuse them.
    if (keyVariable !== undefined && apiKey === undefined) throw missingKey(mode, keyVariable);
    return createRemoteEmbedder({ name: mode, endpoint, model: model ?? '', apiKey, clock });
  }
  disableModelTelemetry();
  return openLocalEmbedder({
    packages: createPackageLoader(packagesFolder(config)),
    cacheFolder: join(config.cacheFolder, 'embeddings'),
    modelFolder: model,
  });
}
