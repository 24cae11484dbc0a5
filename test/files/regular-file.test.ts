/** Reading a file from outside the store in chunks. */
import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { regularBytes } from '../../src/files/input/regular-file.js';
import { tempFolder } from '../support/temp-folder.js';

it('uses little memory for a small file, and reads bytes that are added meanwhile', async () => {
  const path = join(tempFolder(), 'small.md');
  writeFileSync(path, 'one');
  const parts: Uint8Array[] = [];
  for await (const part of regularBytes(path)) {
    if (parts.length === 0) appendFileSync(path, 'two'.repeat(5_000));
    parts.push(part);
    expect(part.buffer.byteLength).toBeLessThan(100_000);
  }
  expect(Buffer.concat(parts).toString()).toBe(`one${'two'.repeat(5_000)}`);
});

it('reads all bytes of a large file', async () => {
  const path = join(tempFolder(), 'large.md');
  const bytes = Buffer.alloc(3 * 1024 * 1024 + 7, 'abc');
  writeFileSync(path, bytes);
  const parts: Uint8Array[] = [];
  for await (const part of regularBytes(path)) parts.push(part);
  expect(parts).toHaveLength(4);
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
});
