/** A program that changes one file without a pause causes events faster than a process can handle them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Watcher } from '../../src/files/watcher/watcher.js';
import { tempFolder } from '../support/temp-folder.js';

const FLOOD_MS = 5000;
const FLOOD = `
const { renameSync, symlinkSync, unlinkSync } = require('node:fs');
const [path] = process.argv.slice(1);
const end = Date.now() + ${FLOOD_MS};
while (Date.now() < end) {
  renameSync(path, path + '.aside');
  symlinkSync(path + '.aside', path);
  unlinkSync(path);
  renameSync(path + '.aside', path);
}`;

it('a flood of events does not stop the timers of the process, and later changes are found', async () => {
  const root = tempFolder();
  writeFileSync(join(root, 'a.json'), '{}');
  const seen = new Set<string>();
  const watcher = new Watcher({
    root,
    match: (path) => path.endsWith('.json'),
    log: pino({ level: 'silent' }),
    onChange: (changes) => {
      for (const { path } of changes) seen.add(path);
    },
  });
  await watcher.ready;
  await expect.poll(() => watcher.status().watchedFolders).toBe(1);
  let ticks = 0;
  const timer = setInterval(() => {
    ticks += 1;
  }, 20);
  const child = spawn(process.execPath, ['-e', FLOOD, join(root, 'a.json')], { stdio: 'inherit' });
  const ended = once(child, 'close');
  // The end of the child is reported in a later turn of the event loop than its last event.
  let ticksOfFlood = 0;
  while (child.exitCode === null) {
    ticksOfFlood = ticks;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  clearInterval(timer);
  expect((await ended)[0]).toBe(0);
  expect(ticksOfFlood).toBeGreaterThan(FLOOD_MS / 20 / 5);
  writeFileSync(join(root, 'b.json'), '{}');
  await expect.poll(() => seen.has('b.json')).toBe(true);
  // The folder is watched again after a second.
  await expect.poll(() => watcher.status().watchedFolders).toBe(1);
  await watcher.close();
});
