/**
 * Commands that read and write the bytes of files also work on an encrypted store: scan, redact, archive, and
 * the restore of a backup that was made before the encryption. They leave no plain text on the disk.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { filesBelow } from '../support/files-below.js';
import { filesWith, keyIn, run, withKey } from './store.js';

const TOKEN = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO'.slice(0, 30)}2xYzAb`;
const MARK = 'MarkMarienstrasse';
const OLD = '20200101-1577836800001';

/** Writes an old conversation with a summary and a version, which `archive` chooses. */
function putOld({ root }: Place): void {
  const folder = join(root, 'conversation-logs', OLD);
  mkdirSync(join(folder, 'versions'), { recursive: true });
  const times = { createdAt: '2020-01-01T00:00:00.000Z', updatedAt: '2020-01-01T00:00:00.000Z' };
  const message = {
    id: 'm1',
    role: 'user',
    content: `raven ravensburgerland ${MARK}`,
    createdAt: times.createdAt,
  };
  const document = { conversationId: OLD, ...times, messageCount: 1, clientId: 'old-key' };
  const text = JSON.stringify({ ...document, title: MARK, messages: [message] });
  writeFileSync(join(folder, 'conversation.json'), text);
  writeFileSync(join(folder, 'versions', '0001.20991231T000000000Z.edit.json'), text);
  const summaries = { brief: { text: MARK, provider: 'extractive', messageCount: 1 } };
  writeFileSync(
    join(folder, 'summaries.json'),
    JSON.stringify({ formatVersion: 1, conversationId: OLD, summaries }),
  );
}

const foldersOf = (place: Place) => {
  const cache = join(place.folder, '.cache');
  mkdirSync(cache, { recursive: true });
  return [place.root, cache];
};

async function encrypted(place: Place): Promise<Place> {
  const key = keyIn(place);
  await run(place, 'encrypt', '--key-file', key, '--yes');
  return withKey(place, key);
}

const outcome = (place: Place, ...args: string[]) =>
  runCommand(place, ['--root', place.root, ...args]);

