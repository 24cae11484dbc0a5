/** A file is renamed while an editor saves it under the old name. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { renameFile } from '../../src/files/atomic/rename-file.js';
import { tapFs } from '../support/fs-tap.js';

const place = () => mkdtempSync(join(tmpdir(), 'daybook-test-'));

it.each([
  'before',
  'after',
])('renameFile loses nothing that is saved %s the old name is removed', async (moment) => {
  const folder = place();
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
