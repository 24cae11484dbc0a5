/** A copy of the files that was made one by one while the graph was compacted. */
import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tempFolder } from '../../support/temp-folder.js';
import { allOf, fact, namesOf, openGraph } from './graph.js';

it('a copied graph has the facts between its old snapshot and a log that follows a newer one', async () => {
  const { graph, folder } = openGraph();
  await graph.add([fact('Ada')]);
  await graph.save();
  await graph.add([fact('Grace')]);
  const copy = tempFolder();
  const take = (name: string) => copyFileSync(join(folder, name), join(copy, name));
  take('kg_snapshot.json');
  await graph.save();
  await graph.add([fact('Alan')]);
  for (const name of readdirSync(folder)) {
    if (name.startsWith('kg_') && name !== 'kg_snapshot.json') take(name);
  }
  const copied = openGraph({}, copy);
  const all = ['Ada|knows|Charles', 'Grace|knows|Charles', 'Alan|knows|Charles'];
  expect(namesOf(await allOf(copied.graph))).toEqual(all);
  expect((await copied.graph.stats()).notices.join()).toContain('kg_wal.previous.log');
  await copied.graph.save();
  await copied.graph.save();
  expect(namesOf(await allOf(copied.open()))).toEqual(all);
});
