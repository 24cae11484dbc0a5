/** An encrypted store without `encryption.json` is not used as a plain store. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Place, withPlace } from '../e2e/harness.js';
import { filesBelow } from '../support/files-below.js';
import { failure, filesWith, keyIn, run, withKey } from './store.js';

const MARK = 'MarkMarienstrasse';
const LATER = 'MarkLater';
const markerOf = ({ root }: Place) => join(root, 'conversation-logs', 'encryption.json');

const LOSSES: Record<string, (marker: string) => void> = {
  'is missing': (marker) => rmSync(marker),
  'has no key': (marker) =>
    writeFileSync(marker, '{"format": "daybook-encryption", "version": 1, "key": null}'),
};

describe('an encrypted store whose encryption.json', () => {
  it.each(
    Object.entries(LOSSES),
  )('%s refuses a call, and can be encrypted again', async (_, lose) => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', MARK);
      const key = keyIn(place);
      await run(place, 'encrypt', '--key-file', key, '--yes');
      lose(markerOf(place));
      for (const each of [place, withKey(place, key)]) {
        expect(await failure(each, 'save', 'user', LATER)).toBe('DECRYPT');
      }
      expect(filesWith(LATER, [place.root])).toEqual([]);
      await run(place, 'encrypt', '--key-file', key, '--yes');
      const mended = withKey(place, key);
      expect(await run(mended, 'search', MARK)).toContain(MARK);
    });
  });

  it('is missing refuses a call even if it contains only a fact or only an insight', async () => {
    for (const save of [
      ['kg', 'add', 'Ada', 'knows', MARK],
      ['insight', 'save', MARK],
    ]) {
      await withPlace(async (place) => {
        await run(place, ...save);
        await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
        rmSync(markerOf(place));
        expect(await failure(place, 'save', 'user', LATER), save.join(' ')).toBe('DECRYPT');
      });
    }
  });
});

it('a plain store can be used although it contains one encrypted conversation of another store', async () => {
  await withPlace(async (place) => {
    const other = { ...place, root: join(place.folder, 'other') };
    mkdirSync(other.root);
    await run(other, 'save', 'user', MARK);
    await run(other, 'encrypt', '--key-file', keyIn(place), '--yes');
    await run(place, 'save', 'user', 'one');
    cpSync(join(other.root, 'conversation-logs'), join(place.root, 'conversation-logs'), {
      recursive: true,
      filter: (path) => !/encryption\.json$|\.locks|\.leases/.test(path),
    });
    await run(place, 'save', 'user', `the text "sealed:1:0123456789abcdef:" of a document`);
  });
});

describe('a text that looks encrypted', () => {
  const SEALED = `sealed:1:0123456789abcdef:${'A'.repeat(60)}`;

  it('is a message like others, and the store can be used, searched and redacted', async () => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', SEALED);
      await run(place, 'insight', 'save', SEALED);
      await run(place, 'mb', 'add', 'looks.md', `# Lines\n~0123456789abcdef:${'A'.repeat(60)}~\n`);
      await run(place, 'save', 'user', `${MARK} after it`, '--conversation-id', 'last');
      expect(await run(place, 'search', MARK)).toContain('after it');
      expect(await run(place, 'redact', MARK, '--yes')).toContain('1 file');
      expect(filesWith(MARK, [place.root])).toEqual([]);
      expect(filesWith(SEALED, [place.root])).toHaveLength(2);
    });
  });

  it('can be in the only conversation of a backup that is restored into a plain store', async () => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', SEALED);
      await run(place, 'backup');
      const [backup = ''] = filesBelow(join(place.root, 'backups')).filter((path) =>
        path.endsWith('.tar.gz'),
      );
      const other = { ...place, root: join(place.folder, 'other') };
      await run(other, 'save', 'user', MARK);
      await run(other, 'restore', backup);
      expect(filesWith(SEALED, [other.root])).toHaveLength(1);
    });
  });

  it('can be beside a field "sealed" that a person added, and the store can be encrypted', async () => {
    await withPlace(async (place) => {
      await run(place, 'save', 'user', SEALED);
      const [file = ''] = filesWith(SEALED, [place.root]);
      const document = JSON.parse(readFileSync(file, 'utf8')) as object;
      writeFileSync(file, JSON.stringify({ ...document, sealed: { toString: null } }));
      await run(place, 'backup');
      await run(place, 'encrypt', '--key-file', keyIn(place), '--yes');
      expect(await run(withKey(place, keyIn(place)), 'list', '--json')).toContain('sealed:1:');
    });
  });

  it('cannot be the beginning of a note, because the note could not be read again', async () => {
    await withPlace(async (place) => {
      const note = `daybook-sealed 1 0123456789abcdef\n${'a long text '.repeat(9)}`;
      expect(await failure(place, 'mb', 'add', 'a.md', note)).toBe('VALIDATION_ERROR');
      await run(place, 'mb', 'add', 'a.md', `# Form\n${note}`);
      // A person may write it in the file.
      writeFileSync(join(place.root, 'memory-bank/b.md'), note);
      await run(place, 'save', 'user', MARK);
    });
  });
});
