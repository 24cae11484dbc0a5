/** Nobody misses a package at run time, and nobody installs one that the built files contain. */
import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import manifest from '../../package.json' with { type: 'json' };

const DIST = resolve(import.meta.dirname, '../../dist');
/** Statements at the start of a line, and calls; other mentions are in comments and texts. */
const IMPORTS =
  /^(?:import|export)\b[^"'\n]*["']([^"'\n]+)["'];?$|\b(?:import|__require)\("([^"\n]+)"\)/gm;

/** `debug`, which a contained package brings, colours its lines where this package is there. */
const OPTIONAL = 'supports-color';

/** Packages that the files of a folder of `dist` import by name. */
async function importedPackages(folder: string, extension: string): Promise<string[]> {
  const files = (await readdir(join(DIST, folder))).filter((name) => name.endsWith(extension));
  const texts = await Promise.all(files.map((name) => readFile(join(DIST, folder, name), 'utf8')));
  const names = texts.flatMap((text) =>
    [...text.matchAll(IMPORTS)].map(([, one, other]) => one ?? other ?? ''),
  );
  const packages = names.filter(
    (name) => /^@?[a-z][\w./-]*$/.test(name) && !isBuiltin(name) && name !== OPTIONAL,
  );
  return [...new Set(packages.map((name) => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name))].sort();
}

describe('the published package', () => {
  it('depends on just those packages that its command and its library import', async () => {
    const dependencies = Object.keys(manifest.dependencies).sort();
    expect(await importedPackages('cli', '.mjs')).toEqual(dependencies);
    const ofLibrary = await importedPackages('lib', '.js');
    expect(dependencies).toEqual(expect.arrayContaining(ofLibrary));
    expect(ofLibrary).toContain('chokidar');
  });

  it('has code of ASCII characters only, which V8 reads faster', async () => {
    for (const folder of ['cli', 'lib']) {
      const files = (await readdir(join(DIST, folder))).filter((name) => /\.[cm]?js$/.test(name));
      expect(files.length).toBeGreaterThan(folder === 'cli' ? 50 : 2);
      for (const name of files) {
        const code = await readFile(join(DIST, folder, name), 'latin1');
        expect(/[\x80-\xff]/.test(code), `${folder}/${name}`).toBe(false);
      }
    }
  });

  it('has types that need no package', async () => {
    expect(await importedPackages('lib', '.d.ts')).toEqual([]);
  });

  it.each(['cli', 'lib'])('holds the licenses of the packages in dist/%s', async (folder) => {
    const licenses = async (file: string) => readFile(join(DIST, folder, file), 'utf8');
    const [texts, ofLog] = [await licenses('LICENSES.txt'), await licenses('LICENSES-pino.txt')];
    for (const name of ['zod', '@modelcontextprotocol/sdk', 'pino', '@secretlint/core']) {
      expect(name === 'pino' ? ofLog : texts).toMatch(
        new RegExp(`^${name} \\d+\\.\\d+\\.\\d+ \\(MIT\\)\\n\\n.*(License|Copyright)`, 'm'),
      );
    }
  });
});
