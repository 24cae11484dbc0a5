/**
 * The model on this machine. What needs its packages (340 MB, bench/model/package.json) runs where they are
 * installed, in CI among others; what must hold without them runs everywhere.
 */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openLocalEmbedder } from '../../src/embeddings/local-embedder.js';
import { ELEMENT, OnnxGraph } from '../../src/embeddings/model/onnx-format.js';
import { createPackageLoader } from '../../src/embeddings/model/package-loader.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

process.env['ORT_DISABLE_TELEMETRY'] = '1';

const BENCH = resolve(import.meta.dirname, '../../bench/model');
const CLI = resolve(import.meta.dirname, '../../dist/cli/main.js');
const isInstalled = existsSync(join(BENCH, 'node_modules', 'onnxruntime-node'));

/** A model whose vectors have one number, which is 0/0. */
function modelOfNaN(): Uint8Array {
  const graph = new OnnxGraph();
  const ids = graph.op('Cast', ['input_ids'], { to: ELEMENT.float });
  const zero = graph.op('Sub', [ids, ids]);
  const axes = graph.tensor('axes', ELEMENT.int64, [1], BigInt64Array.of(2n));
  graph.named('Unsqueeze', [graph.op('Div', [zero, zero]), axes], 'last_hidden_state');
  const dims = ['batch', 'sequence'];
  return graph.model(
    { input_ids: { element: ELEMENT.int64, dims } },
    { last_hidden_state: { element: ELEMENT.float, dims: [...dims, 1] } },
  );
}

describe('a local model', () => {
  it('that is not installed fails with the command that installs it', async () => {
    const folder = tempFolder();
    const packages = createPackageLoader(folder);
    const error = await errorOf(openLocalEmbedder({ packages, cacheFolder: folder }));
    expect(error.code).toBe('NOT_CONFIGURED');
    expect(error.hint).toContain('daybook embeddings enable');
  });
});

describe.runIf(isInstalled)('all-MiniLM-L6-v2', () => {
  const open = (cacheFolder: string, modelFolder?: string) =>
    openLocalEmbedder({ packages: createPackageLoader(BENCH), cacheFolder, modelFolder });

  it('gives the likenesses that its makers publish, and is written once', async () => {
    const folder = tempFolder();
    const embedder = await open(folder);
    const texts = [
      'That is a happy person',
      'That is a happy dog',
      'That is a very happy person',
      'Today is a sunny day',
    ];
    const [person, ...others] = await embedder.embed(texts);
    const cosines = others.map((other) =>
      other.reduce((sum, value, d) => sum + value * (person?.[d] ?? 0), 0),
    );
    // The weights are int8 here, and processors round those differently: 0.031 was seen.
    for (const [at, published] of [0.695, 0.943, 0.257].entries()) {
      expect(Math.abs((cosines[at] ?? 0) - published)).toBeLessThan(0.05);
    }
    expect(person).toHaveLength(384);
    await embedder.close();

    const file = join(folder, 'all-MiniLM-L6-v2-int8-v1.onnx');
    const bytes = readFileSync(file);
    expect(bytes.length).toBeLessThan(26_000_000);
    writeFileSync(file, bytes.subarray(0, 1_000_000)); // a disk that was full
    const again = await open(folder);
    expect(again.identity).toBe(embedder.identity);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    await again.close();
  });

  it('sends no telemetry and leaves no id of this machine', () => {
    const cache = tempFolder();
    const packages = join(cache, 'daybook', 'embeddings', 'packages', 'node_modules');
    mkdirSync(packages, { recursive: true });
    const source = join(BENCH, 'node_modules');
    cpSync(join(source, '@lat.md'), join(packages, '@lat.md'), { recursive: true });
    for (const name of ['onnxruntime-node', '@huggingface']) {
      symlinkSync(join(source, name), join(packages, name), 'junction');
    }
    // With `CI`, ONNX Runtime sends nothing in any case.
    const { CI: _ci, ORT_DISABLE_TELEMETRY: _set, ...rest } = process.env;
    const env = { ...rest, XDG_CACHE_HOME: cache, DAYBOOK_EMBEDDINGS: 'local' };
    const { stdout } = spawnSync(
      process.execPath,
      [CLI, '--root', join(cache, 'root'), 'embeddings'],
      { env, encoding: 'utf8' },
    );
    expect(stdout).toContain('ready');
    expect(readdirSync(cache).sort()).toEqual(['daybook']);
  });

  it('is run by WebAssembly where native code is not allowed, to the same effect', async () => {
    const folder = tempFolder();
    const packages = createPackageLoader(BENCH, ['onnxruntime-web']);
    expect(packages.runtime().name).toBe('onnxruntime-web');
    const web = await openLocalEmbedder({ packages, cacheFolder: folder });
    const native = await open(folder);
    expect(web.identity).toBe(native.identity);
    const texts = ['The south wall gets a raised bed.', 'Where do tomatoes grow?'];
    const [ours, theirs] = [await web.embed(texts), await native.embed(texts)];
    for (const [at, vector] of ours.entries()) {
      const cosine = vector.reduce((sum, value, d) => sum + value * (theirs[at]?.[d] ?? 0), 0);
      expect(cosine).toBeGreaterThan(0.97);
    }
    await web.close();
    await native.close();
  });

  it('reports the folder of a broken model', async () => {
    const [cache, model] = [tempFolder(), tempFolder()];
    expect((await errorOf(open(cache, model))).code).toBe('NOT_CONFIGURED');
    writeFileSync(join(model, 'model.onnx'), 'no model');
    expect((await errorOf(open(cache, model))).code).toBe('NOT_CONFIGURED');
    const weights = await createPackageLoader(BENCH).weightsFolder();
    writeFileSync(join(model, 'tokenizer.json'), readFileSync(join(weights, 'tokenizer.json')));
    expect((await errorOf(open(cache, model))).code).toBe('CORRUPT');
    writeFileSync(join(model, 'tokenizer.json'), 'no JSON');
    const error = await errorOf(open(cache, model));
    expect([error.code, error.hint]).toEqual(['CORRUPT', expect.stringContaining('the model')]);
  });

  it('reports a tokenizer that cannot be used, and a model that does not read text', async () => {
    const [cache, model] = [tempFolder(), tempFolder()];
    const graph = new OnnxGraph();
    graph.named('Identity', ['pixels'], 'last_hidden_state');
    const image = { element: ELEMENT.float, dims: ['batch', 'width', 3] };
    const bytes = graph.model({ pixels: image }, { last_hidden_state: image });
    writeFileSync(join(model, 'model.onnx'), bytes);
    writeFileSync(join(model, 'tokenizer.json'), '{}');
    expect((await errorOf(open(cache, model))).code).toBe('CORRUPT');
    const weights = await createPackageLoader(BENCH).weightsFolder();
    writeFileSync(join(model, 'tokenizer.json'), readFileSync(join(weights, 'tokenizer.json')));
    for (const graph of [bytes, modelOfNaN()]) {
      writeFileSync(join(model, 'model.onnx'), graph);
      const embedder = await open(cache, model);
      expect((await errorOf(embedder.embed(['A bed of larch.']))).code).toBe('CORRUPT');
      await embedder.close();
    }
  });
});
