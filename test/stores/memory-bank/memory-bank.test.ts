/** The memory bank with real files: reading, writing, limits, versions, the trash, other processes. */
import { execFile, execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ownerName } from '../../../src/files/locks/process-identity.js';
import { MemoryBank, type NoteChange } from '../../../src/stores/memory-bank/memory-bank.js';
import { MAX_NOTE_BYTES } from '../../../src/stores/memory-bank/note-text.js';
import { errorOf } from '../../support/error-of.js';
import { type FsCall, tapFs } from '../../support/fs-tap.js';
import { tempFolder } from '../../support/temp-folder.js';

const ROOT = resolve(import.meta.dirname, '../../..');

function openBank(maxFiles = 1000) {
  const folder = join(tempFolder(), 'memory-bank');
  const bank = new MemoryBank({ folder, maxFiles, fsync: false });
  onTestFinished(() => bank.close());
  const put = (path: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  };
  const text = (path: string) => readFileSync(join(folder, path), 'utf8');
  const paths = async () => {
    await bank.refresh();
    return bank.known().map(({ path }) => path);
  };
  return { folder, bank, put, text, paths };
}

const codeOf = async (work: Promise<unknown>) => (await errorOf(work)).code;

const until = (isIt: () => boolean) => expect.poll(isIt).toBe(true);

describe('a path that only a shell reads as another folder', () => {
  it.each([
    '~/b.md',
    '~ada/b.md',
    '$HOME/b.md',
    '$TMPDIR/a/b.md',
  ])('creates no folder of that name: %s', async (path) => {
    const { bank, folder } = openBank();
    await bank.add('a.md', 'text');
    const { code, message } = await errorOf(bank.add(path, 'text'));
    expect([code, message]).toEqual(['VALIDATION_ERROR', expect.stringContaining('only a shell')]);
    expect((await errorOf(bank.rename('a.md', path, undefined))).code).toBe('VALIDATION_ERROR');
    expect(readdirSync(folder).filter((name) => /^[~$]/.test(name))).toEqual([]);
  });

  it('can be read, renamed and deleted if it exists', async () => {
    const { bank, put } = openBank();
    put('~/b.md', 'text\n');
    expect((await bank.read('~/b.md')).content).toBe('text\n');
    await bank.rename('~/b.md', 'b.md', undefined);
    await bank.add('~b.md', 'no folder');
  });
});

describe('a path that begins with the name of the memory bank', () => {
  it('makes no folder in the bank, and the error names the path that was meant', async () => {
    const { bank, folder } = openBank();
    await bank.add('ideas/garden.md', 'text');
    const path = 'memory-bank/ideas/garden.md';
    const meant = expect.stringContaining('"ideas/garden.md"');
    for (const work of [bank.add(path, 'x'), bank.rename('ideas/garden.md', path, undefined)])
      expect(await errorOf(work)).toMatchObject({ code: 'VALIDATION_ERROR', hint: meant });
    expect(readdirSync(folder)).not.toContain('memory-bank');
    const missing = await errorOf(bank.read(path));
    expect(missing).toMatchObject({ code: 'E_MB_FILE_NOT_FOUND', hint: meant });
  });

  it('is that of a note if the bank has such a folder', async () => {
    const { bank, put } = openBank();
    put('memory-bank/a.md', 'text\n');
    expect((await bank.read('memory-bank/a.md')).content).toBe('text\n');
  });
});

describe('very many and very deep folders', () => {
  it('are visited once each, and their notes are listed', async () => {
    const { folder, bank, put, paths } = openBank(20_000);
    const deep = `${'d/'.repeat(500)}deep.md`;
    put(deep, 'far below');
    mkdirSync(join(folder, 'd/'.repeat(1200)), { recursive: true });
    for (let n = 0; n < 1000; n += 1)
      mkdirSync(join(folder, 'empty', String(n)), { recursive: true });
    put('many/0.md', 'a note');
    for (let n = 1; n < 1000; n += 1) writeFileSync(join(folder, `many/${n}.md`), '');
    const found = await paths();
    expect(found).toHaveLength(1001);
    expect(found).toContain(deep);
    expect((await bank.read(deep)).content).toBe('far below');
  });
});

