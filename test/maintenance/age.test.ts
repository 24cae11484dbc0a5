/** Backups and exports as age files: the tool `age` decrypts them, and they contain no plain text. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { filesWith, run } from '../encryption/store.js';
import { filesBelow } from '../support/files-below.js';

const MARK = 'MarkMarienstrasse';
const PASSPHRASE = 'correct horse battery';

/** Makes a key with `age-keygen`. Returns the file of the secret key, and the recipient. */
function keyOf({ folder }: Place, name: string) {
  const path = join(folder, name);
  execFileSync('age-keygen', ['-o', path], { stdio: 'ignore' });
  const recipient = /public key: (age1\S+)/.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
  return { path, recipient };
}

/** Another last character. */
function withTypo(key: string): string {
  const typo = key.slice(0, -1) + (/q$/i.test(key) ? 'p' : 'q');
  return key.startsWith('age1') ? typo : typo.toUpperCase();
}

async function filled(place: Place): Promise<void> {
  await run(place, 'save', 'user', `raven ${MARK}`);
  await run(place, 'mb', 'add', 'a.md', `note ${MARK}`);
}

const outcome = (place: Place, ...args: string[]) =>
  runCommand(place, ['--root', place.root, ...args]);

describe('an age file', () => {
  it('of a backup is decrypted by the tool age, and restored only with its identity', async () => {
    await withPlace(async (place) => {
      await filled(place);
      const [key, other] = [keyOf(place, 'key.txt'), keyOf(place, 'other.txt')];
      const to = join(place.folder, 'usb');
      await run(place, 'backup', '--to', to, '--age', key.recipient);
      const [path = ''] = filesBelow(to).filter((each) => each.endsWith('.tar.gz.age'));
      expect(filesWith(MARK, [to])).toEqual([]);
      const tar = execFileSync('age', ['-d', '-i', key.path, path]);
      const unpacked = join(place.folder, 'unpacked');
      mkdirSync(unpacked);
      execFileSync('tar', ['-xz', '-C', unpacked], { input: tar });
      expect(filesWith(MARK, [unpacked])).toHaveLength(2);
      const next = { ...place, root: join(place.folder, 'next') };
      const mistyped = join(place.folder, 'mistyped.txt');
      const [, secret = ''] = /(AGE-SECRET-KEY-1\S+)/.exec(readFileSync(key.path, 'utf8')) ?? [];
      writeFileSync(mistyped, withTypo(secret));
      for (const args of [[], ['--identity', other.path], ['--identity', mistyped]]) {
        const refused = await outcome(next, 'restore', path, ...args, '--json');
        expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'DECRYPT' } });
        expect(existsSync(next.root)).toBe(false);
      }
      await run(next, 'restore', path, '--identity', key.path);
      expect(await run(next, 'search', 'raven')).toContain(MARK);
      expect(await run(next, 'mb', 'read', 'a.md')).toContain(MARK);
      const cut = join(place.folder, 'cut.tar.gz.age');
      writeFileSync(cut, readFileSync(path).subarray(0, -20));
      for (const target of [next, { ...place, root: join(place.folder, 'third') }]) {
        const damaged = await outcome(target, 'restore', cut, '--identity', key.path, '--json');
        expect(JSON.parse(damaged.stdout)).toMatchObject({ error: { code: 'CORRUPT' } });
      }
      expect(existsSync(join(place.folder, 'third'))).toBe(false);
    });
  });

  it('of an export contains the whole export, for several recipients or for a passphrase', async () => {
    await withPlace(async (place) => {
      await filled(place);
      const keys = [keyOf(place, 'key.txt'), keyOf(place, 'other.txt')];
      const plain = await run(place, 'export');
      const path = join(place.folder, 'all.jsonl.age');
      const ages = keys.flatMap(({ recipient }) => ['--age', recipient]);
      await run(place, 'export', '-o', path, ...ages);
      for (const key of keys) {
        expect(execFileSync('age', ['-d', '-i', key.path, path]).toString()).toBe(plain);
      }
      const next = { ...place, root: join(place.folder, 'next') };
      const refused = await outcome(next, 'restore', path, '--json');
      expect(JSON.parse(refused.stdout)).toMatchObject({ error: { code: 'DECRYPT' } });
      expect(existsSync(next.root)).toBe(false);
      await run(next, 'restore', path, '--identity', String(keys[1]?.path));
      expect(await run(next, 'search', 'raven')).toContain(MARK);
      const locked = { ...place, env: { ...place.env, DAYBOOK_AGE_PASSPHRASE: PASSPHRASE } };
      const file = join(place.folder, 'locked.jsonl.age');
      await run(locked, 'export', '-o', file, '--age-passphrase');
      expect(filesWith(MARK, [place.folder]).filter((each) => each.endsWith('.age'))).toEqual([]);
      const third = { ...locked, root: join(place.folder, 'third') };
      await run(third, 'restore', file);
      expect(await run(third, 'search', 'raven')).toContain(MARK);
      await run(locked, 'backup', '--age-passphrase');
    });
  });

  it('is not made for a wrong recipient, without a passphrase, or without a file for the export', async () => {
    await withPlace(async (place) => {
      await filled(place);
      for (const args of [
        ['backup', '--age', 'age1short'],
        ['backup', '--age', withTypo(keyOf(place, 'typo.txt').recipient)],
        ['backup', '--age-passphrase'],
        ['export', '--age', keyOf(place, 'key.txt').recipient],
      ]) {
        const { code, stderr } = await outcome(place, ...args);
        expect([args, code, stderr]).toEqual([args, 2, expect.stringMatching(/age|AGE/)]);
      }
      expect(filesBelow(place.root).filter((each) => each.endsWith('.age'))).toEqual([]);
    });
  });
});
