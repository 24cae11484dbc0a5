/**
 * The files of a local model: of all-MiniLM-L6-v2, or of a sentence model in a folder that the user named
 * (`model.onnx`, `tokenizer.json`). all-MiniLM-L6-v2 is converted once to an ONNX model with 8-bit weights,
 * which is stored in the cache folder with its SHA-256.
 */
import { join } from 'node:path';
import { AppError, isAppError, withHint } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { numberIn, objectIn } from '../../base/json-fields.js';
import { atomicWrite, makeFolder } from '../../files/atomic/atomic-write.js';
import { parseDocument } from '../../files/read/json-document.js';
import { readWhole } from '../../files/read/whole-file.js';
import { bertModel } from './bert-to-onnx.js';
import type { PackageLoader } from './package-loader.js';
import { tensorsIn } from './safetensors.js';

export interface ModelSource {
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
/** Model files in such a folder; the first that exists is used. */
const MODEL_FILES = ['model.onnx', 'onnx/model_quantized.onnx', 'onnx/model.onnx'];

export interface ModelFiles {
  readonly name: string;
  readonly model: Uint8Array;
  readonly tokenizer: object;
  readonly tokenizerConfig: object;
}

/** NOT_CONFIGURED (a file is missing), CORRUPT or FILESYSTEM_ERROR. */
export function readModelFiles(source: ModelSource): Promise<ModelFiles> {
  const { modelFolder } = source;
  return modelFolder === undefined ? builtInFiles(source) : filesInFolder(modelFolder);
}

/** From the cache, or by converting the weights of the package, which takes some seconds. */
async function builtInFiles({ packages, cacheFolder }: ModelSource): Promise<ModelFiles> {
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
    throw withHint(cause, 'Copy the files of the model into its folder again.');
  }
}

function missing(path: string): AppError {
  return new AppError('NOT_CONFIGURED', `The model has no file ${path}.`, {
    hint: 'Set DAYBOOK_EMBEDDINGS_MODEL to a folder with model.onnx and tokenizer.json.',
    details: { path },
  });
}
