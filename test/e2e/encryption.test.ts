/** An encrypted store with the built command: what works as before, and what is refused. */
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from './harness.js';

const SECRET = 'The south wall gets a raised bed.';

function everyByteBelow(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  const texts = files
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1'));
  return texts.join('\n');
}

it('an encrypted store can be searched, shown, scanned and backed up only with its key', async () => {
  await withPlace(async (place) => {
    const keyFile = join(place.folder, 'key');
    writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    const run = (at: Place, ...args: string[]) => runCommand(at, ['--root', at.root, ...args]);
    const open = { ...place, env: { ...place.env, DAYBOOK_KEY_FILE: keyFile } };
    await run(place, 'init', '--json');
    await run(place, 'save', 'user', SECRET, '--conversation-id', 'garden');
    expect(everyByteBelow(place.root)).toContain(SECRET);
    const noFile = await run(place, 'encrypt', '--key-file', join(place.folder, 'none'));
    expect(noFile.stderr).toContain('does not exist');
    const encrypted = await run(place, 'encrypt', '--key-file', keyFile, '--yes');
    expect(encrypted.code).toBe(0);
    expect(encrypted.stdout).toContain(`set DAYBOOK_KEY_FILE to ${keyFile}`);
    expect(everyByteBelow(place.root)).not.toContain('raised bed');

    const locked = await run(place, 'list', '--json');
    expect([locked.code, JSON.parse(locked.stdout).error.code]).toEqual([2, 'DECRYPT']);
    expect(JSON.parse(locked.stdout).error.hint).toContain('the path of a file with this key');
    expect((await run(open, 'search', 'raised')).stdout).toContain(SECRET);
    expect((await run(open, 'save', 'user', 'More', '--conversation-id', 'garden')).code).toBe(0);
    const edit = await run({ ...open, env: { ...open.env, EDITOR: 'touch' } }, 'edit', 'garden');
    expect([edit.code, /The store is encrypted/.test(edit.stderr)]).toEqual([2, true]);
    const { steps } = JSON.parse((await run(open, 'doctor', '--json')).stdout);
    const conversations = steps.find(({ check }: { check: string }) => check === 'conversations');
    expect(conversations).toMatchObject({ checked: 1, findings: [] });
    for (const args of [['scan'], ['redact', 'raised bed', '--yes']]) {
      const { code, stderr } = await run(place, ...args);
      expect([code, /encrypted/.test(stderr)], args[0]).toEqual([2, true]);
    }
    expect((await run(open, 'scan')).code).toBe(0);
    const { path: backup } = JSON.parse((await run(open, 'backup', '--json')).stdout);

    const empty = { ...open, root: join(place.folder, 'empty') };
    await run(empty, 'init', '--json');
    expect((await run(empty, 'restore', backup)).code).toBe(0);
    expect((await run(empty, 'search', 'raised')).stdout).toContain(SECRET);
    expect((await run(empty, 'restore', backup)).stdout).toContain('0 restored');
    const used = { ...place, root: join(place.folder, 'used') };
    await run(used, 'init', '--json');
    await run(used, 'save', 'user', 'In the clear', '--conversation-id', 'other');
    const refused = JSON.parse((await run(used, 'restore', backup, '--json')).stdout);
    expect(refused.error.code).toBe('CONFLICT');
    expect((await run(used, 'list')).stdout).toContain('In the clear');
    expect(readdirSync(join(used.root, 'conversation-logs'))).not.toContain('encryption.json');

    expect((await run(open, 'decrypt', '--yes')).code).toBe(0);
    expect((await run(place, 'show', 'garden')).stdout).toContain(SECRET);
  });
});

it('encrypt reports backups and exports that are not encrypted, also if it runs again', async () => {
  await withPlace(async (place) => {
    const keyFile = join(place.folder, 'key');
    writeFileSync(keyFile, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600 });
    const run = (...args: string[]) => runCommand(place, ['--root', place.root, ...args]);
    const open = { ...place, env: { ...place.env, DAYBOOK_KEY_FILE: keyFile } };
    const runOpen = (...args: string[]) => runCommand(open, ['--root', place.root, ...args]);
    const pathOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).path as string;
    const copiesOf = ({ stdout }: { stdout: string }) => JSON.parse(stdout).copies as string[];
    await run('init', '--json');
    await run('save', 'user', SECRET, '--conversation-id', 'garden');
    const plain = pathOf(await run('backup', '--json'));
    const encrypt = ['encrypt', '--key-file', keyFile, '--yes', '--json'];
    expect(copiesOf(await run(...encrypt))).toEqual([plain]);
    const sealed = pathOf(await runOpen('backup', '--json'));
    expect(sealed).not.toBe(plain);
    const again = await runOpen(...encrypt);
    expect(copiesOf(again)).toEqual([plain]);
    expect(again.stderr).toContain(plain);
    expect(again.stderr).not.toContain(sealed);
    rmSync(plain);
    expect((await runOpen(...encrypt)).stderr).toBe('');
  });
});
