/**
 * Temporary files: which ones a sweep removes, and when a hard link is impossible.
 */
import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sweepTemporariesBelow } from '../../src/files/atomic/left-temporaries.js';
import { isWithoutLinks, sweepTemporaries, temporaryName } from '../../src/files/atomic/staging.js';
import { type FsCall, tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

const system = (code: string) => Object.assign(new Error(code), { code });

describe('temporary files', () => {
  it('are removed when their process is dead, or after a day if that cannot be determined', async () => {
    const root = join(tempFolder(), 'sweep');
    mkdirSync(root);
    const [realm] = /^\.tmp-[0-9a-f]{8}-\d+-/.exec(temporaryName()) ?? [];
    const dead = `${realm}4194000-1-abc1-00000000`;
    const foreign = '.tmp-ffffffff-1-77-1-abc1-00000000';
    const names = {
      own: temporaryName(),
      dead,
      foreign,
      foreignOld: foreign.replace('-77-', '-78-'),
      file: 'conversation.json',
      tmp: '.tmp-something-else',
    };
    for (const name of Object.values(names)) writeFileSync(join(root, name), 'x');
    const old = Date.now() / 1000 - 25 * 60 * 60;
    for (const name of [names.own, names.foreignOld, names.tmp]) {
      utimesSync(join(root, name), old, old);
    }
    await sweepTemporaries(root);
    const { own, file, tmp } = names;
    expect(readdirSync(root).sort()).toEqual([own, file, tmp, foreign].sort());
  });

  it('are swept without an error if the folder is missing', async () => {
    await expect(sweepTemporaries(join(tempFolder(), 'none'))).resolves.toBeUndefined();
  });

  it('are removed below a folder, although another folder in it cannot be opened', async () => {
    const root = tempFolder();
    for (const name of ['closed', 'open']) mkdirSync(join(root, name));
    const [realm] = /^\.tmp-[0-9a-f]{8}-\d+-/.exec(temporaryName()) ?? [];
    writeFileSync(join(root, 'open', `${realm}4194000-1-abc1-00000000`), 'x');
    const close = ({ name, path }: FsCall) =>
      name === 'readdir' && path.endsWith('/closed') ? { error: 'EACCES' } : undefined;
    const restore = await tapFs(root, { before: close });
    await sweepTemporariesBelow(root).finally(restore);
    expect(readdirSync(join(root, 'open'))).toEqual([]);
  });

  it('get their name without a hard link if none is possible, also at the limit of links', () => {
    for (const code of ['EMLINK', 'EXDEV', 'EPERM', 'ENOSYS'])
      expect(isWithoutLinks(system(code))).toBe(true);
    for (const code of ['EEXIST', 'ENOSPC', 'EIO'])
      expect(isWithoutLinks(system(code))).toBe(false);
  });
});
