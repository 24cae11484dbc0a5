/** Other users of the machine cannot use what they see of a running command, such as its link to the page. */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { MAIN, type Place, withPlace } from '../e2e/harness.js';

const OTHER_USER = 65_534;

/** Runs `open` with a program in the place of the browser, and returns the arguments that it got. */
async function linkOfBrowser(place: Place, work: (link: string) => void): Promise<void> {
  const [programs, got] = [join(place.folder, 'bin'), join(place.folder, 'link')];
  mkdirSync(programs);
  const browser = join(programs, 'xdg-open');
  writeFileSync(browser, `#!/bin/sh\necho "$1" > '${got}.part' && mv '${got}.part' '${got}'\n`);
  chmodSync(browser, 0o700);
  const env = { ...place.env, PATH: `${programs}:${place.env['PATH']}` };
  const command = spawn(process.execPath, [MAIN, '--root', place.root, 'open'], { env });
  try {
    while (!existsSync(got)) await sleep(20);
    work(readFileSync(got, 'utf8').trim());
  } finally {
    command.kill();
  }
}

const USE_LINK = `
const { origin, hash } = new URL(process.argv[1]);
const body = JSON.stringify({ link: hash.slice('#open='.length) });
const headers = { 'Content-Type': 'application/json' };
fetch(new URL('/api/session', origin), { method: 'POST', body, headers }).then(({ status }) =>
  console.log(status),
);`;

/** The status of the answer to a user who opens the link. */
function useLink(link: string, user: number | undefined): string {
  const options = { encoding: 'utf8', uid: user, cwd: '/' } as const;
  return spawnSync(process.execPath, ['-e', USE_LINK, link], options).stdout.trim();
}

// Only Linux shows who opened a connection, and only root can become another user.
it.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'the link in the list of processes works only for the user of the command, once',
  async () => {
    await withPlace((place) =>
      linkOfBrowser(place, (link) => {
        expect(useLink(link, OTHER_USER)).toBe('401');
        expect(useLink(link, undefined)).toBe('204');
        expect(useLink(link, undefined)).toBe('401');
      }),
    );
  },
);