describe('reading and writing', () => {
  it('returns what was written, and what a person wrote', async () => {
    const { bank, put, text, paths } = openBank();
    const added = await bank.add('ideas/garden.md', '# Garden\n\nTulips\n');
    expect(added).toMatchObject({ path: 'ideas/garden.md', sizeBytes: 17 });
    expect(text('ideas/garden.md')).toBe('# Garden\n\nTulips\n');
    put('hand.md', 'by hand');
    expect(await paths()).toEqual(['hand.md', 'ideas/garden.md']);
    expect(await bank.read('hand.md')).toMatchObject({ content: 'by hand', sizeBytes: 7 });
    expect((await bank.read('ideas/garden.md')).hash).toBe(added.hash);
  });

  it('ends a text with a newline, so that git merges by lines, and keeps everything else', async () => {
    const { bank, text } = openBank();
    await bank.add('a.md', 'no newline');
    expect(text('a.md')).toBe('no newline\n');
    await bank.add('empty.md', '');
    expect(text('empty.md')).toBe('');
    const odd = ' tabs\tand\u00a0spaces  \r\nmixed\n\n\n𝒳 é e\u0301 \u200b\n';
    await bank.add('odd.md', odd);
    expect((await bank.read('odd.md')).content).toBe(odd);
  });

  it('never overwrites a note when it adds one', async () => {
    const { bank, put, text } = openBank();
    put('a.md', 'first');
    mkdirSync(join(bank.folder, 'folder.md'));
    expect(await codeOf(bank.add('a.md', 'second'))).toBe('ALREADY_EXISTS');
    const { code, details } = await errorOf(bank.add('folder.md', 'second'));
    expect({ code, details }).toEqual({
      code: 'ALREADY_EXISTS',
      details: { path: 'folder.md', kind: 'folder' },
    });
    expect(text('a.md')).toBe('first');
  });

  it('accepts 32 KB and refuses a larger note, from callers and from people', async () => {
    const { bank, put, text } = openBank();
    const full = `${'x'.repeat(MAX_NOTE_BYTES - 1)}\n`;
    await bank.add('full.md', full);
    expect(text('full.md')).toBe(full);
    expect(await codeOf(bank.add('over.md', `x${full}`))).toBe('TOO_LARGE');
    const wide = `${'é'.repeat(MAX_NOTE_BYTES / 2)}\n`;
    expect(await codeOf(bank.add('wide.md', wide))).toBe('TOO_LARGE');
    expect(await codeOf(bank.edit('full.md', undefined, (content) => `x${content}`))).toBe(
      'TOO_LARGE',
    );
    expect(text('full.md')).toBe(full);
    put('hand.md', `x${full}`);
    expect(await codeOf(bank.read('hand.md'))).toBe('TOO_LARGE');
    await bank.refresh();
    expect(bank.known().map(({ path }) => path)).toEqual(['full.md']);
    expect(bank.skipped()).toMatchObject([{ path: 'hand.md', error: { code: 'TOO_LARGE' } }]);
    put('hand.md', full);
    expect((await bank.read('hand.md')).sizeBytes).toBe(MAX_NOTE_BYTES);
  });

  it('refuses a file that is not text', async () => {
    const { bank, put } = openBank();
    expect(await codeOf(bank.add('a.md', 'half \ud800 pair'))).toBe('VALIDATION_ERROR');
    expect(await codeOf(bank.add('a.md', 'NUL \0'))).toBe('VALIDATION_ERROR');
    put('bytes.md', Buffer.from([0x61, 0xff, 0xfe]));
    expect(await codeOf(bank.read('bytes.md'))).toBe('E_MB_READ');
    expect(await codeOf(bank.edit('bytes.md', undefined, () => 'x'))).toBe('E_MB_READ');
    expect(readFileSync(join(bank.folder, 'bytes.md'))).toHaveLength(3);
  });

  it('lists and adds only Markdown, and nothing in hidden folders or those of other stores', async () => {
    const { bank, put, paths } = openBank();
    for (const path of [
      'a.txt',
      'A.MD',
      'kg_wal.log',
      'insights/x.md',
      '.hidden/x.md',
      '.git/x.md',
    ])
      put(path, 'x');
    expect(await paths()).toEqual([]);
    for (const path of ['a.txt', 'b.MD', 'kg_wal.log', 'md'])
      expect(await codeOf(bank.add(path, 'x')), path).toBe('VALIDATION_ERROR');
    for (const path of ['insights/y.md', '.hidden/y.md', 'a/.b/y.md', '.md', '.trash/y.md'])
      expect(await codeOf(bank.add(path, 'x')), path).toBe('PATH_ESCAPE');
  });

  it('refuses names that look like the folder of another store, with PATH_ESCAPE', async () => {
    const { bank, put, paths } = openBank();
    for (const path of ['Insights/y.md', 'ｉnsights/y.md', 'іnsights/y.md', '․trash/y.md']) {
      expect(await codeOf(bank.add(path, 'x')), path).toBe('PATH_ESCAPE');
      expect(await codeOf(bank.rename('a.md', path, undefined)), path).toBe('PATH_ESCAPE');
    }
    await bank.add('insights2/y.md', 'x');
    put('INSIGHTS/hand.md', 'x');
    expect(await paths()).toEqual(['insights2/y.md']);
    expect(bank.skipped()).toMatchObject([
      { path: 'INSIGHTS/hand.md', error: { code: 'PATH_ESCAPE' } },
    ]);
  });

  it('does not delete a note that was saved after it was read', async () => {
    const { bank, put, paths } = openBank();
    for (const permanent of [true, false]) {
      put('a.md', 'one');
      const { hash } = await bank.read('a.md');
      // The bank logs the note that it finds directly before it moves it.
      const stop = bank.follow(() => put('a.md', 'edited'));
      expect(await codeOf(bank.delete('a.md', { expectedHash: hash, permanent }))).toBe('CONFLICT');
      stop();
      expect((await bank.read('a.md')).content).toBe('edited');
      expect(await paths()).toEqual(['a.md']);
      await bank.delete('a.md', { expectedHash: (await bank.read('a.md')).hash, permanent });
      expect(await paths()).toEqual([]);
    }
    expect(await codeOf(bank.restore('a.md').then(() => bank.restore('a.md')))).toBe(
      'E_MB_FILE_NOT_FOUND',
    );
  });
});

