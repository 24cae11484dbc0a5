import { mkdtemp, readdir, readFile, rm, stat, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { FileCatalogue, type FileVersion } from '../../src/files/catalogue/file-catalogue.js';
import { readStampNow } from '../../src/files/read/stamp.js';

interface TextVersion extends FileVersion {
  readonly name: string;
  readonly text: string;
}

let folder: string;
let reads: string[];
/** Called between the read of a file and its entry in the catalogue. */
let afterRead: (name: string) => Promise<void>;
let catalogue: FileCatalogue<TextVersion, string>;
let changes: [name: string, text: string | undefined][];
let missing: string[];

const pathOf = (name: string) => join(folder, name);

async function versionOf(name: string): Promise<TextVersion | undefined> {
  const stamp = readStampNow(pathOf(name));
  if (stamp === undefined) return undefined;
  const text = await readFile(pathOf(name), 'utf8');
  if (text === 'bad') throw new AppError('CORRUPT', `${name} is bad.`);
  if (text === 'busy')
    throw new AppError('FILESYSTEM_ERROR', 'busy', { details: { errno: 'EMFILE' } });
  return { name, text, stamp };
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'daybook-catalogue-'));
  reads = [];
  changes = [];
  missing = [];
  afterRead = async () => undefined;
  catalogue = new FileCatalogue<TextVersion, string>({
    pathOf,
    list: async () => ({ names: (await readdir(folder)).sort() }),
    read: async (name) => {
      reads.push(name);
      const version = await versionOf(name);
      await afterRead(name);
      return version;
    },
    describe: ({ name, text }) => ({ name, summary: text }),
    onMissing: (name) => missing.push(name),
  });
  catalogue.onChange(({ name, version }) => changes.push([name, version?.text]));
});

afterEach(() => rm(folder, { recursive: true, force: true }));

describe('a file catalogue', () => {
  it('reads only files whose stamp changed, and notifies once of each change', async () => {
    await writeFile(pathOf('a'), 'one');
    await catalogue.refresh();
    await writeFile(pathOf('b'), 'two');
    await catalogue.refresh();
    await catalogue.refresh();
    expect(reads).toEqual(['a', 'b']);
    await writeFile(pathOf('b'), 'three');
    await unlink(pathOf('a'));
    await catalogue.refresh();
    expect(reads).toEqual(['a', 'b', 'b']);
    expect(changes).toEqual([
      ['a', 'one'],
      ['b', 'two'],
      ['a', undefined],
      ['b', 'three'],
    ]);
    expect([...catalogue.summaries()]).toEqual(['three']);
  });

  it('reads a file again if a version was added during the read, and keeps the newer version', async () => {
    await writeFile(pathOf('a'), 'old');
    afterRead = async () => {
      afterRead = async () => undefined;
      await writeFile(pathOf('a'), 'newer');
      const version = await versionOf('a');
      if (version !== undefined) catalogue.note(version);
    };
    await catalogue.refresh();
    expect([...catalogue.summaries()]).toEqual(['newer']);
    expect(changes).toEqual([['a', 'newer']]);
  });

  it('does not read damaged content again until its stamp changes, but retries a read that the system refused', async () => {
    await writeFile(pathOf('damaged'), 'bad');
    await catalogue.refresh();
    await writeFile(pathOf('refused'), 'busy');
    await catalogue.refresh();
    await catalogue.refresh();
    expect(reads).toEqual(['damaged', 'refused', 'refused']);
    expect(catalogue.damaged().map(({ name, error }) => [name, error.code])).toEqual([
      ['damaged', 'CORRUPT'],
      ['refused', 'FILESYSTEM_ERROR'],
    ]);
    expect(changes).toEqual([]);
  });

  it('notifies that a file is gone when it becomes unreadable', async () => {
    await writeFile(pathOf('a'), 'good');
    await catalogue.refresh();
    await writeFile(pathOf('a'), 'bad');
    await catalogue.refresh();
    expect(changes).toEqual([
      ['a', 'good'],
      ['a', undefined],
    ]);
    expect(catalogue.entry('a')?.damage?.code).toBe('CORRUPT');
  });

  it('says which files it found missing, also one that it did not know and one that was damaged', async () => {
    await writeFile(pathOf('a'), 'one');
    await writeFile(pathOf('b'), 'bad');
    await catalogue.refresh();
    await unlink(pathOf('a'));
    await unlink(pathOf('b'));
    await catalogue.refreshSome(['a', 'b', 'c']);
    expect(missing.sort()).toEqual(['a', 'b', 'c']);
  });

  it('accepts a seed without a notification, and only for an unknown file', async () => {
    await writeFile(pathOf('a'), 'one');
    const version = await versionOf('a');
    if (version === undefined) throw new Error('the file is not there');
    expect(catalogue.seed('a', version.stamp, 'one')).toBe(true);
    expect(catalogue.seed('a', version.stamp, 'other')).toBe(false);
    await catalogue.refresh();
    expect([reads, changes]).toEqual([[], []]);
    const { mtimeMs } = await stat(pathOf('a'));
    await utimes(pathOf('a'), mtimeMs / 1000, mtimeMs / 1000 + 5);
    await catalogue.refresh();
    expect([reads, changes]).toEqual([['a'], [['a', 'one']]]);
  });

  it('reads every file at a reload, and stops when its signal is aborted', async () => {
    for (const name of ['a', 'b']) await writeFile(pathOf(name), name);
    await catalogue.refresh();
    await catalogue.reload();
    expect(changes).toHaveLength(4);
    const abort = new AbortController();
    abort.abort();
    await expect(catalogue.reload(abort.signal)).rejects.toBe(abort.signal.reason);
    expect(changes).toHaveLength(4);
    await catalogue.refresh();
    expect(changes).toHaveLength(6);
  });

  it('keeps a file that is added while a pass lists the folder', async () => {
    await writeFile(pathOf('a'), 'a');
    const pass = catalogue.refresh();
    await writeFile(pathOf('z'), 'z');
    const version = await versionOf('z');
    if (version !== undefined) catalogue.note(version);
    await pass;
    expect([...catalogue.summaries()].sort()).toEqual(['a', 'z']);
  });
});
