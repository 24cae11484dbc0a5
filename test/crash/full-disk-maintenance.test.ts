/**
 * Prune, archive, encrypt, decrypt, redact and repair on a full disk (a tmpfs of 512 kB, if this machine
 * lets the test mount one), with a little more free space in each round. The operation is done or fails
 * with STORAGE_FULL, nothing is lost, and the next run completes the work when there is space.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { isAppError } from '../../src/base/errors.js';
import { CARE, DIGITS } from '../support/maintenance-scenarios.js';
import { timeLimitMs } from '../support/rounds.js';
import { tempFolder } from '../support/temp-folder.js';

const PAGE = 4096;
const MOST_PAGES = 40;

const outside = tempFolder();
const disk = join(outside, 'disk');
const keyFile = join(outside, 'key');
writeFileSync(keyFile, DIGITS);
const isMounted = mounted();

function mounted(): boolean {
  mkdirSync(disk);
  try {
    const options = ['-t', 'tmpfs', '-o', 'size=512k', 'daybook-test', disk];
    execFileSync('/bin/mount', options, { stdio: 'ignore' });
    return true;
  } catch {
    console.log(
      'full-disk-maintenance: NOT TRIED, this machine does not let the test mount a small tmpfs',
    );
    return false;
  }
}

afterAll(() => {
  if (isMounted) execFileSync('/bin/umount', ['-l', disk]);
});

/** Fills the disk until only this number of pages is free. */
function fillDisk(pages: number): string {
  const filler = join(disk, 'filler');
  const { bavail } = statfsSync(disk);
  if (bavail > pages) writeFileSync(filler, Buffer.alloc((bavail - pages) * PAGE));
  return filler;
}

describe.runIf(isMounted)('maintenance on a full disk', () => {
  it.each(CARE)(
    '$name loses nothing, and completes the work when there is space',
    async ({ name, fill, run, problems }) => {
      let refused = 0;
      for (let pages = 0; pages <= MOST_PAGES; pages += pages < 12 ? 1 : 4) {
        const root = join(disk, 'root');
        await fill(root);
        const filler = fillDisk(pages);
        const outcome = await run(root, keyFile, false).then(
          () => 'done',
          (error: unknown) => (isAppError(error) ? error.code : String(error)),
        );
        rmSync(filler, { force: true });
        const where = `with ${pages} pages left: ${outcome}`;
        expect(['done', 'STORAGE_FULL'], where).toContain(outcome);
        if (outcome !== 'done') refused += 1;
        expect(await problems(root, outcome === 'done'), where).toEqual([]);
        await run(root, keyFile, false);
        expect(await problems(root, true), where).toEqual([]);
        rmSync(root, { recursive: true });
      }
      console.log(`full-disk-maintenance, ${name}: refused ${refused} times`);
      if (name !== 'prune') expect(refused).toBeGreaterThan(0);
    },
    timeLimitMs(300_000),
  );
});