describe('hostile paths', () => {
  it('are refused by every operation, and nothing outside is changed', async () => {
    const { folder, bank, put } = openBank();
    const outside = join(folder, '..', 'secret.md');
    put('note.md', 'note');
    writeFileSync(outside, 'secret');
    symlinkSync(outside, join(folder, 'file.md'));
    symlinkSync(dirname(folder), join(folder, 'up'));
    const names = ['../secret.md', 'file.md', 'up/secret.md', 'up/new.md', '..%2fsecret.md'];
    for (const path of [
      ...names,
      '．．/secret.md',
      'Note.md',
      'n\u043ete.md',
      outside,
      'C:\\x.md',
    ]) {
      const tries = [
        bank.read(path),
        bank.add(path, 'x'),
        bank.edit(path, undefined, () => 'x'),
        bank.rename(path, 'other.md', undefined),
        // A rename may change only upper and lower case.
        ...(path === 'Note.md' ? [] : [bank.rename('note.md', path, undefined)]),
        bank.delete(path),
        bank.delete(path, { permanent: true }),
        bank.restore(path),
      ].map(async (work) => {
        try {
          return await work;
        } catch (error) {
          return (error as { code: string }).code;
        }
      });
      const [restored, ...others] = (await Promise.all(tries)).reverse();
      expect(new Set(others), path).toEqual(new Set(['PATH_ESCAPE']));
      expect(['PATH_ESCAPE', 'E_MB_FILE_NOT_FOUND'], path).toContain(restored);
    }
    expect(readFileSync(outside, 'utf8')).toBe('secret');
    expect(readdirSync(dirname(folder)).sort()).toEqual(['memory-bank', 'secret.md']);
    expect(readFileSync(join(folder, 'note.md'), 'utf8')).toBe('note');
    await bank.refresh();
    expect(bank.skipped()).toMatchObject([
      { path: 'file.md', error: { code: 'PATH_ESCAPE' } },
      { path: 'up', error: { code: 'PATH_ESCAPE' } },
    ]);
    expect(bank.known().map(({ path }) => path)).toEqual(['note.md']);
  });
});

