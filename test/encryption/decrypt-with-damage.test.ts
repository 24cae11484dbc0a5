/** A store in which most files cannot be decrypted is decrypted as far as possible, and can be used then. */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { failure, keyIn, run, withKey } from './store.js';

function damage(path: string): void {
  const bytes = readFileSync(path);
  bytes[bytes.length - 3] = (bytes.at(-3) ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

const markerOf = ({ root }: Place) => join(root, 'conversation-logs', 'encryption.json');

/** Two notes that are damaged, and one that is not, in a store that was decrypted. */
async function decrypted(place: Place): Promise<{ damaged: string[]; left: string[] }> {
  for (const name of ['a.md', 'b.md', 'c.md']) await run(place, 'mb', 'add', name, `text ${name}`);
  await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
  const damaged = ['a.md', 'b.md'].map((name) => join(place.root, 'memory-bank', name));
  damaged.forEach(damage);
  const args = ['--root', place.root, 'decrypt', '--yes', '--json'];
  const { code, stdout } = await runCommand(withKey(place, keyIn(place)), args);
  expect(code).toBe(1);
  const { left } = JSON.parse(stdout) as { left: { path: string }[] };
  return { damaged, left: left.map(({ path }) => path) };
}

it('decrypt names what it cannot decrypt, and the store can be used', () =>
  withPlace(async (place) => {
    const { damaged, left } = await decrypted(place);
    expect(left.sort()).toEqual(damaged);
    expect(await run(place, 'mb', 'read', 'c.md')).toContain('text c.md');
    expect(await failure(place, 'mb', 'read', 'a.md')).toBe('DECRYPT');
    await run(place, 'save', 'user', 'later');
    expect(await run(place, 'decrypt', '--yes')).toContain('0 files');
    await run(place, 'search', 'later');
    // The lost marker of an encrypted store is still noticed.
    const other = keyIn(place, 'b2'.repeat(32), 'second');
    const encrypting = ['--root', place.root, 'encrypt', '--key-file', other, '--yes'];
    expect((await runCommand(place, encrypting)).code).toBe(1);
    rmSync(markerOf(place));
    expect(await failure(place, 'save', 'user', 'plain')).toBe('DECRYPT');
  }));

it('a damaged line of the graph with the key of another store does not prevent a conversion', () =>
  withPlace(async (place) => {
    await run(place, 'kg', 'add', 'Ada', 'knows', 'Bob');
    const rejects = join(place.root, 'memory-bank', 'kg_rejects.log');
    writeFileSync(rejects, `~${'0123456789abcdef'}:${'A'.repeat(64)}~\n`);
    const encrypting = ['--root', place.root, 'encrypt', '--key-file', keyIn(place), '--yes'];
    const { code, stderr } = await runCommand(place, encrypting);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(rejects) });
    const decrypting = ['--root', place.root, 'decrypt', '--yes'];
    expect((await runCommand(withKey(place, keyIn(place)), decrypting)).code).toBe(1);
    expect(await run(place, 'kg', 'query', 'Ada')).toContain('Bob');
  }));

it('its backup is not one of an encrypted store', () =>
  withPlace(async (place) => {
    await decrypted(place);
    await run(place, 'save', 'user', 'later');
    await run(place, 'backup');
    const backups = join(place.root, 'backups');
    const [name = ''] = readdirSync(backups).filter((each) => each.endsWith('.tar.gz'));
    const other = { ...place, root: join(place.folder, 'other') };
    mkdirSync(other.root);
    await run(other, 'save', 'user', 'plain');
    cpSync(join(backups, name), join(place.folder, name));
    await run(other, 'restore', join(place.folder, name));
    expect(await run(other, 'search', 'later')).toContain('later');
  }));
