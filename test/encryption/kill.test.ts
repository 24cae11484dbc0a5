/**
 * A process is killed (kill -9) while it encrypts a store, changes its key or decrypts it. Every file is
 * complete, either plain or encrypted, no other process can read or write until the next run, and the next
 * run completes the work. At the end every file has the bytes that it had before.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sleep } from '../../src/base/clock.js';
import { convertFile } from '../../src/encryption/re-encrypt-file.js';
import { CipherKey } from '../../src/files/sealing/cipher.js';
import { addKey } from '../../src/files/sealing/sealed-form.js';
import { MAIN, type Place, withPlace } from '../e2e/harness.js';
import { filesBelow } from '../support/files-below.js';
import { printedRandom, rounds, timeLimitMs } from '../support/rounds.js';
import { DIGITS, failure, keyIn, run, withKey } from './store.js';

const CONVERSATIONS = 300;
const NOTES = 60;
const KILLS = 3;
const NEXT_DIGITS = 'b2'.repeat(32);

function fill({ root }: Place): void {
  const bank = join(root, 'memory-bank');
  mkdirSync(bank, { recursive: true });
  for (let n = 0; n < NOTES; n += 1) writeFileSync(join(bank, `n${n}.md`), `# Note ${n}\n`);
  for (let n = 0; n < CONVERSATIONS; n += 1) {
    const conversationId = `20250124-${1737724800000 + n}`;
    const folder = join(root, 'conversation-logs', conversationId);
    mkdirSync(folder, { recursive: true });
    const createdAt = '2025-01-24T13:20:00.000Z';
    const message = { id: `m${n}`, role: 'user', content: `text ${n}`, createdAt };
    const head = {
      conversationId,
      createdAt,
      updatedAt: createdAt,
      messageCount: 1,
      formatVersion: 1,
    };
    const file = { ...head, title: `title ${n}`, messages: [message] };
    writeFileSync(join(folder, 'conversation.json'), `${JSON.stringify(file, null, 2)}\n`);
  }
}

/** The plain text of each file with content. Throws if a file can neither be read nor decrypted. */
function contents(root: string): Record<string, string> {
  const keys = [DIGITS, NEXT_DIGITS].map((digits) => new CipherKey(Buffer.from(digits, 'hex')));
  const forget = keys.map(addKey);
  const files = filesBelow(root).filter((path) => /conversation\.json$|\.md$/.test(path));
  const plain = files.map((path) => {
    const bytes = readFileSync(path);
    const opened = convertFile(path, bytes, { from: keys[0], to: undefined }) ?? bytes;
    return [relative(root, path), Buffer.from(opened).toString()];
  });
  for (const step of forget) step();
  return Object.fromEntries(plain.filter(([path]) => !path?.includes('.tmp-')));
}

const isConverting = ({ root }: Place) => {
  const path = join(root, 'conversation-logs', 'encryption.json');
  return existsSync(path) && readFileSync(path, 'utf8').includes('"converting"');
};

/** Kills the command a moment after it began to convert. Returns true if it had not finished. */
async function killed(place: Place, args: readonly string[], afterMs: number): Promise<boolean> {
  const command = [MAIN, '--root', place.root, ...args];
  const child = spawn(process.execPath, command, { env: place.env, stdio: 'ignore' });
  const ended = once(child, 'exit');
  while (!isConverting(place) && child.exitCode === null) await sleep(1);
  await sleep(afterMs);
  child.kill('SIGKILL');
  await ended;
  return isConverting(place);
}

describe('encrypt, a change of the key and decrypt that are killed', () => {
  it(
    'leave every file complete, and the next run converts the rest',
    async () => {
      const random = printedRandom('encryption');
      await withPlace(async (place) => {
        fill(place);
        const before = contents(place.root);
        const [key, next] = [keyIn(place), keyIn(place, NEXT_DIGITS, 'next')];
        const steps: readonly (readonly [Place, string[]])[] = [
          [place, ['encrypt', '--key-file', key, '--yes']],
          [withKey(place, key), ['encrypt', '--key-file', next, '--yes']],
          [withKey(place, next), ['decrypt', '--yes']],
        ];
        let middles = 0;
        for (const [as, args] of steps) {
          for (let kill = 0; kill < rounds(KILLS); kill += 1) {
            if (!(await killed(as, args, random() * 120))) continue;
            middles += 1;
            expect(contents(place.root)).toEqual(before);
            if (kill === 0) expect(await failure(as, 'save', 'user', 'x')).toBe('LOCKED');
          }
          await run(as, ...args);
          expect(contents(place.root)).toEqual(before);
        }
        expect(middles).toBeGreaterThan(0);
        for (const [path, text] of Object.entries(before)) {
          expect(readFileSync(join(place.root, path), 'utf8')).toBe(text);
        }
      });
    },
    timeLimitMs(300_000),
  );
});
