/**
 * A folder in memory for tests in which the durability of files is not the subject: they need less time than on
 * a disk. Tests of locks, of the watcher and of power losses are on the disk of `os.tmpdir()`.
 */
import { readFileSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const SHARED_MEMORY = '/dev/shm';
/** Several times what the tests of all workers use at once. A container often has only 64 MB. */
const MIN_FREE_BYTES = 4 * 1024 ** 3;

/** The folder that the user has chosen with TMPDIR is used unchanged. */
export function memoryFolder(): string {
  return process.env['TMPDIR'] === undefined && isUsable() ? SHARED_MEMORY : tmpdir();
}

/** Some tests start programs from their folder, so it must allow that. */
function isUsable(): boolean {
  try {
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , type, options = ''] =
      mounts.findLast((line) => line.includes(` ${SHARED_MEMORY} `))?.split(' ') ?? [];
    if (type !== 'tmpfs' || options.split(',').includes('noexec')) return false;
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    return bavail * bsize >= MIN_FREE_BYTES;
  } catch {
    return false; // not Linux
  }
}