describe('an encrypted store', () => {
  it('can be scanned, and redact removes a text from every kind of file', async () => {
    await withPlace(async (place) => {
      putOld(place);
      const keeping = { ...place, env: { ...place.env, DAYBOOK_SECRETS: 'keep' } };
      await run(keeping, 'save', 'user', `the token ${TOKEN} of ${MARK}`);
      await run(place, 'mb', 'add', 'a.md', `note ${MARK}`);
      await run(place, 'kg', 'add', MARK, 'knows', 'raven');
      await run(place, 'backup');
      const sealed = await encrypted(place);
      await run(sealed, 'mb', 'add', 'b.md', `second ${MARK}`);
      await run(sealed, 'backup');
      const scanned = await outcome(sealed, 'scan', '--json');
      expect(JSON.parse(scanned.stdout)).toMatchObject({
        secrets: [{ kind: 'GITHUB_TOKEN' }, { kind: 'GITHUB_TOKEN' }],
      });
      const redacted = await outcome(sealed, 'redact', MARK, '--yes', '--json');
      expect(redacted).toMatchObject({ code: 0 });
      expect(JSON.parse(redacted.stdout).files.length).toBeGreaterThan(7);
      expect((await outcome(sealed, 'redact', MARK, '--dry-run')).stdout).toContain(
        'No file contains',
      );
      // Every file is still encrypted, and can be read without the removed text.
      expect(
        filesWith('ravensburgerland', foldersOf(place)).filter((path) => !/backups/.test(path)),
      ).toEqual([]);
      expect(await run(sealed, 'search', 'raven')).toContain('ravensburgerland [redacted]');
      expect(await run(sealed, 'mb', 'read', 'b.md')).toContain('second [redacted]');
      expect(await run(sealed, 'kg', 'query', '--predicate', 'knows')).toContain('[redacted]');
      expect((await outcome(sealed, 'doctor')).stdout).not.toMatch(/error/);
    });
  });

  it('has encrypted archives, also older ones, which can be searched, restored and decrypted', async () => {
    await withPlace(async (place) => {
      putOld(place);
      await run(place, 'archive', '--older-than', '90d', '--yes');
      const plain = filesBelow(join(place.root, 'archive'));
      const sealed = await encrypted(place);
      const archive = String(plain.find((path) => path.endsWith('.tar.gz')));
      const at = join(place.folder, 'unpacked');
      await run(place, 'restore', archive, '--to', at).catch(() => undefined);
      await run(sealed, 'restore', archive, '--to', at);
      expect(filesWith(MARK, [at, ...foldersOf(place)])).toEqual([]);
      expect(await run(sealed, 'search', 'raven', '--archive')).toContain(MARK);
      await run(sealed, 'restore', 'old-key');
      expect(await run(sealed, 'search', 'raven')).toContain(MARK);
      // The same again with a summary that is encrypted as a whole file.
      await run(sealed, 'archive', '--older-than', '90d', '--yes');
      expect((await outcome(sealed, 'list')).stdout).not.toContain(OLD);
      expect(filesWith(MARK, foldersOf(place))).toEqual([]);
      await run(sealed, 'decrypt', '--yes');
      rmSync(at, { recursive: true });
      await run(place, 'restore', archive, '--to', at);
      expect(filesWith(MARK, [at])).toHaveLength(3);
    });
  });

  it('is not restored from its backup into a root that was decrypted', async () => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', MARK, '--conversation-id', 'kept');
      await run(place, 'save', 'user', 'raven', '--conversation-id', 'lost');
      const sealed = await encrypted(place);
      const outside = join(place.folder, 'outside');
      await run(sealed, 'backup', '--to', outside);
      const [backup = ''] = filesBelow(outside).filter((path) => path.endsWith('.gz'));
      await run(sealed, 'decrypt', '--yes');
      await run(place, 'delete', 'lost', '--yes');
      for (const option of [[], ['--dry-run']]) {
        const { code, stderr } = await outcome(place, 'restore', backup, ...option);
        expect(code).toBe(2);
        expect(stderr).toContain('not encrypted');
      }
      expect(await run(place, 'list')).toContain(MARK);
    });
  });

  it('encrypts files that are restored from an older plain backup', async () => {
    await withPlace(async (place) => {
      putOld(place);
      await run(place, 'archive', '--older-than', '90d', '--yes');
      putOld(place);
      await run(place, 'mb', 'add', 'a.md', `note ${MARK}`);
      await run(place, 'kg', 'add', MARK, 'knows', 'raven');
      const outside = join(place.folder, 'outside');
      await run(place, 'backup', '--to', outside);
      const [backup = ''] = filesBelow(outside).filter((path) => path.endsWith('.gz'));
      const sealed = await encrypted(place);
      const again = await outcome(sealed, 'restore', backup);
      expect(again.stdout).toContain('0 restored');
      for (const name of [`conversation-logs/${OLD}`, 'memory-bank', 'archive']) {
        rmSync(join(place.root, name), { recursive: true });
      }
      await run(sealed, 'restore', backup);
      expect(filesWith(MARK, foldersOf(place))).toEqual([]);
      const unpacked = join(place.folder, 'unpacked');
      const [archive = ''] = filesBelow(join(place.root, 'archive')).filter((path) =>
        path.endsWith('.tar.gz'),
      );
      await run(sealed, 'restore', archive, '--to', unpacked);
      expect(filesWith(MARK, [unpacked])).toEqual([]);
      expect(await run(sealed, 'search', 'raven')).toContain(MARK);
      expect(await run(sealed, 'mb', 'read', 'a.md')).toContain(MARK);
      expect(await run(sealed, 'kg', 'query', '--predicate', 'knows')).toContain(MARK);
    });
  });
});
