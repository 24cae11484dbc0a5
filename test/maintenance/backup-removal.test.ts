/** A backup that cannot remove an expired backup succeeds and reports it. */
import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { openRoot, put } from './roots.js';

const NAME = 'daybook-20240101T000000Z.tar.gz';

vi.mock('../../src/files/paths/folders.js', async (original) => {
  const real = await original<typeof import('../../src/files/paths/folders.js')>();
  const removeFile = async (path: string, options?: { fsync: boolean }) => {
    if (path.endsWith(NAME)) throw new AppError('FILESYSTEM_ERROR', 'It is in use.');
    return real.removeFile(path, options);
  };
  return { ...real, removeFile };
});

it('a backup succeeds if an expired backup cannot be removed, and reports its name', async () => {
  const { backups, folder } = openRoot();
  put(folder, { [NAME]: 'old' });
  await backups.make();
  const { removed, notRemoved } = await backups.make();
  expect(removed).toEqual([]);
  expect(notRemoved).toEqual([{ name: NAME, reason: 'It is in use.' }]);
  expect(readdirSync(folder).filter((name) => name.endsWith('.tar.gz'))).toHaveLength(3);
});
