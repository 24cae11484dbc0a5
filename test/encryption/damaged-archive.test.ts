/** An archive with a conversation that cannot be decrypted, or that is cut off, hides nothing else. */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { rewriteArchive } from '../../src/files/rewrite-tar-archive.js';
import { archiveOf, readArchive } from '../../src/files/tar-archive.js';
import { CONTENTS_NAME } from '../../src/maintenance/check-archive.js';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { errorOf, keyIn, run, withKey } from './store.js';

/** Two archived conversations of an encrypted store: the path of their archive. */
async function archived(place: Place): Promise<string> {
  for (const key of ['first', 'second'])
    await run(place, 'save', 'user', `text of ${key}`, '--conversation-id', key);
  await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
  await run(withKey(place, keyIn(place)), 'archive', '--older-than', '0d', '--yes');
  const folder = join(place.root, 'archive');
  const [name = ''] = readdirSync(folder).filter((each) => each.endsWith('.tar.gz'));
  return join(folder, name);
}

it('the conversations after one that cannot be decrypted are found and restored', () =>
  withPlace(async (place) => {
    const path = await archived(place);
    const secret = withKey(place, keyIn(place));
    let changed = '';
    const change = ({ name, bytes }: { name: string; bytes: Buffer }) => {
      if (!name.endsWith('/conversation.json')) return undefined;
      changed ||= name; // the first one; called twice for each file
      if (name !== changed) return undefined;
      const flip = (_: string, before: string, at: string) => before + (at === 'A' ? 'B' : 'A');
      return Buffer.from(bytes.toString().replace(/("content": "sealed:1:.{40})(.)/, flip));
    };
    await rewriteArchive(path, { contentsName: CONTENTS_NAME, fsync: false, change });
    const id = changed.split('/')[1] ?? '';
    await run(secret, 'restore', 'second');
    expect(await run(secret, 'show', 'second')).toContain('text of second');
    await run(secret, 'restore', id);
    expect((await errorOf(secret, 'show', id)).code).toBe('DECRYPT');
  }));

it.each([
  '{"files":',
  'null',
  '{"files": {}}',
  '{"files": [null, 3, {"name": {"toString": null}}]}',
  `{"files": [], "deep": ${'['.repeat(9_000)}${']'.repeat(9_000)}}`,
])('an archive with a damaged list of files is encrypted and redacted too (%#)', (list) =>
  withPlace(async (place) => {
    await run(place, 'save', 'user', 'text of first, pin 4711');
    await run(place, 'archive', '--older-than', '0d', '--yes');
    await run(place, 'save', 'user', 'text of second, pin 4711', '--conversation-id', 'second');
    const folder = join(place.root, 'archive');
    const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.tar.gz')) ?? '');
    await changeList(path, () => list);
    await run(place, 'redact', '4711', '--yes');
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    expect(await run(withKey(place, keyIn(place)), 'show', 'second')).toContain('pin [redacted]');
    const texts = await filesOf(path);
    expect(texts.get(CONTENTS_NAME)).toBe(list);
    expect([...texts.values()].join()).not.toMatch(/text of|4711/);
  }));

it('an archive whose list of files begins with a byte-order mark stays sound', () =>
  withPlace(async (place) => {
    await run(place, 'save', 'user', 'text of first', '--conversation-id', 'first');
    await run(place, 'archive', '--older-than', '0d', '--yes');
    const folder = join(place.root, 'archive');
    const path = join(folder, readdirSync(folder).find((name) => name.endsWith('.tar.gz')) ?? '');
    await changeList(path, (list) => `\uFEFF${list}`);
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    const secret = withKey(place, keyIn(place));
    await run(secret, 'restore', 'first');
    expect(await run(secret, 'show', 'first')).toContain('text of first');
  }));

it('an encrypted archive in a store that is not encrypted hides no other', () =>
  withPlace(async (place) => {
    const path = await archived(place);
    await withPlace(async (plain) => {
      await run(plain, 'save', 'user', 'text of third');
      await run(plain, 'archive', '--older-than', '0d', '--yes');
      const copy = join(plain.root, 'archive', 'conversations-2020-01.tar.gz');
      copyFileSync(path, copy);
      const search = ['--root', plain.root, 'search', 'text', '--archive', '--json'];
      const { stdout } = await runCommand(plain, search);
      const snippet = expect.stringContaining('third');
      expect(JSON.parse(stdout).results).toMatchObject([{ snippet }]);
    });
  }));

it('an encrypted archive in a store that is not encrypted restores nothing, and says why', () =>
  withPlace(async (place) => {
    const path = await archived(place);
    const id = JSON.parse(await run(withKey(place, keyIn(place)), 'restore', 'first', '--json'));
    await withPlace(async (plain) => {
      mkdirSync(join(plain.root, 'archive'), { recursive: true });
      copyFileSync(path, join(plain.root, 'archive', 'conversations-2020-01.tar.gz'));
      const { code, message } = await errorOf(plain, 'restore', id.conversationId);
      expect(code).toBe('DECRYPT');
      expect(message).toContain('conversations-2020-01.tar.gz');
      const logs = join(plain.root, 'conversation-logs');
      expect(existsSync(logs) ? readdirSync(logs) : []).not.toContain(id.conversationId);
    });
  }));

it('a search in the archives of an encrypted store that has none finds nothing', () =>
  withPlace(async (place) => {
    await run(place, 'save', 'user', 'text of first');
    mkdirSync(join(place.root, 'memory-bank'), { recursive: true });
    writeFileSync(join(place.root, 'memory-bank', 'plan.md'), 'a note');
    await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
    const secret = withKey(place, keyIn(place));
    const search = ['--root', place.root, 'search', 'text', '--archive'];
    const { code, stderr } = await runCommand(secret, search);
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining('no archives') });
    expect(readdirSync(place.root)).not.toContain('archive');
  }));

/** The texts of the files in an archive, by name. */
async function filesOf(path: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { name, bytes } of readArchive(path)) texts.set(name, `${Buffer.from(bytes)}`);
  return texts;
}

async function changeList(path: string, change: (list: string) => string): Promise<void> {
  async function* changed() {
    for (const [name, text] of await filesOf(path)) {
      const bytes = Buffer.from(name === CONTENTS_NAME ? change(text) : text);
      yield { name, bytes, modifiedMs: 0 };
    }
  }
  const parts: Uint8Array[] = [];
  for await (const part of archiveOf(changed())) parts.push(part);
  writeFileSync(path, Buffer.concat(parts));
}

it('an archive that is cut off is named if what should be restored is not found', () =>
  withPlace(async (place) => {
    const path = await archived(place);
    writeFileSync(path, readFileSync(path).subarray(0, 300));
    const { hint } = await errorOf(withKey(place, keyIn(place)), 'restore', 'second');
    expect(hint).toContain(path);
  }));
