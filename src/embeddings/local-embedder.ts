/**
 * Embeddings on this machine, by all-MiniLM-L6-v2 or by a sentence model in a folder that the user named
 * (`model.onnx`, `tokenizer.json`). all-MiniLM-L6-v2 is converted once to an ONNX model with 8-bit weights,
 * which is stored in the cache folder. A vector is the mean of the token vectors, scaled to length 1, as in
 * sentence-transformers.
 */
import { join } from 'node:path';
import { AppError, isAppError } from '../base/errors.js';
import { sha256Hex } from '../base/ids.js';
import { numberIn, objectIn } from '../base/json-fields.js';
import { atomicWrite, makeFolder } from '../files/atomic/atomic-write.js';
import { parseDocument, readWhole } from '../files/read/json-doc.js';
import { type Embedder, normalized } from './embedder.js';
import { bertModel } from './model/bert-to-onnx.js';
import type { PackageLoader, Runtime, Session } from './model/package-loader.js';
import { tensorsIn } from './model/safetensors.js';

export interface LocalEmbedderOptions {
  readonly packages: PackageLoader;
  /** Folder of the converted model. It may be deleted at any time. */
  readonly cacheFolder: string;
  /** Folder of another sentence model. */
  readonly modelFolder?: string | undefined;
}

const BUILT_IN_MODEL = 'all-MiniLM-L6-v2';
/** Part of the file name of the converted model. It grows when bert-to-onnx.ts writes another graph. */
const GRAPH_VERSION = 1;
const WEIGHTS_FILE = 'model.fp16.safetensors';
/** Longest text in the training of all-MiniLM-L6-v2. Most passages are shorter. */
const MAX_TOKENS = 256;
/** Model files in such a folder; the first that exists is used. */
const MODEL_FILES = ['model.onnx', 'onnx/model_quantized.onnx', 'onnx/model.onnx'];

interface ModelFiles {
  readonly name: string;
  readonly model: Uint8Array;
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
}

/** NOT_CONFIGURED (packages or folder missing), CORRUPT (unusable model) or FILESYSTEM_ERROR. */
export async function openLocalEmbedder(options: LocalEmbedderOptions): Promise<Embedder> {
  const { packages, modelFolder } = options;
  const { runtime } = packages.runtime();
  const files = await (modelFolder === undefined
    ? builtInFiles(options)
    : filesInFolder(modelFolder));
  const { Tokenizer } = packages.tokenizers();
  const tokenizer = new Tokenizer(files.tokenizer, files.tokenizerConfig);
  const session = await createSession(runtime, files);
  return {
    model: files.name,
    identity: `${files.name} ${sha256Hex(files.model).slice(0, 16)}`,
    async embed(texts, signal) {
      if (signal?.aborted) throw new AppError('CANCELLED', 'The embedding was cancelled.');
      const encoded = texts.map((text) => shortenedIds(tokenizer.encode(text).ids));
      return run(runtime, session, encoded);
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
    throw new AppError(
      'CORRUPT',
      `The model ${name} cannot be loaded: its file is damaged or not an ONNX model.`,
      { cause },
    );
  }
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
    return normalized(sum);
  });
}

/** From the cache, or by converting the weights of the package, which takes some seconds. */
async function builtInFiles({ packages, cacheFolder }: LocalEmbedderOptions): Promise<ModelFiles> {
  const folder = await packages.weightsFolder();
  const tokenizer = await jsonIn(join(folder, 'tokenizer.json'));
  const path = join(cacheFolder, `${BUILT_IN_MODEL}-int8-v${GRAPH_VERSION}.onnx`);
  const common = { name: BUILT_IN_MODEL, tokenizer, tokenizerConfig: {} };
  const kept = await readWhole(path);
  if (kept !== undefined && (await hasStoredHash(path, kept.bytes)))
    return { ...common, model: kept.bytes };
  const model = await convertWeights(folder);
  await makeFolder(cacheFolder, { fsync: false });
  await atomicWrite(path, model, { fsync: true });
  await atomicWrite(`${path}.sha256`, Buffer.from(`${sha256Hex(model)}\n`), { fsync: true });
  return { ...common, model };
}

async function hasStoredHash(path: string, bytes: Uint8Array): Promise<boolean> {
  const kept = await readWhole(`${path}.sha256`);
  return kept?.bytes.toString().trim() === sha256Hex(bytes);
}

async function convertWeights(folder: string): Promise<Uint8Array> {
  const weights = await readWhole(join(folder, WEIGHTS_FILE));
  if (weights === undefined) throw missing(join(folder, WEIGHTS_FILE));
  const config = objectIn(await jsonIn(join(folder, 'config.json')));
  const number = (name: string, usual: number) => numberIn(config[name]) ?? usual;
  return bertModel(tensorsIn(weights.bytes), {
    layers: number('num_hidden_layers', 6),
    hidden: number('hidden_size', 384),
    heads: number('num_attention_heads', 12),
    epsilon: number('layer_norm_eps', 1e-12),
  });
}

async function filesInFolder(folder: string): Promise<ModelFiles> {
  for (const name of MODEL_FILES) {
    const found = await readWhole(join(folder, name));
    if (found === undefined) continue;
    return {
      name: folder.split(/[/\\]/).at(-1) ?? folder,
      model: found.bytes,
      tokenizer: await jsonIn(join(folder, 'tokenizer.json')),
      tokenizerConfig: await jsonIn(join(folder, 'tokenizer_config.json')).catch(emptyIfMissing),
    };
  }
  throw missing(join(folder, 'model.onnx'));
}

function emptyIfMissing(error: unknown): object {
  if (isAppError(error, 'NOT_CONFIGURED')) return {};
  throw error;
}

async function jsonIn(path: string): Promise<object> {
  const found = await readWhole(path);
  if (found === undefined) throw missing(path);
  try {
    return objectIn(parseDocument(found.bytes, path, 'CORRUPT'));
  } catch (cause) {
    if (!isAppError(cause)) throw cause;
    throw new AppError(cause.code, cause.message, {
      hint: 'Copy the files of the model into its folder again.',
      details: { ...cause.details },
      cause,
    });
  }
}

function missing(path: string): AppError {
  return new AppError('NOT_CONFIGURED', `The model has no file ${path}.`, {
    hint: 'Set DAYBOOK_EMBEDDINGS_MODEL to a folder with model.onnx and tokenizer.json.',
    details: { path },
  });
}
