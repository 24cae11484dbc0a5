/** Ctrl-C during encrypt: the command ends after the present file, and the next run converts the rest. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { convertEncryption } from '../../src/app/services/encryption.js';
import { sleep } from '../../src/base/clock.js';
import { doctorPlace } from '../doctor/place.js';
import { MAIN, type Place, withPlace } from '../e2e/harness.js';
import { filesBelow } from '../support/files-below.js';
import { tempFolder } from '../support/temp-folder.js';
import { DIGITS, filesWith, keyIn, run, withKey } from './store.js';

const CONVERSATIONS = 400;

function fill({ root }: Pick<Place, 'root'>): void {
  for (let n = 0; n < CONVERSATIONS; n += 1) {
    const folder = join(root, 'conversation-logs', `20250124-${1737724800000 + n}`);
    mkdirSync(folder, { recursive: true });
    const file = { messages: [{ role: 'user', content: `plain text ${n}` }] };
    writeFileSync(join(folder, 'conversation.json'), JSON.stringify(file));
  }
}

const isBegun = ({ root }: Place) => filesBelow(root).some(isSealed);
const isSealed = (path: string) =>
  path.endsWith('conversation.json') && readFileSync(path, 'utf8').includes('sealed:1:');

it.skipIf(process.platform === 'win32')(
  'Ctrl-C ends encrypt with status 130 and a hint',
  async () => {
    await withPlace(async (place) => {
      fill(place);
      const key = keyIn(place);
      const encrypt = ['encrypt', '--key-file', key, '--yes', '--json'];
      const child = spawn(process.execPath, [MAIN, '--root', place.root, ...encrypt], {
        env: place.env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const answer = (async () => Buffer.concat(await child.stdout.toArray()).toString())();
      const ended = once(child, 'exit');
      const marker = join(place.root, 'conversation-logs', 'encryption.json');
      while (!existsSync(marker) && child.exitCode === null) await sleep(1);
      while (!isBegun(place) && child.exitCode === null) await sleep(1);
      child.kill('SIGINT');
      expect(await ended).toEqual([130, null]);
      const { error } = JSON.parse(await answer);
      expect(error).toMatchObject({
        code: 'CANCELLED',
        details: { converted: expect.any(Number) },
      });
      expect(error.hint).toMatch(/daybook .*encrypt/);
      await run(place, ...encrypt);
      expect(filesWith('plain text', [place.root])).toEqual([]);
      for (const n of [0, CONVERSATIONS - 1]) {
        const id = `20250124-${1737724800000 + n}`;
        expect(await run(withKey(place, key), 'show', id)).toContain(`plain text ${n}`);
      }
    });
  },
);

it('a stopped run reports the number of converted files if the store is partly encrypted', async () => {
  const keyFile = join(tempFolder(), 'key');
  writeFileSync(keyFile, `${DIGITS}\n`, { mode: 0o600 });
  const { config } = doctorPlace();
  fill(config);
  const stop = (after: number) => {
    const stopped = new AbortController();
    if (after === 0) stopped.abort();
    const onFile = (done: number) => done >= after && stopped.abort();
    const { signal } = stopped;
    return convertEncryption(config, { keyFile }, { onFile, signal }).catch((error) => error);
  };
  const details = async (after: number) => (await stop(after)).details ?? {};
  expect(await details(0)).not.toHaveProperty('converted');
  expect(await details(3)).toMatchObject({ converted: expect.any(Number) });
  expect(await stop(0)).toMatchObject({ code: 'CANCELLED', details: { converted: 0 } });
  await convertEncryption(config, { keyFile }, {});
  expect(filesWith('plain text', [config.root])).toEqual([]);
});
