/** A file is renamed while an editor saves it under the old name. */
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renameFile } from '../../src/files/atomic/rename-file.js';
import { errorOf } from '../support/error-of.js';
import { tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

it.each([
  'before',
  'after',
])('renameFile loses nothing that is saved %s the old name is removed', async (moment) => {
  const folder = tempFolder();
  const [from, to] = [join(folder, 'old.md'), join(folder, 'new.md')];
  writeFileSync(from, 'as it was');
  let isSaved = false;
  const save = ({ name }: { name: string }) => {
    if (!['rename', 'unlink'].includes(name) || isSaved) return undefined;
    isSaved = true;
    writeFileSync(join(folder, 'editor'), 'as it was saved');
    renameSync(join(folder, 'editor'), from);
    return undefined;
  };
  const restore = await tapFs(folder, { [moment]: save });
  await renameFile(from, to, { fsync: false }).finally(restore);
  expect(isSaved).toBe(true);
  const found = [from, to].filter((path) => existsSync(path));
  expect(found.map((path) => readFileSync(path, 'utf8'))).toContain('as it was saved');
  expect(readdirSync(folder).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
});

const folders = () => {
  const folder = tempFolder();
  for (const name of ['a', 'b']) mkdirSync(join(folder, name));
  const [from, to] = [join(folder, 'a', 'old.md'), join(folder, 'b', 'new.md')];
  writeFileSync(from, 'text');
  const names = () => ['a', 'b'].flatMap((name) => readdirSync(join(folder, name)));
  return { folder, from, to, names };
};

it.each(['link', 'rename', 'unlink'])('has only its old name if the %s fails', async (failing) => {
  const { folder, from, to, names } = folders();
  let isDone = false;
  const fail = ({ name }: { name: string }) => {
    if (name !== failing || isDone) return undefined;
    isDone = true;
    return { error: 'EIO' };
  };
  const restore = await tapFs(folder, { before: fail });
  const { code } = await errorOf(renameFile(from, to, { fsync: true }).finally(restore));
  expect([isDone, code, names()]).toEqual([true, 'FILESYSTEM_ERROR', ['old.md']]);
  await renameFile(from, to, { fsync: true });
  expect(names()).toEqual(['new.md']);
});

it('says that it is done if only the disk did not confirm it', async () => {
  const { folder, from, to, names } = folders();
  const fail = ({ name }: { name: string }) => (name === 'fsync' ? { error: 'EIO' } : undefined);
  const restore = await tapFs(folder, { before: fail });
  const { details } = await errorOf(renameFile(from, to, { fsync: true }).finally(restore));
  expect([details?.['unconfirmed'], names()]).toEqual([true, ['new.md']]);
});

it('finishes a rename that a crash interrupted', async () => {
  const { from, to, names } = folders();
  linkSync(from, to);
  await renameFile(from, to, { fsync: false });
  expect([names(), readFileSync(to, 'utf8')]).toEqual([['new.md'], 'text']);
});