describe('versions', () => {
  it('that the caller has not read are not overwritten', async () => {
    const { bank, put, text } = openBank();
    const { hash } = await bank.add('a.md', 'one');
    put('a.md', 'by hand\n');
    expect(await codeOf(bank.edit('a.md', hash, () => 'two'))).toBe('CONFLICT');
    expect(await codeOf(bank.rename('a.md', 'b.md', hash))).toBe('CONFLICT');
    expect(await codeOf(bank.delete('a.md', { expectedHash: hash }))).toBe('CONFLICT');
    expect(text('a.md')).toBe('by hand\n');
    const seen = await bank.read('a.md');
    const edited = await bank.edit('a.md', seen.hash, (content) => `${content}two\n`);
    expect(text('a.md')).toBe('by hand\ntwo\n');
    expect(edited.hash).toBe((await bank.read('a.md')).hash);
    expect(await codeOf(bank.edit('a.md', seen.hash, () => 'three'))).toBe('CONFLICT');
  });

  it('that an editor saves during an edit are kept', async () => {
    const { bank, put, text } = openBank();
    const { hash } = await bank.add('a.md', 'one\n');
    const seen: string[] = [];
    const change = (content: string) => {
      seen.push(content);
      if (seen.length === 1) put('a.md', 'saved by hand\n');
      return `${content}added\n`;
    };
    expect(await codeOf(bank.edit('a.md', hash, change))).toBe('CONFLICT');
    expect(text('a.md')).toBe('saved by hand\n');
    seen.length = 0;
    put('a.md', 'one\n');
    await bank.edit('a.md', undefined, change);
    expect(seen).toEqual(['one\n', 'saved by hand\n']);
    expect(text('a.md')).toBe('saved by hand\nadded\n');
  });

  it('have the same hash as long as their bytes are the same', async () => {
    const { bank, put } = openBank();
    put('a.md', 'same');
    const { hash } = await bank.read('a.md');
    put('a.md', 'same');
    expect((await bank.read('a.md')).hash).toBe(hash);
    put('a.md', 'same\n');
    expect((await bank.read('a.md')).hash).not.toBe(hash);
  });
});

describe('renaming', () => {
  it('moves a note between folders, removes empty folders, and replaces no other note', async () => {
    const { folder, bank, put, paths } = openBank();
    put('a/b/one.md', '1');
    put('a/two.md', '2');
    await bank.rename('a/b/one.md', 'c/d/one.md', undefined);
    expect(await paths()).toEqual(['a/two.md', 'c/d/one.md']);
    expect(existsSync(join(folder, 'a/b'))).toBe(false);
    expect(await codeOf(bank.rename('a/two.md', 'c/d/one.md', undefined))).toBe('ALREADY_EXISTS');
    expect(await codeOf(bank.rename('none.md', 'x.md', undefined))).toBe('E_MB_FILE_NOT_FOUND');
    expect(await codeOf(bank.rename('a/two.md', 'a/two.md/x.md', undefined))).toBe(
      'VALIDATION_ERROR',
    );
    expect(await paths()).toEqual(['a/two.md', 'c/d/one.md']);
  });
});

