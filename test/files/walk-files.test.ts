/** The walk over a folder, and the sizes of what is in it. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { folderSize, forEachSize } from '../../src/files/read/folder-size.js';
import { walkFiles } from '../../src/files/read/walk-files.js';
import { tempFolder } from '../support/temp-folder.js';

function tree(...names: string[]): string {
  const folder = tempFolder();
  for (const name of names) {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), name);
  }
  return folder;
}

const isLeftOut = (name: string) => name === 'left-out';

async function namesOf(folder: string, onFile = (_name: string) => undefined) {
  const names: string[] = [];
  for await (const { name } of walkFiles(folder, isLeftOut)) {
    names.push(name);
    onFile(name);
  }
  return names;
}

describe('a walk', () => {
  it('yields the files in the order of their names', async () => {
    const folder = tree('b/z/1', 'b/a', 'a/2', 'a/1', 'c', 'd/e/f/g', 'left-out/x', 'e');
    mkdirSync(join(folder, 'empty'));
    expect(await namesOf(folder)).toEqual(['a/1', 'a/2', 'b/a', 'b/z/1', 'c', 'd/e/f/g', 'e']);
  });

  it('lists a folder only when it reaches it', async () => {
    const folder = tree('a/1', 'b/1', 'c/1');
    const remove = () => {
      for (const name of ['b', 'c']) rmSync(join(folder, name), { recursive: true, force: true });
      return undefined;
    };
    expect(await namesOf(folder, remove)).toEqual(['a/1']);
  });
});

describe('the sizes of a folder', () => {
  it('are those of its regular files; no link is followed', async () => {
    const folder = tree('b/z/1', 'a/22', '333', 'left-out/x');
    const other = tree('elsewhere');
    symlinkSync(other, join(folder, 'linked'));
    symlinkSync(join(other, 'elsewhere'), join(folder, 'b', 'link'));
    writeFileSync(join(folder, 'back\\slash'), 'x');
    const sizes: [string, number][] = [];
    await forEachSize(folder, (...size) => sizes.push(size), isLeftOut);
    expect(sizes.sort()).toEqual([
      ['333', 3],
      ['a/22', 4],
      ['b/z/1', 5],
    ]);
    expect(await folderSize(folder)).toEqual({ files: 4, sizeBytes: 22 });
    expect(await folderSize(join(folder, 'missing'))).toEqual({ files: 0, sizeBytes: 0 });
  });
});
