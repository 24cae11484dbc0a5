/** Opening a folder that another process moves, as it moves the folders of locks. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errnoOf, isAppError } from '../../src/base/errors.js';
import { pinFolder } from '../../src/files/safe-access/pinned-folder.js';
import { tempFolder } from '../support/temp-folder.js';

const MOVING = `
const { mkdirSync, renameSync, rmdirSync } = require('node:fs');
const [path] = process.argv.slice(1);
const end = Date.now() + 3000;
while (Date.now() < end) {
  mkdirSync(path);
  renameSync(path, path + '.discarded');
  rmdirSync(path + '.discarded');
}`;

describe('a folder that is pinned', () => {
  it('exists or is missing, but is never a link, while another process creates and moves it', async () => {
    const path = join(tempFolder(), 'lock');
    const child = spawn(process.execPath, ['-e', MOVING, path], { stdio: 'inherit' });
    const ended = once(child, 'close');
    const seen = new Map<string, number>();
    while (child.exitCode === null) {
      for (let n = 0; n < 1000; n += 1) count(seen, outcomeOf(path));
      await new Promise(setImmediate);
    }
    expect((await ended)[0]).toBe(0);
    expect([...seen.keys()].sort()).toEqual(['ENOENT', 'opened']);
  });

  it('is refused if it is a link', () => {
    const folder = tempFolder();
    mkdirSync(join(folder, 'target'));
    symlinkSync(join(folder, 'target'), join(folder, 'link'));
    expect(outcomeOf(join(folder, 'link'))).toBe('PATH_ESCAPE');
  });
});

function outcomeOf(path: string): string {
  try {
    pinFolder(path).close();
    return 'opened';
  } catch (error) {
    return isAppError(error) ? error.code : (errnoOf(error) ?? String(error));
  }
}

const count = (seen: Map<string, number>, outcome: string) =>
  seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