describe('the limit of notes', () => {
  it('counts all notes on disk towards the limit, including those written by hand', async () => {
    const { bank, put } = openBank(3);
    await bank.add('1.md', '');
    put('2.md', '');
    await bank.add('3.md', '');
    expect(await codeOf(bank.add('4.md', ''))).toBe('E_MB_FULL');
    await bank.edit('1.md', undefined, () => 'edits are no new notes\n');
    await bank.rename('1.md', '4.md', undefined);
    await bank.delete('4.md');
    await bank.add('5.md', '');
    expect(await codeOf(bank.restore('4.md'))).toBe('E_MB_FULL');
    rmSync(join(bank.folder, '2.md'));
    expect(await bank.restore('4.md')).toBe('4.md');
  });
});

describe('the trash', () => {
  it('restores the last deleted note of a path, or the note with a name in the trash', async () => {
    const { folder, bank, text, paths } = openBank();
    await bank.add('a/x.md', 'first');
    const first = await bank.delete('a/x.md');
    expect(existsSync(join(folder, 'a'))).toBe(false);
    await bank.add('a/x.md', 'second');
    await bank.delete('a/x.md');
    expect(readFileSync(first.trashPath ?? '', 'utf8')).toBe('first\n');
    expect(await paths()).toEqual([]);
    await bank.restore('a/x.md');
    expect(text('a/x.md')).toBe('second\n');
    expect(await codeOf(bank.restore(first.trashName ?? ''))).toBe('ALREADY_EXISTS');
    await bank.rename('a/x.md', 'b.md', undefined);
    await bank.restore(first.trashName ?? '');
    expect(text('a/x.md')).toBe('first\n');
    expect(await codeOf(bank.restore('a/x.md'))).toBe('E_MB_FILE_NOT_FOUND');
    expect(await paths()).toEqual(['a/x.md', 'b.md']);
    expect(readdirSync(join(folder, '.trash'))).toEqual([]);
  });

  it('finds a note in the trash by its path in another Unicode form, as every other call does', async () => {
    const { bank, put, text } = openBank();
    const stored = 'cafe\u0301.md';
    const typed = 'caf\u00e9.md';
    put(stored, 'of another system\n');
    await bank.delete(typed);
    expect(await bank.restore(typed)).toBe(stored);
    expect(text(stored)).toBe('of another system\n');
    await bank.delete(typed);
    await bank.purge(typed);
    expect(await bank.trashed()).toEqual([]);
  });

  it('restores and removes notes that an earlier version put under the time of their deletion', async () => {
    const { bank, put, text } = openBank();
    await bank.add('a/x.md', 'now');
    await bank.delete('a/x.md');
    const later = '.trash/20990301T101500123Z/a/x.md';
    put(later, Buffer.from('later'));
    put('.trash/20200301T101500123Z/a/x.md', Buffer.from('earlier'));
    expect((await bank.trashed()).map(({ original }) => original)).toEqual(Array(3).fill('a/x.md'));
    expect(await bank.restore('a/x.md')).toBe('a/x.md');
    expect(text('a/x.md')).toBe('later');
    await bank.purge('20200301T101500123Z/a/x.md');
    expect(await bank.trashed()).toHaveLength(1);
  });

  it('is ignored by git, and can contain files that are not readable notes', async () => {
    const { folder, bank, put } = openBank();
    put('bytes.md', Buffer.from([0xff]));
    await bank.delete('bytes.md');
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const status = execFileSync('git', ['status', '--porcelain', '-uall'], { cwd: folder });
    expect(String(status)).toBe('?? .gitattributes\n?? .gitignore\n');
    expect(await bank.restore('bytes.md')).toBe('bytes.md');
  });

  it('keeps nothing in the trash when a note is removed permanently', async () => {
    const { folder, bank } = openBank();
    await bank.add('a.md', 'x');
    expect(await bank.delete('a.md', { permanent: true })).toEqual({});
    expect(readdirSync(folder).filter((name) => !name.startsWith('.'))).toEqual([]);
    expect(await codeOf(bank.restore('a.md'))).toBe('E_MB_FILE_NOT_FOUND');
  });
});

