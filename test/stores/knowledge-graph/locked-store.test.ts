/** A fact that could not be written, because the store had another key at that moment, is not in memory either. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { AppError } from '../../../src/base/errors.js';
import { readStampNow } from '../../../src/files/read/stamp.js';
import { addStore } from '../../../src/files/sealing/open-stores.js';
import { errorOf } from '../../support/error-of.js';
import { allOf, fact, openGraph } from './graph.js';

it('a fact that was refused with LOCKED can be added again later', async () => {
  const { graph, open, folder } = openGraph();
  await graph.add([fact('Ada')]);
  let isConverted = true;
  const path = join(folder, 'encryption.json');
  const readAgain = () => {
    if (isConverted) throw new AppError('LOCKED', 'The store has another key.');
    return readStampNow(path);
  };
  const paths = { sealed: [], guarded: [], cacheFolder: join(folder, 'cache'), cacheName: 'kg' };
  const marker = { path, stamp: undefined, readAgain };
  onTestFinished(addStore({ paths: { ...paths, lineFiles: [graph.files.wal] }, marker }));
  writeFileSync(path, '{}');
  expect((await errorOf(graph.add([fact('Grace')]))).code).toBe('LOCKED');
  isConverted = false;
  const { triples } = await graph.add([fact('Grace')]);
  expect(triples.map(({ added }) => added)).toEqual([true]);
  expect(await allOf(open())).toHaveLength(2);
});
