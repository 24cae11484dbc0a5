/** Path confinement: no name and no link leaves the folder on any platform. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  confinedPath,
  confinedRealPath,
  isInside,
} from '../../src/files/paths/path-confinement.js';
import { tempFolder } from '../support/temp-folder.js';

const refusal = expect.objectContaining({ code: 'PATH_ESCAPE' });
const REFUSED = {
  absolute: ['/etc/passwd', '/', '//server/share', '\\\\server\\share', '\\x', 'C:/x', 'c:x', 'z:'],
  'leaving the folder': [
    '..',
    '../x',
    'a/../../x',
    'a/..',
    '..\\x',
    'a\\..\\..\\x',
    './x',
    'a/./b',
  ],
  'with empty parts': ['', 'a//b', 'a/'],
  'with characters no name has': [
    'a\0.md',
    '\0',
    'a\nb',
    'a:stream',
    'a*',
    'a?',
    '<a',
    'a>',
    'a"b',
    'a|b',
  ],
  'reserved on Windows': [
    'con',
    'NUL',
    'aux.md',
    'x/Com1.txt',
    'lpt9',
    'COM¹',
    'nul .txt',
    'prn.tar.gz',
  ],
  'ending in a dot or a space': ['a.', 'a ', 'a./b', 'x/ ', '...', 'a/. '],
  'not text': ['a\ud800', '\udc00/b'],
  'too long': [`${'a/'.repeat(600)}a`, 'b'.repeat(256), '語'.repeat(86)],
};

describe('confinedPath', () => {
  it.each(Object.entries(REFUSED))('refuses a name that is %s', (_, names) => {
    const taken = names.filter((name) => {
      try {
        confinedPath('/root', name);
        return true;
      } catch (error) {
        expect(error).toEqual(refusal);
        return false;
      }
    });
    expect(taken).toEqual([]);
  });

  it('accepts ordinary names', () => {
    const names = [
      'a.md',
      'a/b/c.md',
      '.hidden',
      'console.md',
      'com10',
      'nullable',
      '日本語/メモ.md',
      'a b',
      '~',
      '-rf',
      '..a',
      'a..b',
      '__proto__',
    ];
    expect(names.map((name) => confinedPath('/root', name))).toEqual(
      names.map((name) => join('/root', ...name.split('/'))),
    );
  });

  it('returns only paths inside the folder', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'a', 'C:', '\\', '\0', '~'), fc.string());
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), (parts) => {
        let path: string;
        try {
          path = confinedPath('/root/notes', parts.join('/'));
        } catch (error) {
          expect(error).toEqual(refusal);
          return;
        }
        expect(resolve(path).startsWith(`/root/notes${sep}`)).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('confinedRealPath', () => {
  it('accepts files, new files in new folders, and links that stay inside', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'real'));
    writeFileSync(join(root, 'real', 'a.md'), '');
    symlinkSync('real', join(root, 'link'));
    for (const name of ['real/a.md', 'real/new.md', 'x/y/new.md', 'link/a.md', 'link/new.md']) {
      expect(await confinedRealPath(root, name)).toBe(join(root, name));
    }
  });

  it('accepts a root that is behind a link', async () => {
    const base = tempFolder();
    mkdirSync(join(base, 'real'));
    symlinkSync('real', join(base, 'root'));
    expect(await confinedRealPath(join(base, 'root'), 'a.md')).toBe(join(base, 'root', 'a.md'));
  });

  it('refuses links that lead out of the folder, also in a parent folder, and dangling links', async () => {
    const base = tempFolder();
    const root = join(base, 'root');
    mkdirSync(root);
    mkdirSync(join(base, 'root-other'));
    writeFileSync(join(base, 'secret'), 's');
    symlinkSync(join(base, 'secret'), join(root, 'file'));
    symlinkSync('../root-other', join(root, 'folder'));
    symlinkSync('folder', join(root, 'twice'));
    symlinkSync(join(base, 'not-there'), join(root, 'dangling'));
    for (const name of [
      'file',
      'folder',
      'folder/new.md',
      'folder/a/b.md',
      'twice/new.md',
      'dangling',
      'dangling/a.md',
    ]) {
      await expect(confinedRealPath(root, name), name).rejects.toEqual(refusal);
    }
    expect(existsSync(join(base, 'not-there'))).toBe(false);
  });

  it('refuses a link to itself', async () => {
    const root = tempFolder();
    symlinkSync('loop', join(root, 'loop'));
    await expect(confinedRealPath(root, 'loop')).rejects.toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
  });
});

it('isInside distinguishes a folder from another with the same beginning of its name', () => {
  expect(isInside('/a/b', '/a/b')).toBe(true);
  expect(isInside('/a/b/c', '/a/b')).toBe(true);
  expect(isInside('/a/b/..c', '/a/b')).toBe(true);
  expect(isInside('/a/bc', '/a/b')).toBe(false);
  expect(isInside('/a', '/a/b')).toBe(false);
  expect(isInside('/a/b/../c', '/a/b')).toBe(false);
});