describe('the index in memory', () => {
  it('agrees with the disk after any sequence of hand edits and calls', async () => {
    const name = fc.constantFrom('a.md', 'b.md', 'd/a.md', 'd/e/c.md');
    const step = fc.record({
      what: fc.constantFrom('put', 'rm', 'add', 'edit', 'delete', 'rename', 'restore', 'look'),
      path: name,
      to: name,
      text: fc.string({ maxLength: 8 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const folder = join(tempFolder(), 'bank');
        const bank = new MemoryBank({ folder, maxFiles: 100, fsync: false });
        const told = new Map<string, string>();
        bank.follow(({ path, note }: NoteChange) => {
          if (note === undefined) told.delete(path);
          else told.set(path, note.content);
        });
        for (const { what, path, to, text } of steps) {
          const full = join(folder, path);
          if (what === 'put') {
            mkdirSync(dirname(full), { recursive: true });
            writeFileSync(full, text);
          } else if (what === 'rm') rmSync(full, { force: true });
          else if (what === 'look') await bank.refresh();
          else {
            const calls = {
              add: () => bank.add(path, text),
              edit: () => bank.edit(path, undefined, (content) => content + text),
              delete: () => bank.delete(path),
              rename: () => bank.rename(path, to, undefined),
              restore: () => bank.restore(path),
            };
            await calls[what as keyof typeof calls]().catch((error: { code?: string }) => {
              expect(['E_MB_FILE_NOT_FOUND', 'ALREADY_EXISTS', 'VALIDATION_ERROR']).toContain(
                error.code,
              );
            });
          }
        }
        await bank.refresh();
        const onDisk = filesBelow(folder);
        expect(new Map([...told].sort())).toEqual(onDisk);
        expect(bank.known().map(({ path }) => path)).toEqual([...onDisk.keys()]);
        await bank.close();
      }),
      { numRuns: 60 },
    );
  });

  it('follows hand edits while watching', async () => {
    const { folder, bank, put } = openBank();
    put('a.md', 'one');
    const told: string[] = [];
    bank.follow(({ path, note }) => told.push(`${path} ${note?.content}`));
    bank.watch();
    await until(() => told.includes('a.md one'));
    put('a.md', 'two');
    await until(() => told.includes('a.md two'));
    put('deep/er/b.md', 'new');
    await until(() => told.includes('deep/er/b.md new'));
    renameSync(join(folder, 'a.md'), join(folder, 'c.md'));
    await until(() => told.includes('a.md undefined') && told.includes('c.md two'));
    appendFileSync(join(folder, 'c.md'), ' three');
    await until(() => told.includes('c.md two three'));
  });
});

/** Path and text of every note, read from the disk. */
function filesBelow(folder: string, prefix = ''): Map<string, string> {
  if (!existsSync(folder)) return new Map();
  const found: [string, string][] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.name.startsWith('.')) continue;
    const path = `${prefix}${entry.name}`;
    if (entry.isDirectory()) found.push(...filesBelow(join(folder, entry.name), `${path}/`));
    else found.push([path, readFileSync(join(folder, entry.name), 'utf8')]);
  }
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describe('two processes', () => {
  const run = async (folder: string, ...args: string[]) => {
    const child = join(ROOT, 'test/support/note-user.mjs');
    const command = [child, join(ROOT, 'dist'), folder, ...args];
    const { stdout } = await promisify(execFile)(process.execPath, command);
    return JSON.parse(stdout) as string[];
  };

  it('write one note, and all lines of both are kept', async () => {
    const { folder, bank, text } = openBank();
    await bank.add('shared.md', 'begun');
    const names = ['one', 'two'];
    const results = await Promise.all(
      names.map((name) => run(folder, name, 'append', 'shared.md', '150')),
    );
    expect(new Set(results.flat())).toEqual(new Set(['ok']));
    const lines = text('shared.md').trimEnd().split('\n').slice(1);
    for (const name of names) {
      const own = lines.filter((line) => line.startsWith(name));
      expect(own).toEqual(Array.from({ length: 150 }, (_, n) => `${name} ${n}`));
    }
    expect(lines).toHaveLength(300);
  });

  it('never exceed the limit together', async () => {
    const { folder, paths } = openBank();
    const results = await Promise.all(
      ['one', 'two'].map((name) => run(folder, name, 'fill', '40', '50')),
    );
    expect(results.flat().filter((result) => result === 'ok')).toHaveLength(50);
    expect(results.flat().filter((result) => result === 'E_MB_FULL')).toHaveLength(30);
    expect(await paths()).toHaveLength(50);
  });
});

