/** Archives with many files, and with files that have unusual times. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { archiveOf, readArchive } from '../../src/files/tar-archive.js';
import { tempFolder } from '../support/temp-folder.js';

const FILES = 3000;

async function* files() {
  for (let n = 0; n < FILES; n += 1) {
    yield { name: `${n}.json`, bytes: Buffer.from(`text ${n}`), modifiedMs: 0 };
  }
}

it('a reader can stop at any file of an archive without an uncaught error afterwards', async () => {
  const path = join(tempFolder(), 'made.tar.gz');
  const parts: Uint8Array[] = [];
  for await (const part of archiveOf(files())) parts.push(part);
  writeFileSync(path, Buffer.concat(parts));
  const uncaught: unknown[] = [];
  const listener = (error: unknown) => uncaught.push(error);
  process.on('uncaughtException', listener);
  try {
    for (let end = 25; end < FILES; end += 101) {
      let read = 0;
      for await (const { name } of readArchive(path)) {
        if (name !== `${read}.json`) expect.fail(name);
        read += 1;
        if (read > end - 20) await setTimeout(1); // as long as the disk may take, so that a part is read ahead
        if (read === end) break;
      }
      await setTimeout(1);
    }
  } finally {
    process.off('uncaughtException', listener);
  }
  expect(uncaught).toEqual([]);
});

it('a file with a time that tar cannot store does not damage the archive', async () => {
  const path = join(tempFolder(), 'made.tar.gz');
  const times = [-1, -86_400_000, 8 ** 11 * 1000, 1e17, -1e17, 1_700_000_000_000];
  async function* dated() {
    for (const modifiedMs of times)
      yield { name: `${modifiedMs}.json`, bytes: Buffer.from('text'), modifiedMs };
  }
  const parts: Uint8Array[] = [];
  for await (const part of archiveOf(dated())) parts.push(part);
  writeFileSync(path, Buffer.concat(parts));
  const read: number[] = [];
  for await (const { modifiedMs } of readArchive(path)) read.push(modifiedMs);
  const latest = (8 ** 11 - 1) * 1000;
  expect(read).toEqual([0, 0, latest, latest, 0, 1_700_000_000_000]);
});
