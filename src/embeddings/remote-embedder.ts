/** Embeddings from a server that the user named in the settings. */
import { createEmbeddings, type EmbeddingsOptions } from '../providers/llm/embeddings.js';
import { type Embedder, normalized } from './embedder.js';

export function createRemoteEmbedder(options: EmbeddingsOptions): Embedder {
  const request = createEmbeddings(options);
  return {
    model: options.model,
    identity: `${options.endpoint.replace(/\/+$/, '')} ${options.model}`,
    embed: async (texts, signal) => (await request(texts, signal)).map(normalized),
    close: async () => undefined,
  };
}
