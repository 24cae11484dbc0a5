/** The chunks of a cache file. A power loss can leave zeros in it, because nothing of it is fsynced. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readChunks, writeChunks } from '../../src/files/atomic/chunked-file.js';
import { tempFolder } from '../support/temp-folder.js';

const CHUNKS = ['first chunk', 'second chunk', 'third chunk'];

async function read(path: string): Promise<string[]> {
  const chunks: string[] = [];
  for await (const chunk of readChunks(path)) chunks.push(chunk.toString());
  return chunks;
}

it('zeros in the place of a chunk end the file', async () => {
  const path = join(tempFolder(), 'cache');
  await writeChunks(
    path,
    CHUNKS.map((text) => Buffer.from(text)),
  );
  expect(await read(path)).toEqual(CHUNKS);
  const whole = readFileSync(path);
  const second = 4 + Buffer.byteLength('first chunk');
  writeFileSync(path, Buffer.from(whole).fill(0, second));
  expect(await read(path)).toEqual(CHUNKS.slice(0, 1));
  writeFileSync(path, Buffer.alloc(100_000));
  expect(await read(path)).toEqual([]);
});
