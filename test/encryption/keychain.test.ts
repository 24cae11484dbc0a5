/**
 * The key of a store in the keychain of the system: the built command with the keychain of GNOME, on a
 * session bus that the test starts.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it } from 'vitest';
import { type Place, withClient, withPlace } from '../e2e/harness.js';
import { DIGITS, failure, filesWith, keyIn, run, withKey } from './store.js';

const MARK = 'MarkMarienstrasse';
/** Starts the daemon with an unlocked keychain and prints the address of its bus. It ends with its stdin. */
const SESSION = `printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null 2>&1
echo "$DBUS_SESSION_BUS_ADDRESS"; cat >/dev/null`;

async function withKeychain(work: (place: Place) => Promise<void>): Promise<void> {
  await withPlace(async (place) => {
    const runtime = join(place.folder, 'runtime');
    mkdirSync(runtime, { mode: 0o700 });
    const env = { ...place.env, XDG_RUNTIME_DIR: runtime };
    const child = spawn('dbus-run-session', ['--', 'sh', '-c', SESSION], {
      env,
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    try {
      const [address] = (await once(createInterface(child.stdout), 'line')) as [string];
      await work({ ...place, env: { ...env, DBUS_SESSION_BUS_ADDRESS: address } });
    } finally {
      child.stdin.end();
      await once(child, 'exit');
    }
  });
}

const withoutBus = (place: Place): Place => ({
  ...place,
  env: { ...place.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/none' },
});

/** Locks the keychain. Without a display no dialog can ask for its password. */
const lock = ({ env }: Place) =>
  execFileSync(
    'dbus-send',
    [
      ...['--session', '--print-reply', '--dest=org.freedesktop.secrets'],
      ...['/org/freedesktop/secrets', 'org.freedesktop.Secret.Service.Lock'],
      'array:objpath:/org/freedesktop/secrets/collection/login',
    ],
    { env },
  );

const unlock = ({ env }: Place) =>
  execFileSync('gnome-keyring-daemon', ['--replace', '--unlock', '--components=secrets'], {
    env,
    input: 'password',
    stdio: ['pipe', 'ignore', 'ignore'],
  });

/** The key as `secret-tool`, the tool of GNOME, prints it. */
const digitsOf = ({ env }: Place, id: string): string =>
  execFileSync('secret-tool', ['lookup', 'service', 'daybook', 'username', id], {
    env,
    encoding: 'utf8',
  });

function keyFacts({ root }: Place): { id: string; from: string } {
  const path = join(root, 'conversation-logs', 'encryption.json');
  return (JSON.parse(readFileSync(path, 'utf8')) as { key: { id: string; from: string } }).key;
}

describe('a key in the keychain', () => {
  it('opens the store without a setting, and is kept if the store is encrypted again', async () => {
    await withKeychain(async (place) => {
      await run(place, 'save', 'user', MARK);
      const printed = await run(place, 'encrypt', '--keychain', '--yes');
      const { id, from } = keyFacts(place);
      expect(from).toBe('keychain');
      expect(printed).toContain(`under daybook / ${id}`);
      expect(digitsOf(place, id)).toMatch(/^[0-9a-f]{64}$/);
      expect(filesWith(MARK, [place.folder])).toEqual([]);
      await withClient(place, async ({ call }) => {
        expect(JSON.stringify(await call('search_messages', { query: MARK }))).toContain(MARK);
      });
      await run(place, 'encrypt', '--keychain', '--yes');
      expect(keyFacts(place).id).toBe(id);
      await run(place, 'decrypt', '--yes');
      expect(filesWith(MARK, [place.root])).not.toEqual([]);
    });
  });

  it('is the key of a given key file, which opens the store on another machine', async () => {
    await withKeychain(async (place) => {
      await run(place, 'save', 'user', MARK);
      const path = keyIn(place);
      await run(place, 'encrypt', '--key-file', path, '--keychain', '--yes');
      const { id, from } = keyFacts(place);
      expect(from).toBe('keychain');
      expect(digitsOf(place, id)).toBe(DIGITS);
      rmSync(path);
      expect(await run(place, 'search', MARK)).toContain(MARK);

      const elsewhere = withoutBus(place);
      expect(await failure(elsewhere, 'search', MARK)).toBe('NOT_CONFIGURED');
      const copy = keyIn(place, DIGITS, 'copy');
      expect(await run(withKey(elsewhere, copy), 'search', MARK)).toContain(MARK);
      const wrong = keyIn(place, 'b2'.repeat(32), 'wrong');
      expect(await failure(withKey(elsewhere, wrong), 'search', MARK)).toBe('NOT_CONFIGURED');
    });
  });

  it('that was removed from the keychain is an error of a save', async () => {
    await withKeychain(async (place) => {
      await run(place, 'save', 'user', MARK);
      await run(place, 'encrypt', '--keychain', '--yes');
      const { id } = keyFacts(place);
      execFileSync('secret-tool', ['clear', 'service', 'daybook', 'username', id], {
        env: place.env,
      });
      expect(await failure(place, 'save', 'user', 'more')).toBe('DECRYPT');
    });
  });

  it('cannot be read while the keychain is locked, and a server works after the unlock', async () => {
    await withKeychain(async (place) => {
      await run(place, 'save', 'user', MARK);
      await run(place, 'encrypt', '--keychain', '--yes');
      lock(place);
      expect(await failure(place, 'save', 'user', 'more')).toBe('NOT_CONFIGURED');
      await withClient(place, async ({ call }) => {
        const search = () => call('search_messages', { query: MARK });
        await expect(search()).rejects.toThrow('NOT_CONFIGURED');
        unlock(place);
        await expect.poll(async () => JSON.stringify(await search())).toContain(MARK);
      });
    });
  });

  it('that cannot be stored is an error, and the store is not encrypted', async () => {
    await withPlace(async (place) => {
      const alone = withoutBus(place);
      await run(alone, 'save', 'user', MARK);
      expect(await failure(alone, 'encrypt', '--keychain', '--yes')).toBe('NOT_CONFIGURED');
      expect(existsSync(join(place.root, 'conversation-logs', 'encryption.json'))).toBe(false);
      expect(await failure(alone, 'encrypt', '--keychain', '--passphrase', '--yes')).toBe(
        'VALIDATION_ERROR',
      );
      expect(await run(alone, 'search', MARK)).toContain(MARK);
    });
  });
});
