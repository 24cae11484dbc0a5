/** Pipes and sockets with the name of a note: each call names the kind, and none waits for them. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { MemoryBank } from '../../../src/stores/memory-bank/memory-bank.js';
import { doctorPlace } from '../../doctor/place.js';
import { errorOf } from '../../support/error-of.js';
import { tempFolder } from '../../support/temp-folder.js';

const MAKE = {
  pipe: (path: string) => void execFileSync('mkfifo', [path]),
  socket: (path: string) => {
    const server = createServer();
    onTestFinished(() => void server.close());
    return new Promise<void>((done) => void server.listen(path, done));
  },
  folder: (path: string) => void mkdirSync(path),
};
const KINDS = Object.entries(MAKE);
const NOTE = 'note.md';

it.each(KINDS)('a %s is named by each call, and stays', async (kind, make) => {
  const folder = join(tempFolder(), 'memory-bank');
  const bank = new MemoryBank({ folder, maxFiles: 10, fsync: false });
  onTestFinished(() => bank.close());
  await bank.add('other.md', 'text');
  await make(join(folder, NOTE));
  const unread = { code: 'E_MB_READ', details: { path: NOTE, kind } };
  expect(await errorOf(bank.read(NOTE))).toMatchObject(unread);
  const taken = { code: 'ALREADY_EXISTS', details: { path: NOTE, kind } };
  expect(await errorOf(bank.add(NOTE, 'new'))).toMatchObject(taken);
  expect(await errorOf(bank.rename('other.md', NOTE, undefined))).toMatchObject(taken);
  const removed = await errorOf(bank.delete(NOTE));
  expect(removed.code).toBe(kind === 'folder' ? 'E_MB_FILE_NOT_FOUND' : 'E_MB_READ');
  expect(existsSync(join(folder, NOTE))).toBe(true);
});

it.each(
  KINDS.filter(([kind]) => kind !== 'folder'),
)('a %s is a finding of the doctor with its kind', async (kind, make) => {
  const place = doctorPlace();
  const path = join(place.root, 'memory-bank', NOTE);
  mkdirSync(dirname(path), { mode: 0o700 });
  await make(path);
  const found = (await place.findings()).filter(({ check }) => check === 'notes');
  expect(found).toMatchObject([
    { path, message: expect.stringContaining(kind), hint: expect.stringContaining('Move it') },
  ]);
});
