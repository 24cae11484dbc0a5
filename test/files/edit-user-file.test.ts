/** Changes of a file that its own program may write at any time, without our lock. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeUserFile } from '../../src/files/atomic/edit-user-file.js';
import { temporaryName } from '../../src/files/atomic/staging.js';
import { errorOf } from '../support/error-of.js';
import { type FsCall, tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

const add = (text: string) => `${text}ours\n`;

describe('a file of the user', () => {
  it('is changed from its present content, and a copy of the old content is kept', async () => {
    const path = join(tempFolder(), 'settings.json');
    await writeFile(path, 'theirs\n');
    expect(await changeUserFile(path, add, 'before')).toBe(`${path}.before`);
    expect(await readFile(path, 'utf8')).toBe('theirs\nours\n');
    expect(await readFile(`${path}.before`, 'utf8')).toBe('theirs\n');
  });

  it('is created with its folder if it is missing', async () => {
    const path = join(tempFolder(), 'new', 'settings.json');
    expect(await changeUserFile(path, add, 'before')).toBeUndefined();
    expect(await readFile(path, 'utf8')).toBe('ours\n');
  });

  it.each([
    ['changed', 'CONFLICT'],
    ['made', 'ALREADY_EXISTS'],
  ])('keeps the content if its program has %s it meanwhile', async (way, code) => {
    const folder = join(tempFolder(), 'program');
    const path = join(folder, 'settings.json');
    await mkdir(folder);
    if (way === 'changed') await writeFile(path, 'theirs\n');
    const late = (text: string) => {
      writeFileSync(path, 'written meanwhile\n');
      return add(text);
    };
    expect((await errorOf(changeUserFile(path, late, 'before'))).code).toBe(code);
    expect(await readFile(path, 'utf8')).toBe('written meanwhile\n');
    expect(await readdir(folder)).toEqual(['settings.json']);
  });
});

it('removes what a killed process left beside the file, and no files of other programs', async () => {
  const folder = tempFolder();
  const path = join(folder, 'settings.json');
  const killed = '.tmp-deadbeef-4026531836-812-55512-a1b2c31-0a1b2c3d';
  const left = [killed, `settings.json.${killed}`, `settings.json.${killed}.1234567`];
  const others = [
    '.tmp-other-program-0a1b2c3d',
    `other.json.${killed}`,
    `settings.json.${temporaryName()}`,
    'settings.json.before',
  ];
  for (const name of [...left, ...others]) {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), 1.6e9, 1.6e9);
  }
  await writeFile(path, 'theirs\n');
  await changeUserFile(path, add, 'before-daybook');
  expect((await readdir(folder)).sort()).toEqual(
    [...others, 'settings.json', 'settings.json.before-daybook'].sort(),
  );
});

describe('a disk that does not confirm the change of a file', () => {
  it('leaves the new content and the copy of the old content', async () => {
    const folder = tempFolder();
    const path = join(folder, 'settings.json');
    await writeFile(path, 'theirs\n');
    const isFolderSync = (call: FsCall) => call.name === 'fsync' && call.path === folder;
    const before = (call: FsCall) => (isFolderSync(call) ? { error: 'EIO' } : undefined);
    const restore = await tapFs(folder, { before });
    const { details } = await errorOf(changeUserFile(path, add, 'before').finally(restore));
    expect(details?.['unconfirmed']).toBe(true);
    expect(await readFile(path, 'utf8')).toBe('theirs\nours\n');
    expect(await readFile(`${path}.before`, 'utf8')).toBe('theirs\n');
  });
});

describe('a folder of settings that is a link', () => {
  it('gets a new file', async () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'dotfiles'));
    symlinkSync('dotfiles', join(folder, 'config'));
    await changeUserFile(join(folder, 'config', 'new', 'a.json'), add, 'before');
    expect(await readFile(join(folder, 'dotfiles', 'new', 'a.json'), 'utf8')).toBe('ours\n');
  });
});
