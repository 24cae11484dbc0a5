/** Files of vectors: small ones are merged, and no vector changes by that. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { passageKey } from '../../src/embeddings/passage-rows.js';
import {
  checkVectors,
  removeUnwanted,
  VectorFiles,
} from '../../src/embeddings/vectors/vector-files.js';
import { errorOf } from '../support/error-of.js';
import { tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

it('merges only vectors of one width, if there are two in the folder', async () => {
  const folder = join(tempFolder(), 'model');
  const files = new VectorFiles(folder, 'model');
  const rows = Array.from({ length: 30 }, (_, at) => ({
    key: passageKey(`text ${at}`),
    scale: 0.5,
    values: new Int8Array(at % 10 === 0 ? 4 : 8).fill(at),
  }));
  for (const row of rows) await files.write([row]);
  await files.mergeSmallFiles(async () => new Set(rows.map(({ key }) => key)));
  expect(readdirSync(folder).length).toBeLessThan(30);
  const read = new Map<string, number[]>();
  for await (const file of new VectorFiles(folder, 'model').readNewFiles()) {
    if (file === 'damaged') throw new Error('A file is damaged.');
    for (const { key, values } of file.rows) read.set(key, [...values]);
  }
  expect(read).toEqual(new Map(rows.map(({ key, values }) => [key, [...values]])));
});

it('reads a file again after it could not be read, so that its vectors are not made again', async () => {
  const folder = join(tempFolder(), 'model');
  const row = { key: passageKey('one'), scale: 0.5, values: new Int8Array(8).fill(7) };
  await new VectorFiles(folder, 'model').write([row]);
  const files = new VectorFiles(folder, 'model');
  const read = async () => {
    const keys: string[] = [];
    for await (const file of files.readNewFiles())
      if (file !== 'damaged') keys.push(...file.rows.map(({ key }) => key));
    return keys;
  };
  const restore = await tapFs(folder, {
    before: ({ path }) => (path.endsWith('.vectors') ? { error: 'EMFILE' } : undefined),
  });
  const failed = await errorOf(read()).finally(restore);
  expect(failed.code).toBe('FILESYSTEM_ERROR');
  expect(await read()).toEqual([row.key]);
  expect(await read()).toEqual([]);
});

it.each([
  ['model', '{"toString": null}'],
  ['model', `${'['.repeat(9_000)}${']'.repeat(9_000)}`],
  ['width', '20.25'], // the same size with less than two rows
])('a file whose head has an odd %s is damaged, and the others are read (%#)', async (name, value) => {
  const parent = tempFolder();
  const folder = join(parent, 'model');
  const files = new VectorFiles(folder, 'model');
  const rowOf = (text: string) => ({
    key: passageKey(text),
    scale: 0.5,
    values: new Int8Array(8).fill(7),
  });
  await files.write([rowOf('one'), rowOf('two')]);
  const [odd = ''] = readdirSync(folder);
  const path = join(folder, odd);
  const [head = '', ...body] = readFileSync(path, 'latin1').split('\n');
  const changed = JSON.stringify({ ...JSON.parse(head), [name]: '@', count: '#' })
    .replace('"@"', value)
    .replace('"#"', name === 'width' ? `${56 / 40.25}` : '2');
  writeFileSync(path, Buffer.from([changed, ...body].join('\n'), 'latin1'));
  await files.write([rowOf('three'), rowOf('four')]);
  await removeUnwanted(folder, new Set([rowOf('three').key]));
  const found: unknown[] = [];
  for await (const each of checkVectors(parent)) found.push(each);
  expect(found).toMatchObject([{ keys: new Set([rowOf('three').key]), damaged: [path] }]);
});
