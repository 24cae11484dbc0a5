/**
 * Atomic replacement: the file has the whole new content or the old one, modes do not depend on the umask,
 * links are refused.
 */
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atomicWrite, makeFolder, syncFolder } from '../../src/files/atomic/atomic-write.js';
import { renameWithRetry } from '../../src/files/atomic/rename-with-retry.js';
import { fileError, ignoreErrno, withFileError } from '../../src/files/file-errors.js';
import {
  claimFolder,
  listFolders,
  removeEmptyFolder,
  removeFile,
} from '../../src/files/paths/folders.js';
import { isSameFile, isSameStamp, readStamp, readStampNow } from '../../src/files/read/stamp.js';
import { tempFolder, withUmask } from '../support/temp-folder.js';

const UMASKS = [0o000, 0o022, 0o077, 0o177, 0o777];
const modeOf = (path: string) => statSync(path).mode & 0o777;

describe.each([true, false])('atomicWrite with fsync %s', (fsync) => {
  it('creates and replaces files, also empty ones, and leaves no other files', async () => {
    const root = tempFolder();
    const path = join(root, 'a');
    for (const text of ['one', '', 'x'.repeat(3_000_000), '日本']) {
      const stamp = await atomicWrite(path, Buffer.from(text), { fsync });
      expect(readFileSync(path, 'utf8')).toBe(text);
      expect(stamp).toEqual(await readStamp(path));
    }
    expect(readdirSync(root)).toEqual(['a']);
  });

  it('writes only the given part of a larger buffer', async () => {
    const path = join(tempFolder(), 'a');
    await atomicWrite(path, new Uint8Array(Buffer.from('0123456789')).subarray(3, 6), { fsync });
    expect(readFileSync(path, 'utf8')).toBe('345');
  });
});

describe('atomicWrite', () => {
  it.each(
    UMASKS,
  )('makes the file private under the umask %o, whatever its mode was', async (mask) => {
    const path = join(tempFolder(), 'a');
    writeFileSync(path, 'old');
    chmodSync(path, 0o666);
    await withUmask(mask, () => atomicWrite(path, Buffer.from('x'), { fsync: false }));
    expect(modeOf(path)).toBe(0o600);
  });

  it('refuses a link as the target, also a dangling one, and does not change it', async () => {
    const root = tempFolder();
    writeFileSync(join(root, 'theirs'), 'theirs');
    symlinkSync('theirs', join(root, 'link'));
    symlinkSync('nowhere', join(root, 'dangling'));
    for (const name of ['link', 'dangling']) {
      const writing = atomicWrite(join(root, name), Buffer.from('ours'), { fsync: false });
      await expect(writing).rejects.toMatchObject({ code: 'PATH_ESCAPE' });
      expect(readlinkSync(join(root, name))).not.toBe('');
    }
    expect(readFileSync(join(root, 'theirs'), 'utf8')).toBe('theirs');
    expect(readdirSync(root).sort()).toEqual(['dangling', 'link', 'theirs']);
  });

  it('throws failures with a code, and leaves no other files', async () => {
    const root = tempFolder();
    mkdirSync(join(root, 'folder'));
    const writing = (...path: string[]) =>
      atomicWrite(join(root, ...path), Buffer.from('x'), { fsync: false });
    await expect(writing('folder')).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    await expect(writing('none', 'a')).rejects.toMatchObject({ details: { errno: 'ENOENT' } });
    await expect(writing('x'.repeat(256))).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    expect(readdirSync(root)).toEqual(['folder']);
  });

  it('renameWithRetry throws an error that waiting cannot solve at once', async () => {
    const root = tempFolder();
    await expect(renameWithRetry(join(root, 'a'), join(root, 'b'))).rejects.toMatchObject({
      code: 'ENOENT',
    });
  });
});

