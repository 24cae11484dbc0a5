/** A file system of a few kilobytes, for tests of a full disk. */
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { tempFolder } from './temp-folder.js';

/**
 * Mounts a small tmpfs in a new folder until the tests of the file have ended. If the machine does not allow
 * it, `isMounted` is false, and a line is printed.
 */
export function smallDisk(name: string, size: string): { disk: string; isMounted: boolean } {
  const disk = join(tempFolder(), name);
  mkdirSync(disk);
  try {
    const options = ['-t', 'tmpfs', '-o', `size=${size}`, 'daybook-test', disk];
    execFileSync('/bin/mount', options, { stdio: 'ignore' });
  } catch {
    console.log('full-disk: NOT TRIED, this machine does not let the test mount a small tmpfs');
    return { disk, isMounted: false };
  }
  afterAll(() => execFileSync('/bin/umount', ['-l', disk]));
  return { disk, isMounted: true };
}
