/** Embeddings from a server that the user named in the settings. */
import { isAppError } from '../base/errors.js';
import {
  createEmbeddings,
  type EmbeddingsOptions,
  type EmbeddingsRequest,
} from '../providers/llm/embeddings.js';
import { type Embedder, normalized } from './embedder.js';

/** If a server refuses a text of this length as too long, the cause is not its length. */
const SURELY_SHORT = 16;
/** Most passages are shorter: at most a little too long for a model that reads 256 tokens. */
const VERY_LONG = 4_000;

export const remoteIdentity = ({
  endpoint,
  model,
}: Pick<EmbeddingsOptions, 'endpoint' | 'model'>) => `${endpoint.replace(/\/+$/, '')} ${model}`;

export function createRemoteEmbedder(options: EmbeddingsOptions): Embedder {
  const request = createEmbeddings(options);
  return {
    model: options.model,
    identity: remoteIdentity(options),
    embed: async (texts, signal) => (await embedShortened(request, texts, signal)).map(normalized),
    close: async () => undefined,
  };
}

/**
 * Of a text that is longer than the model reads, only the beginning is embedded. A server refuses all texts of
 * a request because of one such text, and limits differ. So the long text is found by halving the request, and
 * its limit by trying.
 */
async function embedShortened(
  request: EmbeddingsRequest,
  texts: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Float32Array[]> {
  try {
    return await request(texts, signal);
  } catch (error) {
    const [first = ''] = texts;
    const isShort = texts.length < 2 && first.length <= SURELY_SHORT;
    if (!isAppError(error, 'TOO_LARGE') || isShort) throw error;
    if (texts.length < 2) {
      const share = first.length > VERY_LONG ? 1 / 2 : 3 / 4;
      const beginning = first.slice(0, first.length * share);
      return embedShortened(request, [beginning], signal);
    }
    const half = Math.ceil(texts.length / 2);
    return [
      ...(await embedShortened(request, texts.slice(0, half), signal)),
      ...(await embedShortened(request, texts.slice(half), signal)),
    ];
  }
}
