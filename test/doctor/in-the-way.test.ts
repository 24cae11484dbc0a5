/** What the doctor says of entries that are in the place of a lock, a cache, a folder or a conversation. */
import { existsSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { indexCachePath, vectorsFolder } from '../../src/app/cache-paths.js';
import { statusOf } from '../../src/doctor/doctor.js';
import { conversationText, type DoctorPlace, doctorPlace, ID } from './place.js';

const FILE = `conversation-logs/${ID}/conversation.json`;
const append = (place: DoctorPlace) =>
  place.withApp(({ conversations }) =>
    conversations.append(ID, [{ role: 'user', content: 'more' }]),
  );

it('A file in the place of a lock is reported, and a repair removes it', async () => {
  const place = doctorPlace();
  place.write(FILE, conversationText(['hello']));
  const path = place.write(`conversation-logs/.locks/${ID}`, 'x');
  place.write('conversation-logs/.locks/.DS_Store', 'x');
  await expect(append(place)).rejects.toMatchObject({
    code: 'FILESYSTEM_ERROR',
    hint: expect.stringContaining('Move it'),
  });
  const isLock = (each: { path: string }) => each.path.startsWith(join(place.logs, '.locks'));
  expect((await place.findings()).filter(isLock)).toMatchObject([
    { check: 'leftovers', severity: 'warning', path, repairable: true },
  ]);
  await place.repair();
  expect(existsSync(path)).toBe(false);
  await append(place);
  expect((await place.findings()).filter(isLock)).toEqual([]);
});

it('A folder in the place of a cache is reported, and no repair is promised that would fail', async () => {
  const place = doctorPlace();
  const path = indexCachePath(place.config) ?? '';
  mkdirSync(path, { recursive: true, mode: 0o700 });
  writeFileSync(join(path, 'kept.txt'), 'x', { mode: 0o600 });
  const found = await place.findings();
  expect(found).toMatchObject([{ check: 'search index', severity: 'warning', path }]);
  expect(found[0]?.repairable).toBe(false);
});

it.each([
  'backups',
  'exports',
  'archive',
  'conversation-logs/.leases',
  'the folder of the caches',
])('A file in the place of a folder is reported once: %s', async (name) => {
  const place = doctorPlace();
  place.write(FILE, conversationText(['hello']));
  const ofCaches = dirname(indexCachePath(place.config) ?? '');
  const path = name.startsWith('the') ? ofCaches : join(place.root, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileSync(path, 'x', { mode: 0o600 });
  const found = (await place.findings()).filter((each) => each.path === path);
  expect(found).toMatchObject([{ severity: 'error', repairable: false }]);
});

it('A file in the place of the folder of a conversation is reported', async () => {
  const place = doctorPlace();
  const path = place.write(`conversation-logs/${ID}`, conversationText(['hello']));
  expect(await place.findings()).toMatchObject([
    { check: 'conversations', severity: 'warning', path, repairable: false },
  ]);
});

it('A link in the place of the folder of the backups fails no check', async () => {
  const place = doctorPlace();
  place.write(FILE, conversationText(['hello'], { messageCount: 7 }));
  const path = join(place.root, 'backups');
  symlinkSync(place.folder, path);
  const { steps } = await place.examine();
  expect(steps.filter(({ error }) => error !== undefined)).toEqual([]);
  const found = steps.flatMap(({ findings }) => findings);
  expect(found.filter((each) => each.path === path).length).toBeGreaterThan(0);
  expect(found).toContainEqual(
    expect.objectContaining({ check: 'conversations', path: join(place.root, FILE) }),
  );
});

const makeFile = (path: string) => writeFileSync(path, 'x', { mode: 0o600 });
const makeFolder = (path: string) => mkdirSync(path, { mode: 0o700 });

it.each([
  ['a file in the place of the folder of insights', 'memory-bank/insights', makeFile],
  ['a file in the place of a lease', 'conversation-logs/.leases/backup.lock', makeFile],
  [
    'a folder in the place of the owner of a lease',
    'conversation-logs/.leases/backup.owner',
    makeFolder,
  ],
  ['a file in the place of the folder of vectors', 'the vectors', makeFile],
])('The check finds %s, and does not fail', async (_, name, make) => {
  const place = doctorPlace();
  place.write(FILE, conversationText(['hello']));
  const path = name === 'the vectors' ? vectorsFolder(place.config) : join(place.root, name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  make(path);
  const { steps } = await place.examine();
  expect(steps.filter(({ error }) => error !== undefined)).toEqual([]);
  const found = steps.flatMap(({ findings }) => findings);
  const ofPath = found.filter((each) => `${each.path} ${each.message}`.includes(path));
  expect(ofPath).toMatchObject([{ repairable: false, hint: expect.any(String) }]);
  expect(statusOf(steps)).toBe(1);
});
