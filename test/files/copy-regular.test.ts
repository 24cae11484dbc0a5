/** The copy that replaces a hard link on file systems without hard links. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { copyRegular } from '../../src/files/safe-access/open-regular.js';
import { tempFolder } from '../support/temp-folder.js';

describe('copyRegular', () => {
  it('copies all bytes into a new private file', () => {
    const folder = tempFolder();
    const [from, to] = [join(folder, 'from'), join(folder, 'to')];
    writeFileSync(from, 'abc'.repeat(300_000));
    copyRegular(from, to);
    expect(readFileSync(to)).toEqual(readFileSync(from));
    expect(statSync(to).mode & 0o777).toBe(process.platform === 'win32' ? 0o666 : 0o600);
    expect(() => copyRegular(from, to)).toThrow('EEXIST');
  });

  it.skipIf(process.platform === 'win32').each(['a link', 'a pipe'])(
    'refuses %s, and creates nothing',
    (kind) => {
      const folder = tempFolder();
      const [from, to] = [join(folder, 'from'), join(folder, 'to')];
      writeFileSync(join(folder, 'secret'), 'secret');
      if (kind === 'a link') symlinkSync(join(folder, 'secret'), from);
      else execFileSync('mkfifo', [from]);
      expect(() => copyRegular(from, to)).toThrow(from);
      expect(existsSync(to)).toBe(false);
    },
  );
});
