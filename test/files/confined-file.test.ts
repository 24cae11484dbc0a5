/** Untrusted names: those that leave the folder on some system, similar names, and links. */

import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { findConfined, readConfined } from '../../src/files/paths/confined-file.js';
import { skeletonOf } from '../../src/files/paths/confusables.js';
import { requireConfined } from '../../src/files/paths/path-confinement.js';
import { resolveRealPath } from '../../src/files/safe-access/real-path.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

const codeOf = async (work: Promise<unknown>) => (await errorOf(work)).code;

/** A folder with `sub/note.md` in it, and a secret beside it. */
function place() {
  const outer = tempFolder();
  const folder = join(outer, 'bank');
  mkdirSync(join(folder, 'sub'), { recursive: true });
  writeFileSync(join(folder, 'sub', 'note.md'), 'inside');
  writeFileSync(join(outer, 'secret.md'), 'outside');
  return { outer, folder };
}

const LEAVING: [what: string, name: string][] = [
  ['nothing', ''],
  ['up', '../secret.md'],
  ['up from below', 'sub/../../secret.md'],
  ['up at the end', 'sub/..'],
  ['here', './secret.md'],
  ['an empty part', 'sub//note.md'],
  ['absolute', '/etc/passwd.md'],
  ['drive', 'C:/x.md'],
  ['drive, relative', 'C:x.md'],
  ['backslash', 'sub\\note.md'],
  ['backslash up', '..\\secret.md'],
  ['UNC', '\\\\host\\share\\x.md'],
  ['UNC with slashes', '//host/share/x.md'],
  ['device', 'CON.md'],
  ['device below', 'sub/aux.md'],
  ['device with a superscript', 'com¹.md'],
  ['stream', 'note.md:hidden.md'],
  ['NUL', 'note.md\0.md'],
  ['newline', 'no\nte.md'],
  ['dot at the end', 'sub./note.md'],
  ['space at the end', 'note.md '],
  ['percent-encoded up', '%2e%2e/secret.md'],
  ['percent-encoded separator', '..%2Fsecret.md'],
  ['percent-encoded twice', '%252e%252e%252fsecret.md'],
  ['percent-encoded backslash', '..%5csecret.md'],
  ['overlong UTF-8, percent-encoded', '%c0%ae%c0%ae/secret.md'],
  ['fullwidth dots', '．．/secret.md'],
  ['two-dot leader', '‥/secret.md'],
  ['one-dot leaders', '․․/secret.md'],
  ['fullwidth slash', '..／secret.md'],
  ['fullwidth backslash', '..＼secret.md'],
  ['fullwidth colon', 'C：x.md'],
  ['division slash', 'sub∕note.md'],
  ['fraction slash', 'sub⁄note.md'],
  ['big solidus', 'sub⧸note.md'],
  ['set minus', 'sub∖note.md'],
  ['a sign that decomposes to a separator', '℀.md'],
  ['zero-width space', 'no\u200bte.md'],
  ['soft hyphen', 'no\u00adte.md'],
  ['right-to-left override', 'note\u202edm.md'],
  ['byte-order mark', '\ufeffnote.md'],
  ['tag characters', 'note\u{e0061}.md'],
  ['half a surrogate pair', 'no\ud800te.md'],
  ['a very long name', `${'x'.repeat(300)}.md`],
  ['a very long path', `${'x/'.repeat(600)}n.md`],
];

