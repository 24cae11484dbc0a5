/** The log is open only while facts are written, so that its drive can be unmounted. */
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { allOf, fact, openGraph } from './graph.js';

const DESCRIPTORS = '/proc/self/fd';

function isOpen(path: string): boolean {
  return readdirSync(DESCRIPTORS).some((number) => {
    try {
      return readlinkSync(join(DESCRIPTORS, number)) === path;
    } catch {
      return false; // closed meanwhile
    }
  });
}

it.runIf(process.platform === 'linux')(
  'the graph closes its log when there are no writes',
  async () => {
    const { graph, folder } = openGraph();
    const log = join(folder, 'kg_wal.log');
    await graph.add([fact('Ada')]);
    expect(isOpen(log)).toBe(true);
    await expect.poll(() => isOpen(log)).toBe(false);
    await graph.add([fact('Grace')]);
    expect(await allOf(graph)).toHaveLength(2);
  },
);
