/** Whole files: the bytes with their stamp, absent files, and files that are refused. */
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readStamp } from '../../src/files/read/stamp.js';
import { readWhole, readWholeAtOnce } from '../../src/files/read/whole-file.js';
import { tempFolder } from '../support/temp-folder.js';

describe.each([
  ['readWhole', readWhole],
  ['readWholeAtOnce', readWholeAtOnce],
])('%s', (_name, read) => {
  it('returns the bytes and the stamp of that version; undefined if there is no file', async () => {
    const root = tempFolder();
    const path = join(root, 'a.json');
    expect(await read(path)).toBeUndefined();
    expect(await read(join(root, 'no', 'folder'))).toBeUndefined();
    for (const text of ['x\0y', '', 'ab'.repeat(500_000)]) {
      writeFileSync(path, text);
      expect(await read(join(path, 'below-a-file'))).toBeUndefined();
      expect(await read(path)).toEqual({
        bytes: Buffer.from(text),
        stamp: await readStamp(path),
      });
    }
  });

  it('refuses a folder, and a file that is too large without reading it', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'folder'));
    await expect(read(join(root, 'folder'))).rejects.toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
    const large = join(root, 'large');
    writeFileSync(large, '');
    truncateSync(large, 256 * 1024 * 1024 + 1);
    await expect(read(large)).rejects.toMatchObject({ code: 'TOO_LARGE' });
  });
});