describe('folders', () => {
  it.each(UMASKS)('are private under the umask %o', async (mask) => {
    const root = tempFolder();
    await withUmask(mask, async () => {
      expect(await makeFolder(join(root, 'made'))).toBe(true);
      expect(await claimFolder(join(root, 'claimed'))).toBe(true);
    });
    expect([modeOf(join(root, 'made')), modeOf(join(root, 'claimed'))]).toEqual([0o700, 0o700]);
  });

  it('are created once, listed without files and links, and removed only if they are empty', async () => {
    const root = tempFolder();
    expect(await makeFolder(join(root, 'a', 'b'))).toBe(true);
    expect(await makeFolder(join(root, 'a', 'b'))).toBe(false);
    expect(await claimFolder(join(root, 'a'))).toBe(false);
    const claims = await Promise.all([1, 2, 3, 4].map(() => claimFolder(join(root, 'one'))));
    expect(claims.filter(Boolean)).toHaveLength(1);
    writeFileSync(join(root, 'file'), '');
    symlinkSync('a', join(root, 'link'));
    expect((await listFolders(root)).sort()).toEqual(['a', 'one']);
    expect(await listFolders(join(root, 'none'))).toEqual([]);
    await expect(listFolders(join(root, 'file'))).rejects.toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
    await expect(claimFolder(join(root, 'none', 'x'))).rejects.toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
    await expect(makeFolder('/proc/none/x')).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    await expect(makeFolder(join(root, 'file', 'x'))).rejects.toMatchObject({
      code: 'FILESYSTEM_ERROR',
    });
    expect(await removeEmptyFolder(join(root, 'a'))).toBe(false);
    expect(await removeEmptyFolder(join(root, 'one'))).toBe(true);
    expect(await removeEmptyFolder(join(root, 'one'))).toBe(true);
    await removeFile(join(root, 'file'));
    await removeFile(join(root, 'file'));
    await expect(removeFile(join(root, 'a'))).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    await syncFolder(root, { fsync: true });
    await syncFolder(join(root, 'none'), { fsync: false });
  });
});

describe('stamps', () => {
  it('change with every replacement and every edit in place; both functions read the same stamp', async () => {
    const path = join(tempFolder(), 'a');
    expect([await readStamp(path), readStampNow(path)]).toEqual([undefined, undefined]);
    const first = await atomicWrite(path, Buffer.from('1'), { fsync: false });
    expect([await readStamp(path), readStampNow(path)]).toEqual([first, first]);
    const second = await atomicWrite(path, Buffer.from('1'), { fsync: false });
    expect([isSameStamp(first, second), isSameFile(first, second)]).toEqual([false, false]);
    writeFileSync(path, '12');
    const third = readStampNow(path);
    expect(third && [isSameStamp(second, third), isSameFile(second, third)]).toEqual([false, true]);
    expect([await readStamp(join(path, 'x')), readStampNow(join(path, 'x'))]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('report a file that cannot be inspected with an error code', async () => {
    const loop = join(tempFolder(), 'x'.repeat(256));
    await expect(readStamp(loop)).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
    expect(() => readStampNow(loop)).toThrow(expect.objectContaining({ code: 'FILESYSTEM_ERROR' }));
  });
});

describe('file errors', () => {
  const system = (code: string) => Object.assign(new Error(code), { code });

  it('distinguish a full disk from other failures, keep the cause, and do not change an AppError', async () => {
    expect(fileError(system('ENOSPC'), 'write', 'p')).toMatchObject({ code: 'STORAGE_FULL' });
    expect(fileError(system('EDQUOT'), 'write', 'p')).toMatchObject({ code: 'STORAGE_FULL' });
    const cause = system('EIO');
    const failure = fileError(cause, 'write', 'p');
    expect(failure).toMatchObject({ code: 'FILESYSTEM_ERROR', details: { errno: 'EIO' }, cause });
    expect(fileError(failure, 'again', 'q')).toBe(failure);
    await expect(withFileError('x', 'p', () => Promise.reject(failure))).rejects.toBe(failure);
  });

  it('ignoreErrno returns undefined only for the given errors', async () => {
    expect(await ignoreErrno(['ENOENT'], Promise.reject(system('ENOENT')))).toBeUndefined();
    expect(await ignoreErrno(['ENOENT'], Promise.resolve(1))).toBe(1);
    await expect(ignoreErrno(['ENOENT'], Promise.reject(system('EIO')))).rejects.toMatchObject({
      code: 'EIO',
    });
    await expect(ignoreErrno(['ENOENT'], Promise.reject('text'))).rejects.toBe('text');
  });
});
