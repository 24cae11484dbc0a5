/**
 * Leases: one holder, taken over from a holder that stopped refreshing, let go without fuss.
 */
import { existsSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tryLease } from '../../src/files/lease.js';
import { tempFolder } from '../support/temp-folder.js';

describe('tryLease', () => {
  it('has one holder; letting go twice does nothing', async () => {
    const path = join(tempFolder(), '.leases', 'poll');
    const all = await Promise.all([1, 2, 3].map(() => tryLease(path)));
    const [lease, ...others] = all.filter((found) => found !== undefined);
    expect(others).toEqual([]);
    expect(lease?.isHeld()).toBe(true);
    await lease?.release();
    await lease?.release();
    expect(lease?.isHeld()).toBe(false);
    expect(existsSync(`${path}.lock`)).toBe(false);
    await (await tryLease(path))?.release();
  });

  it('is taken over when it was not refreshed, and the old holder learns of it', async () => {
    const path = join(tempFolder(), 'poll');
    const first = await tryLease(path);
    const longAgo = Date.now() / 1000 - 60;
    utimesSync(`${path}.lock`, longAgo, longAgo);
    const second = await tryLease(path);
    expect(second?.isHeld()).toBe(true);
    await expect.poll(() => first?.isHeld(), { timeout: 60_000 }).toBe(false);
    await first?.release();
    expect(await tryLease(path)).toBeUndefined();
    await second?.release();
  });

  it('reports with a code what is no place for a lease', async () => {
    const file = join(tempFolder(), 'file');
    writeFileSync(file, '');
    await expect(tryLease(join(file, 'x'))).rejects.toMatchObject({ code: 'FILESYSTEM_ERROR' });
  });
});
