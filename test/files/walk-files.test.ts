/** The walk over a folder: its order, and folders that are listed before the walk comes to them. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
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

async function namesOf(folder: string, ahead: number, onFile = (_name: string) => undefined) {
  const names: string[] = [];
  const isLeftOut = (name: string) => name === 'left-out';
  for await (const { name } of walkFiles(folder, isLeftOut, ahead)) {
    names.push(name);
    onFile(name);
  }
  return names;
}

describe('a walk', () => {
  it.each([1, 2, 32])('with %i folders at once has the order of names', async (ahead) => {
    const folder = tree('b/z/1', 'b/a', 'a/2', 'a/1', 'c', 'd/e/f/g', 'left-out/x', 'e');
    mkdirSync(join(folder, 'empty'));
    const names = ['a/1', 'a/2', 'b/a', 'b/z/1', 'c', 'd/e/f/g', 'e'];
    expect(await namesOf(folder, ahead)).toEqual(names);
  });

  it.each([
    [1, ['a/1']],
    [2, ['a/1', 'b/1']],
    [3, ['a/1', 'b/1', 'c/1']],
  ])('with %i folders at once lists so many before the first file', async (ahead, expected) => {
    const folder = tree('a/1', 'b/1', 'c/1');
    const remove = () => {
      for (const name of ['b', 'c']) rmSync(join(folder, name), { recursive: true, force: true });
      return undefined;
    };
    expect(await namesOf(folder, ahead, remove)).toEqual(expected);
  });
});
