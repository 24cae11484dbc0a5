/** Removing a folder while another process replaces a folder in it by a link. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { removeFolder } from '../../src/files/paths/folders.js';
import { tempFolder } from '../support/temp-folder.js';

const FILES = Array.from({ length: 3000 }, (_, at) => `file-${at}`);
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function fill(folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const name of FILES) writeFileSync(join(folder, name), name);
}

describe('removeFolder', () => {
  it('removes the whole content, and of a link only the link', async () => {
    const place = tempFolder();
    const [folder, outside] = [join(place, 'gone'), join(place, 'outside')];
    mkdirSync(join(folder, 'a', 'b'), { recursive: true });
    mkdirSync(outside);
    for (const path of [folder, join(folder, 'a', 'b'), outside])
      writeFileSync(join(path, 'x'), '');
    symlinkSync(outside, join(folder, 'a', 'link'));
    symlinkSync(join(place, 'nothing'), join(folder, 'dangling'));
    await removeFolder(folder);
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(outside)).toEqual(['x']);
    await removeFolder(folder);
  });

  // Other systems have no path through an open folder (docs/SECURITY.md).
  it.runIf(process.platform === 'linux')(
    'removes nothing behind a link that replaces an entry meanwhile',
    async () => {
      const place = tempFolder();
      const [folder, outside] = [join(place, 'gone'), join(place, 'outside')];
      const [inside, aside] = [join(folder, 'inside'), join(place, 'aside')];
      fill(inside);
      fill(outside);
      const removing = removeFolder(folder).catch((error: unknown) => error);
      while (readdirSync(inside).length === FILES.length) await nextTurn();
      renameSync(inside, aside);
      symlinkSync(outside, inside);
      expect(await removing).toSatisfy((error) => error === undefined || isAppError(error));
      expect(readdirSync(outside).sort()).toEqual([...FILES].sort());
    },
  );
});
