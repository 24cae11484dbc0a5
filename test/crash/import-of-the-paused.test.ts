/**
 * An import is paused (SIGSTOP, as a container can be) until another import has taken its lease and its
 * lock and has ended. When the first import continues, it adds nothing, not even the batch that it was
 * writing.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isOwnerName } from '../../src/files/locks/process-identity.js';
import { MAIN, runCommand, withPlace } from '../e2e/harness.js';
import { chatgptConversation } from '../support/chatgpt-conversation.js';

const COUNT = 3000;
const EXPORT = Array.from({ length: COUNT }, (_, index) =>
  chatgptConversation(index, `number ${index}`),
);

/** Takes the lock from its owner, as a waiter does after 30 s (docs/LOCKING.md, step 4). */
function takeLock(lock: string): void {
  const owners = existsSync(lock) ? readdirSync(lock).filter(isOwnerName) : [];
  for (const owner of owners) {
    renameSync(join(lock, owner), `${lock}.dead.${owner}`);
    rmSync(`${lock}.dead.${owner}`, { recursive: true });
  }
}

it.skipIf(process.platform === 'win32')(
  'an import that was paused adds nothing after another import has added everything',
  async () => {
    await withPlace(async (place) => {
      mkdirSync(place.root);
      const path = join(place.folder, 'conversations.json');
      writeFileSync(path, JSON.stringify(EXPORT));
      const logs = join(place.root, 'conversation-logs');
      const folders = () =>
        existsSync(logs) ? readdirSync(logs).filter((name) => /^\d/.test(name)) : [];
      const args = ['--root', place.root, 'import', path, '--yes'];
      const options = { env: place.env, stdio: 'ignore' } as const;
      const paused = spawn(process.execPath, [MAIN, ...args], options);
      while (folders().length < 200 && paused.exitCode === null) await pause(1);
      paused.kill('SIGSTOP');
      expect(folders().length).toBeLessThan(COUNT);
      const longAgo = Date.now() / 1000 - 60;
      utimesSync(join(logs, '.leases/import.lock'), longAgo, longAgo);
      takeLock(join(logs, '.locks/new-conversations'));
      expect(await runCommand(place, args)).toMatchObject({ code: 0 });
      paused.kill('SIGCONT');
      await once(paused, 'exit');
      const texts = folders().map(
        (name) =>
          JSON.parse(readFileSync(join(logs, name, 'conversation.json'), 'utf8')).messages[0]
            .content,
      );
      expect(texts).toHaveLength(COUNT);
      expect(new Set(texts).size).toBe(COUNT);
    });
  },
);