describe('requireConfined', () => {
  it.each(LEAVING)('refuses %s', async (_what, name) => {
    const { folder } = place();
    expect(() => requireConfined(name)).toThrow(expect.objectContaining({ code: 'PATH_ESCAPE' }));
    expect(await codeOf(findConfined(folder, name))).toBe('PATH_ESCAPE');
    expect(await codeOf(readConfined(folder, name, 100))).toBe('PATH_ESCAPE');
  });

  it.each([
    'note.md',
    'ideas/2026 garden, north (draft).md',
    'Übung/ノート.md',
    'заметки/план.md',
    '👩\u200d🌾 farm ❤\ufe0f.md',
    '100% sure.md',
    "it's.md",
    'v1.2.md',
  ])('accepts %s', (name) => {
    expect(() => requireConfined(name)).not.toThrow();
  });

  it('accepts no name whose file would be outside the folder', async () => {
    const piece = fc.oneof(
      fc.constantFrom('..', '.', '/', '\\', '%2e', '%2f', '．', '／', '‥', '\0', ':', 'sub', '~'),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    );
    const names = fc.array(piece, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(''));
    const { folder } = place();
    await fc.assert(
      fc.asyncProperty(names, async (name) => {
        try {
          const { path } = await findConfined(folder, name);
          expect(path.startsWith(`${folder}/`)).toBe(true);
          expect(path.split('/')).not.toContain('..');
        } catch (error) {
          expect(isAppError(error)).toBe(true);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe('links', () => {
  it('are refused at any place and with any target', async () => {
    const { outer, folder } = place();
    symlinkSync(join(outer, 'secret.md'), join(folder, 'file.md'));
    symlinkSync(join(folder, 'sub', 'note.md'), join(folder, 'inside.md'));
    symlinkSync('nowhere.md', join(folder, 'dangling.md'));
    symlinkSync(outer, join(folder, 'up'));
    symlinkSync(join(folder, 'sub'), join(folder, 'down'));
    symlinkSync('loop', join(folder, 'loop'));
    const names = [
      'file.md',
      'inside.md',
      'dangling.md',
      'up/secret.md',
      'up/new.md',
      'down/note.md',
    ];
    for (const name of [...names, 'loop/x.md', 'loop']) {
      expect(await codeOf(findConfined(folder, name)), name).toBe('PATH_ESCAPE');
      expect(await codeOf(readConfined(folder, name, 100)), name).toBe('PATH_ESCAPE');
    }
  });

  it('are refused as the folder itself, because a configured folder is resolved before', async () => {
    const { outer, folder } = place();
    symlinkSync(folder, join(outer, 'linked'));
    const linked = join(outer, 'linked');
    const reading = readConfined(linked, 'sub/note.md', 100);
    await expect(reading).rejects.toMatchObject({ code: 'PATH_ESCAPE' });
    const read = await readConfined(resolveRealPath(linked), 'sub/note.md', 100);
    expect(read?.bytes.toString()).toBe('inside');
  });

  const isEarly = (startedAt: number) => performance.now() - startedAt < 30_000;

  it('are never read if they replace the file after the check', async () => {
    const { outer, folder } = place();
    const path = join(folder, 'sub', 'note.md');
    let isOver = false;
    const swap = (async () => {
      while (!isOver) {
        symlinkSync(join(outer, 'secret.md'), `${path}.link`);
        renameSync(`${path}.link`, path);
        await new Promise((next) => setImmediate(next));
        writeFileSync(`${path}.file`, 'inside');
        renameSync(`${path}.file`, path);
        await new Promise((next) => setImmediate(next));
      }
    })();
    const seen = new Set<string>();
    const startedAt = performance.now();
    // On a busy machine all reads may find the link. Then the test reads until one finds the file.
    for (let n = 0; n < 400 || (!seen.has('inside') && isEarly(startedAt)); n += 1) {
      const read = await readConfined(folder, 'sub/note.md', 100).catch((error: unknown) => {
        expect(isAppError(error, 'PATH_ESCAPE')).toBe(true);
        return undefined;
      });
      seen.add(read?.bytes.toString() ?? 'refused');
    }
    isOver = true;
    await swap;
    expect(seen).not.toContain('outside');
    expect(seen).toContain('inside');
  });
});

describe('names that look like an existing name', () => {
  it.each([
    ['case', 'sub/Note.md'],
    ['case of a folder', 'SUB/note.md'],
    ['case of a folder, for a new note', 'Sub/new.md'],
    ['extension', 'sub/note.MD'],
    ['a Cyrillic letter', 'sub/n\u043ete.md'],
    ['a Greek letter', 'sub/n\u03bfte.md'],
    ['fullwidth letters', 'sub/ｎｏｔｅ.md'],
    ['mathematical letters', 'sub/𝐧𝐨𝐭𝐞.md'],
    ['joiner', 'sub/no\u200dte.md'],
    ['variation selector', 'sub/note\ufe0f.md'],
  ])('are refused by %s', async (_what, name) => {
    const { folder } = place();
    const error = await errorOf(findConfined(folder, name));
    expect(error.code).toBe('PATH_ESCAPE');
    expect(error.details).toMatchObject({ twin: expect.any(String) });
  });

  it('are refused if the existing name is the word undefined', async () => {
    const { folder } = place();
    writeFileSync(join(folder, 'undefined'), '');
    expect(await codeOf(findConfined(folder, 'Undefined'))).toBe('PATH_ESCAPE');
  });

  it('are refused in both Unicode compositions', async () => {
    const { folder } = place();
    writeFileSync(join(folder, 'caf\u00e9.md'), '');
    expect(await codeOf(findConfined(folder, 'cafe\u0301.md'))).toBe('PATH_ESCAPE');
    const { message } = await errorOf(findConfined(folder, 'cafe\u0301.md'));
    expect(message).toContain('"cafe\\u0301.md" does not exist, but "caf\\u00e9.md" does');
    expect((await findConfined(folder, 'caf\u00e9.md')).kind).toBe('file');
    expect((await findConfined(folder, 'cafe.md')).kind).toBe('absent');
  });

  it('do not hide files: each of two similar names is found by its exact name', async () => {
    const { folder } = place();
    writeFileSync(join(folder, 'sub', 'NOTE.md'), 'upper');
    expect((await readConfined(folder, 'sub/NOTE.md', 100))?.bytes.toString()).toBe('upper');
    expect((await readConfined(folder, 'sub/note.md', 100))?.bytes.toString()).toBe('inside');
    expect(await codeOf(findConfined(folder, 'sub/nOTE.md'))).toBe('PATH_ESCAPE');
  });

  it('have the same skeleton in every Unicode form', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const likeness = skeletonOf(name);
        expect(skeletonOf(likeness)).toBe(likeness);
        for (const form of ['NFC', 'NFD', 'NFKC'] as const)
          expect(skeletonOf(name.normalize(form))).toBe(likeness);
      }),
    );
    for (const [one, other] of [
      ['Stra\u1e9ee', 'strasse'],
      ['\u0390', '\u0399\u0308\u0301'],
      ['\u0451', '\u00eb'],
    ] as const)
      expect(skeletonOf(one)).toBe(skeletonOf(other));
    expect(skeletonOf('a0l1.md')).not.toBe(skeletonOf('aOI1.md'));
  });
});

describe('an entry that is not a file', () => {
  it('is distinguished from a missing file, and never opened', async () => {
    const { folder } = place();
    mkdirSync(join(folder, 'folder.md'));
    execFileSync('mkfifo', [join(folder, 'pipe.md')]);
    expect(await codeOf(readConfined(folder, 'folder.md', 100))).toBe('E_MB_READ');
    expect(await codeOf(readConfined(folder, 'pipe.md', 100))).toBe('E_MB_READ');
    expect(await codeOf(findConfined(folder, 'sub/note.md/x.md'))).toBe('VALIDATION_ERROR');
    expect(await readConfined(folder, 'sub/absent.md', 100)).toBeUndefined();
    expect(await readConfined(folder, 'absent/absent.md', 100)).toBeUndefined();
    expect(await codeOf(readConfined(folder, 'sub/note.md', 5))).toBe('TOO_LARGE');
    linkSync(join(folder, 'sub', 'note.md'), join(folder, 'hard.md'));
    expect((await readConfined(folder, 'hard.md', 6))?.bytes.toString()).toBe('inside');
    rmSync(folder, { recursive: true });
    expect((await findConfined(folder, 'sub/note.md')).kind).toBe('absent');
  });
});
