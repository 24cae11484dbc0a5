/**
 * Embeddings on this machine, by the model that model-files.ts reads. A vector is the mean of the token vectors,
 * scaled to length 1, as in sentence-transformers.
 */
import { AppError, isAppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { type Embedder, normalized } from './embedder.js';
import { type ModelFiles, type ModelSource, readModelFiles } from './model/model-files.js';
import type { Runtime, Session, TokenizerLibrary } from './model/package-loader.js';

/** Longest text in the training of all-MiniLM-L6-v2. Most passages are shorter. */
const MAX_TOKENS = 256;

/** NOT_CONFIGURED (packages or folder missing), CORRUPT (unusable model) or FILESYSTEM_ERROR. */
export async function openLocalEmbedder(source: ModelSource): Promise<Embedder> {
  const { packages } = source;
  const { runtime } = packages.runtime();
  const files = await readModelFiles(source);
  const tokenizer = createTokenizer(packages.tokenizers(), files);
  const session = await createSession(runtime, files);
  return {
    model: files.name,
    identity: `${files.name} ${sha256Hex(files.model).slice(0, 16)}`,
    async embed(texts, signal) {
      if (signal?.aborted) throw new AppError('CANCELLED', 'The embedding was cancelled.');
      try {
        const encoded = texts.map((text) => shortenedIds(tokenizer.encode(text).ids));
        return await run(runtime, session, encoded);
      } catch (cause) {
        throw isAppError(cause)
          ? cause
          : unusable(files, 'it does not make vectors of texts', cause);
      }
    },
    close: () => session.release(),
  };
}

async function createSession(runtime: Runtime, { model, name }: ModelFiles): Promise<Session> {
  try {
    return await runtime.InferenceSession.create(model, {
      intraOpNumThreads: 1, // leaves the other cores to the server's other work
      logSeverityLevel: 3,
    });
  } catch (cause) {
    throw unusable({ name }, 'its file is damaged or not an ONNX model', cause);
  }
}

function createTokenizer({ Tokenizer }: TokenizerLibrary, files: ModelFiles) {
  try {
    return new Tokenizer(files.tokenizer, files.tokenizerConfig);
  } catch (cause) {
    throw unusable(files, 'its file tokenizer.json is not one of a model', cause);
  }
}

function unusable({ name }: Pick<ModelFiles, 'name'>, problem: string, cause?: unknown): AppError {
  return new AppError('CORRUPT', `The model ${name} cannot be used: ${problem}.`, {
    hint: 'Copy the files of the model again, or set DAYBOOK_EMBEDDINGS_MODEL to the folder of another one. daybook embeddings shows whether a model can be used.',
    cause,
  });
}

/** Keeps the last token, which marks the end of the text. */
function shortenedIds(ids: readonly number[]): number[] {
  if (ids.length <= MAX_TOKENS) return [...ids];
  return [...ids.slice(0, MAX_TOKENS - 1), ...ids.slice(-1)];
}

async function run(
  runtime: Runtime,
  session: Session,
  encoded: readonly (readonly number[])[],
): Promise<Float32Array[]> {
  const width = Math.max(1, ...encoded.map(({ length }) => length));
  const dims = [encoded.length, width];
  const ids = new BigInt64Array(encoded.length * width);
  const mask = new BigInt64Array(encoded.length * width);
  for (const [row, tokens] of encoded.entries()) {
    for (const [at, id] of tokens.entries()) {
      ids[row * width + at] = BigInt(id);
      mask[row * width + at] = 1n;
    }
  }
  const inputs: Record<string, BigInt64Array> = {
    input_ids: ids,
    attention_mask: mask,
    token_type_ids: new BigInt64Array(ids.length),
  };
  const feeds = session.inputNames.map((name) => [
    name,
    new runtime.Tensor('int64', inputs[name] ?? new BigInt64Array(ids.length), dims),
  ]);
  const output = await session.run(Object.fromEntries(feeds));
  return meanVectors(output['last_hidden_state'] ?? Object.values(output)[0], encoded);
}

function meanVectors(
  output: { readonly data: unknown; readonly dims: readonly number[] } | undefined,
  encoded: readonly (readonly number[])[],
): Float32Array[] {
  const [, width = 0, hidden = 0] = output?.dims ?? [];
  const data = output?.data;
  if (!(data instanceof Float32Array) || hidden === 0) {
    throw new AppError(
      'CORRUPT',
      'The model returns no vectors for the tokens. Daybook needs a model for sentence embeddings.',
    );
  }
  return encoded.map((tokens, row) => {
    const sum = new Float32Array(hidden);
    for (let at = 0; at < tokens.length; at += 1) {
      const from = (row * width + at) * hidden;
      for (let d = 0; d < hidden; d += 1) sum[d] = (sum[d] ?? 0) + (data[from + d] ?? 0);
    }
    if (sum.every(Number.isFinite)) return normalized(sum);
    throw new AppError(
      'CORRUPT',
      'The model returns vectors with infinite numbers or with values that are no numbers.',
    );
  });
}
