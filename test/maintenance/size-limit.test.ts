/** When the size of the store is measured, and what counts. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { StoreSize } from '../../src/maintenance/size-limit.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

it.each([
  ['far away', 1e12, [1, 1, 1, 1, 5]],
  ['near', 1e6, [1, 1, 3, 4, 5]],
])('the size is measured less often if this takes a second and the limit is %s', async (_, limitBytes, files) => {
  const folder = tempFolder();
  let now = 0;
  const monotonic = () => {
    now += 1000;
    return now;
  };
  const size = new StoreSize({
    folders: [folder],
    limitBytes,
    clock: { now: () => 0, monotonic },
  });
  for (const [index, atMs] of [0, 5000, 15_000, 35_000, 125_000].entries()) {
    writeFileSync(join(folder, `${index}.json`), '{}');
    now = atMs;
    await size.requireRoom();
    await setTimeout(50); // time for a measurement in the background, which must not start
    const knownFiles = async () => (await size.byFolder()).get(folder)?.files;
    await expect.poll(knownFiles).toBe(files[index]);
  }
});

it('the size is measured again if announced writes bring it near the limit', async () => {
  const folder = tempFolder();
  let now = 0;
  const clock = { now: () => 0, monotonic: () => now };
  const size = new StoreSize({ folders: [folder], limitBytes: 1e9, clock });
  const knownFiles = async () => (await size.byFolder()).get(folder)?.files;
  await size.requireRoom(8e8);
  writeFileSync(join(folder, 'new.json'), '{}');
  now = 2000;
  await size.requireRoom(8e7);
  expect(await knownFiles()).toBe(0);
  await size.requireRoom(8e7); // the announced 880 MB are not near the limit yet
  await size.requireRoom(1);
  expect(await knownFiles()).toBe(1);
});

it.each([
  ['does not wait for the first measurement if the known size is far below the limit', 1e6, false],
  ['waits for the first measurement if the known size may be near the limit', 4e6, true],
])('a write %s', async (_, known, waits) => {
  const folder = tempFolder();
  writeFileSync(join(folder, 'large'), Buffer.alloc(11_000_000));
  const clock = { now: () => 0, monotonic: () => 0 };
  const knownBytes = async () => known;
  const size = new StoreSize({ folders: [folder], limitBytes: 1e7, clock, knownBytes });
  if (waits) expect((await errorOf(size.requireRoom(100))).code).toBe('STORAGE_FULL');
  else await size.requireRoom(100);
  await size.byFolder(); // the measurement that the first write began
  expect((await errorOf(size.requireRoom(100))).code).toBe('STORAGE_FULL');
});

it('the size of an empty trash is 0', async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, '.trash'));
  writeFileSync(join(folder, '.trash/.gitignore'), '*\n');
  const clock = { now: () => 0, monotonic: () => 0 };
  const size = new StoreSize({ folders: [folder], limitBytes: undefined, clock });
  expect(await size.measure()).toEqual({ sizeBytes: 2, trashBytes: 0 });
  writeFileSync(join(folder, '.trash/note.20260301T101500123Z.md'), 'text');
  expect(await size.measure()).toEqual({ sizeBytes: 2, trashBytes: 4 });
});
