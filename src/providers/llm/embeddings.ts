/**
 * Embeddings from servers with OpenAI's API (OpenAI, Ollama, LM Studio, vLLM and others): `POST
 * <endpoint>/embeddings` with a list of texts returns one vector for each text in `data`.
 */
import { numberIn, objectIn, objectsIn } from '../../base/json-fields.js';
import type { LanguageModelOptions } from './create-language-model.js';
import { unusable } from './llm-errors.js';
import { createRetryingClient, headerKey } from './retrying-client.js';

export type EmbeddingsOptions = Omit<LanguageModelOptions, 'kind'>;

export type EmbeddingsRequest = (
  texts: readonly string[],
  signal?: AbortSignal,
) => Promise<Float32Array[]>;

const TIMEOUT_MS = 120_000;

/** Throws like `LanguageModel.complete`, and PROVIDER unless there is one vector for each text. */
export function createEmbeddings(options: EmbeddingsOptions): EmbeddingsRequest {
  const { name, model, apiKey, timeoutMs = TIMEOUT_MS } = options;
  const client = createRetryingClient({ ...options, timeoutMs });
  return async (texts, signal) => {
    const key = headerKey(apiKey, name);
    const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
    // Servers refuse half a surrogate pair, which a text has if a program cut an emoji in two.
    const input = texts.map((text) => text.toWellFormed());
    const body = { model, input, encoding_format: 'float' };
    const reply = objectIn(await client.post('/embeddings', body, headers, { signal }));
    const vectors: (Float32Array | undefined)[] = texts.map(() => undefined);
    for (const item of objectsIn(reply['data'])) {
      const at = numberIn(item['index']);
      if (at !== undefined && at in vectors) vectors[at] = vectorOf(item['embedding']);
    }
    const width = vectors[0]?.length;
    return vectors.map((vector) => {
      if (vector !== undefined && vector.length === width) return vector;
      throw unusable(
        name,
        'an answer that does not have one vector for each text, all of the same length and not zero',
      );
    });
  };
}

function vectorOf(value: unknown): Float32Array | undefined {
  if (!Array.isArray(value) || value.some((number) => typeof number !== 'number')) return undefined;
  // In 32 bits a number may become infinite, or zero.
  const vector = Float32Array.from(value);
  // A vector of zeros has no direction, so it would be as near to every question.
  const isValid = vector.every(Number.isFinite) && vector.some((number) => number !== 0);
  return isValid ? vector : undefined;
}
