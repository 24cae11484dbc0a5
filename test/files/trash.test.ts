/** The trash that conversations, notes and insights share: names, moves, and forms of earlier versions. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TrashFolder } from '../../src/files/trash/trash-folder.js';
import { parseTrashName, trashNameOf } from '../../src/files/trash/trash-names.js';
import { errorOf } from '../support/error-of.js';
import { type FsCall, tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';

const AT = Date.parse('2026-03-01T10:15:00.123Z');
const TIME = '20260301T101500123Z';
const deletedAt = '2026-03-01T10:15:00.123Z';

describe('names in the trash', () => {
  it('are the deleted path with the time of the deletion before the extension', () => {
    expect(trashNameOf('20250124-1706102400123', AT)).toBe(`20250124-1706102400123.${TIME}`);
    expect(trashNameOf('6fa459ea.json', AT)).toBe(`6fa459ea.${TIME}.json`);
    expect(trashNameOf('ideas/my.garden.md', AT)).toBe(`ideas/my.garden.${TIME}.md`);
  });

  it('are converted back to path and time, for any path', () => {
    const part = fc.oneof(fc.constant(TIME), fc.stringMatching(/^[a-z][a-z0-9. é]{0,250}[a-z]$/));
    const path = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));
    const ending = fc.constantFrom('.md', '.json');
    fc.assert(
      fc.property(path, ending, (stem, end) => {
        const original = `${stem}${end}`;
        const name = trashNameOf(original, AT);
        expect(parseTrashName(name)).toEqual({ path: original, deletedAt });
        const longest = Math.max(...original.split('/').map((each) => Buffer.byteLength(each)));
        const most = Math.max(255, longest);
        for (const each of name.split('/'))
          expect(Buffer.byteLength(each)).toBeLessThanOrEqual(most);
      }),
    );
  });

  it('can have the form of an earlier version, or no time', () => {
    expect(parseTrashName(`${TIME}/a/b.md`)).toEqual({ path: 'a/b.md', deletedAt });
    expect(parseTrashName('a/b.md')).toEqual({ path: 'a/b.md' });
    expect(parseTrashName('20250124-1706102400123.old')).toEqual({
      path: '20250124-1706102400123.old',
    });
  });
});

function open(holds: 'files' | 'folders', fsync = false) {
  const root = tempFolder();
  const time = { now: AT };
  const clock = { now: () => time.now, monotonic: () => 0 };
  const folder = join(root, '.trash');
  const trash = new TrashFolder({
    folder,
    clock,
    holds,
    durability: { fsync },
    originalOf: (name) => parseTrashName(name).path,
  });
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const text = (path: string) => readFileSync(join(root, path), 'utf8');
  return { root, folder, trash, time, put, text, at: (path: string) => join(root, path) };
}

describe('a trash of folders', () => {
  it.runIf(process.platform === 'linux')('opens few files at a time during a listing', async () => {
    const { trash, put } = open('folders');
    for (let at = 0; at < 200; at += 1) put(`.trash/folder-${at}/a.json`, 'text');
    const openFiles = () => readdirSync('/proc/self/fd').length;
    const before = openFiles();
    let most = 0;
    const listing = trash.list();
    let isListed = false;
    void listing.then(() => {
      isListed = true;
    });
    while (!isListed) {
      most = Math.max(most, openFiles());
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await listing).toHaveLength(200);
    expect(most - before).toBeLessThan(20);
  });
});

describe('a trash of files', () => {
  it('gives different names to two files that were deleted in the same millisecond', async () => {
    const { trash, put, at } = open('files');
    put('a/x.md', 'first');
    const first = await trash.moveIn(at('a/x.md'), 'a/x.md');
    put('a/x.md', 'second');
    const second = await trash.moveIn(at('a/x.md'), 'a/x.md');
    expect([first, second]).toEqual([`a/x.${TIME}.md`, 'a/x.20260301T101500124Z.md']);
    expect((await trash.list()).map(({ name }) => name)).toEqual([second, first]);
    expect(await trash.find('a/x.md')).toMatchObject({ name: second });
    expect(await trash.find(String(first))).toMatchObject({ original: 'a/x.md' });
  });

  it('never replaces a file by a restored one, and leaves no empty folders', async () => {
    const { trash, put, text, at, folder } = open('files');
    put('a/x.md', 'old');
    const name = String(await trash.moveIn(at('a/x.md'), 'a/x.md'));
    put('a/x.md', 'new');
    expect(await trash.moveOut(name, at('a/x.md'))).toBe('taken');
    expect(text('a/x.md')).toBe('new');
    expect(await trash.moveOut(name, at('b/x.md'))).toBe('moved');
    expect(text('b/x.md')).toBe('old');
    expect(readdirSync(folder)).toEqual([]);
    expect(await trash.moveOut(name, at('c.md'))).toBe('absent');
    expect(await trash.moveIn(at('none.md'), 'none.md')).toBeUndefined();
    expect(await trash.remove(name)).toBe(false);
  });

  it('lists, restores and removes entries of an earlier version or a person, but no link', async () => {
    const { trash, put, text, at, folder } = open('files');
    put(`.trash/${TIME}/a/old.md`, 'old');
    put('.trash/hand.md', 'by hand');
    put('.trash/.gitignore', '*');
    put('outside.md', 'outside');
    symlinkSync(at('outside.md'), join(folder, 'link.md'));
    expect(await trash.list()).toEqual([
      { name: `${TIME}/a/old.md`, original: 'a/old.md', deletedAt, sizeBytes: 3 },
      { name: 'hand.md', original: 'hand.md', sizeBytes: 7 },
    ]);
    expect(await trash.moveOut(`${TIME}/a/old.md`, at('a/old.md'))).toBe('moved');
    expect(text('a/old.md')).toBe('old');
    expect(await trash.remove('hand.md')).toBe(true);
    expect(readdirSync(folder).sort()).toEqual(['.gitignore', 'link.md']);
  });
});

describe('a trash of folders', () => {
  it('restores a folder only if none exists, or onto an empty one', async () => {
    const { trash, put, at, text } = open('folders');
    put('c/conversation.json', 'old');
    const name = String(await trash.moveIn(at('c'), 'c'));
    expect(await trash.list()).toEqual([{ name, original: 'c', deletedAt, sizeBytes: 3 }]);
    put('c/conversation.json', 'new');
    expect(await trash.moveOut(name, at('c'))).toBe('taken');
    mkdirSync(at('empty'));
    let isClaimed = false;
    const outcome = await trash.moveOut(name, at('empty'), async () => {
      isClaimed = existsSync(at('empty'));
    });
    expect([outcome, isClaimed, text('empty/conversation.json')]).toEqual(['moved', true, 'old']);
    expect(await trash.moveOut(name, at('none'))).toBe('absent');
    expect(existsSync(at('none'))).toBe(false);
  });

  it('removes a folder also if the disk does not confirm the first step', async () => {
    const { trash, put, at, folder } = open('folders', true);
    put('c/conversation.json', 'text');
    const fail = ({ name }: FsCall) => (name === 'fsync' ? { error: 'EIO' } : undefined);
    mkdirSync(folder);
    const before = (call: FsCall) => (call.path === folder ? fail(call) : undefined);
    const restore = await tapFs(dirname(folder), { before });
    const { details } = await errorOf(trash.removeUnlisted(at('c')).finally(restore));
    expect([details?.['unconfirmed'], readdirSync(folder)]).toEqual([true, []]);
  });

  it('removes a folder in two steps, and finishes an interrupted removal', async () => {
    const { trash, put, at, folder } = open('folders');
    put('c/conversation.json', 'text');
    expect(await trash.removeUnlisted(at('c'))).toBe(true);
    expect(await trash.removeUnlisted(at('c'))).toBe(false);
    put('.trash/.tmp-0123456789abcdef/conversation.json', 'half');
    await trash.tidy();
    expect(readdirSync(folder)).toEqual([]);
  });
});
