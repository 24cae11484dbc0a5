/** Files of vectors: small ones are merged, and no vector changes by that. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { passageKey } from '../../src/embeddings/passage-rows.js';
import { VectorFiles } from '../../src/embeddings/vectors/vector-files.js';
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
