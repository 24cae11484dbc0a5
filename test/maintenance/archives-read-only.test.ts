/** A search in the archives of a read-only root. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { DAY_MS, isoTime } from '../../src/base/clock.js';
import { errorOf } from '../support/error-of.js';
import { smallDisk } from '../support/small-disk.js';
import { openMaintained, T0 } from './maintained.js';

const { disk, isMounted } = smallDisk('archives-read-only', '4m');

it.runIf(isMounted)('says that the archives cannot be unpacked there', async () => {
  const { archives, conversations } = await openMaintained({ root: join(disk, 'root') });
  const createdAt = isoTime(T0 - 400 * DAY_MS);
  const messages = [{ role: 'user' as const, content: 'said', createdAt }];
  await conversations.create({ createdAt, updatedAt: createdAt, messages });
  await archives.archive(await archives.choose({ olderThanDays: 365 }));
  execFileSync('/bin/mount', ['-o', 'remount,ro', disk]);
  const { code, message } = await errorOf(archives.unpacked(async () => undefined));
  expect(code).toBe('FILESYSTEM_ERROR');
  // The folder was not created, so the error is not that of its removal.
  expect(message).toContain('create');
});