it('tidy removes what ended processes left, also in the folders of notes and of the trash', async () => {
  const { bank, folder, put, paths } = openBank();
  await bank.add('ideas/a.md', 'text');
  const dead = ownerName().replace(/-\d+-([0-9a-z]+)$/, '-1-$1');
  const temporary = `.tmp-${dead}-01234567`;
  const left = [temporary, `ideas/${temporary}`, `.trash/ideas/${temporary}`];
  const inLock = `.locks/insight-1/${dead}/stage`;
  const living = `ideas/.tmp-${ownerName()}-01234567`;
  for (const path of [...left, inLock, living]) put(path, 'half');
  await bank.tidy();
  const there = [...left, inLock, living].filter((path) => existsSync(join(folder, path)));
  expect(there).toEqual([living]);
  expect(await paths()).toEqual(['ideas/a.md']);
});

it('a note that could not be removed permanently has its path again', async () => {
  const { bank, folder, paths } = openBank();
  await bank.add('a.md', 'text');
  let failures = 1;
  const fail = ({ name, path }: FsCall) => {
    if (name !== 'unlink' || !path.includes('/.trash/') || failures === 0) return undefined;
    failures -= 1;
    return { error: 'EIO' };
  };
  const restore = await tapFs(folder, { before: fail });
  expect(await codeOf(bank.delete('a.md', { permanent: true }).finally(restore))).toBe(
    'FILESYSTEM_ERROR',
  );
  expect([await paths(), await bank.trashed()]).toEqual([['a.md'], []]);
  await bank.delete('a.md', { permanent: true });
  expect([await paths(), await bank.trashed()]).toEqual([[], []]);
});

it('a rename or a restore that a crash interrupted is finished by the same call', async () => {
  const { bank, folder, paths } = openBank();
  await bank.add('a.md', 'first');
  mkdirSync(join(folder, 'ideas'));
  linkSync(join(folder, 'a.md'), join(folder, 'ideas/b.md'));
  expect(await codeOf(bank.edit('ideas/b.md', undefined, () => 'x'))).toBe('PATH_ESCAPE');
  await bank.rename('a.md', 'ideas/b.md', undefined);
  await bank.edit('ideas/b.md', undefined, () => 'second');
  const { trashPath } = await bank.delete('ideas/b.md');
  mkdirSync(join(folder, 'ideas'));
  linkSync(String(trashPath), join(folder, 'ideas/b.md'));
  await bank.restore('ideas/b.md');
  await bank.edit('ideas/b.md', undefined, () => 'third');
  expect([await paths(), await bank.trashed()]).toEqual([['ideas/b.md'], []]);
});

it('a rename to the same path is refused, and the file keeps its name', async () => {
  const { bank, folder, paths } = openBank();
  await bank.add('a.md', 'first');
  const renames: string[] = [];
  const before = ({ name, path }: FsCall) => {
    if (name === 'rename' && path.endsWith('/a.md')) renames.push(path);
    return undefined;
  };
  const restore = await tapFs(folder, { before });
  expect(await codeOf(bank.rename('a.md', 'a.md', undefined).finally(restore))).toBe(
    'ALREADY_EXISTS',
  );
  expect([renames, await paths()]).toEqual([[], ['a.md']]);
});
