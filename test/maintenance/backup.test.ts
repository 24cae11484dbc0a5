/** Backups: which files they contain, how long they are kept, and how they are restored. */
import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { DAY_MS } from '../../src/base/clock.js';
import { sha256Hex } from '../../src/base/ids.js';
import { writeNewFile } from '../../src/files/atomic/new-file-stream.js';
import { archiveOf } from '../../src/files/tar-archive.js';
import { Backups } from '../../src/maintenance/backup/backup.js';
import { CONTENTS_NAME, checkArchive } from '../../src/maintenance/check-archive.js';
import { graphPathsOf } from '../../src/maintenance/graph-in-archive.js';
import { restoreArchive } from '../../src/maintenance/restore/restore-archive.js';
import { graphFiles } from '../../src/stores/knowledge-graph/log/graph-files.js';
import { errorOf } from '../support/error-of.js';
import { tapFs } from '../support/fs-tap.js';
import { tempFolder } from '../support/temp-folder.js';
import { areasOf, contentOf, FILES, openRoot, put, T0 } from './roots.js';

const CONVERSATION = Object.keys(FILES)[0]!;
const archivesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.tar.gz'))
    .sort();

async function* filesOf(files: Record<string, string>) {
  for (const [name, text] of Object.entries(files)) {
    yield { name, bytes: Buffer.from(text), modifiedMs: T0 };
  }
}

/** Makes an archive of files with any names, with a correct list of its contents. */
async function archiveWith(files: Record<string, string>): Promise<string> {
  const made = join(tempFolder(), 'made.tar.gz');
  const list = Object.entries(files).map(([name, text]) => ({
    name,
    sizeBytes: Buffer.byteLength(text),
    sha256: sha256Hex(text),
  }));
  const contents = { format: 'daybook-backup', version: 1, createdAt: 'x', files: list };
  const all = { ...files, [CONTENTS_NAME]: JSON.stringify(contents) };
  await writeNewFile(made, archiveOf(filesOf(all)), { fsync: false });
  return made;
}

describe('a backup', () => {
  it('contains every file of the root, and a restore into an empty root writes the same bytes', async () => {
    const { backups, folder } = openRoot();
    const made = await backups.make();
    expect(made.files).toBe(Object.keys(FILES).length);
    expect(made.leftOut).toEqual([]);
    expect(archivesIn(folder)).toEqual(['daybook-20250124T132000Z.tar.gz']);
    const root = join(tempFolder(), 'new');
    const options = { into: areasOf(root), dryRun: false, fsync: false };
    const dry = await restoreArchive(made.path, { ...options, dryRun: true });
    expect(dry.restored).toHaveLength(made.files);
    const report = await restoreArchive(made.path, options);
    expect(report).toMatchObject({ unchanged: [], refused: [] });
    expect(contentOf(root)).toEqual(FILES);
    const again = await restoreArchive(made.path, options);
    expect(again).toMatchObject({ restored: [], refused: [] });
    expect(again.unchanged).toHaveLength(made.files);
  });

  it('removes no expired backup while a file cannot be read, which may be only in this backup', async () => {
    const { root, backups, time, folder } = openRoot();
    await backups.make();
    time.now += 31 * DAY_MS;
    const before = ({ name, path }: { name: string; path: string }) =>
      path.endsWith(CONVERSATION) && /open|read/.test(name) ? { error: 'EIO' } : undefined;
    const restore = await tapFs(root, { before });
    const { leftOut, removed } = await backups.make().finally(restore);
    expect(leftOut.map(({ name }) => name)).toEqual([CONVERSATION]);
    expect(removed).toEqual([]);
    time.now += 1000;
    expect((await backups.make()).removed).toEqual(['daybook-20250124T132000Z.tar.gz']);
    expect(archivesIn(folder)).toHaveLength(2);
  });

  it('can be unpacked with tar', async () => {
    const { backups } = openRoot();
    const { path } = await backups.make();
    const to = tempFolder();
    execFileSync('tar', ['xzf', path, '-C', to]);
    expect(contentOf(to)).toMatchObject(FILES);
  });

  it('leaves out files that are no data, and reports files that it cannot contain', async () => {
    const { backups, root } = openRoot();
    put(root, {
      'conversation-logs/.locks/x/y': 'lock',
      'conversation-logs/.leases/a': 'lease',
      'memory-bank/.git/HEAD': 'ref',
      'memory-bank/.tmp-1-2-3-4-5-00000000': 'half',
      'memory-bank/back\\slash.md': 'x',
    });
    symlinkSync('/etc/passwd', join(root, 'memory-bank/link.md'));
    const made = await backups.make();
    expect(made.files).toBe(Object.keys(FILES).length);
    expect(made.leftOut.map(({ name }) => name).sort()).toEqual([
      'memory-bank/back\\slash.md',
      'memory-bank/link.md',
    ]);
    const second = await backups.make({ folder: join(root, 'memory-bank/own') });
    expect(second.files).toBe(made.files);
  });

  it('keeps backups for the configured days, and never removes other files', async () => {
    const { backups, folder, time } = openRoot(FILES, 30);
    await backups.make();
    writeFileSync(join(folder, 'daybook-notes.tar.gz'), 'mine');
    time.now = T0 + 29 * 86_400_000;
    expect((await backups.make()).removed).toEqual([]);
    time.now = T0 + 31 * 86_400_000;
    expect((await backups.make()).removed).toEqual([]);
    time.now += 1000;
    expect((await backups.make()).removed).toEqual(['daybook-20250124T132000Z.tar.gz']);
    expect(archivesIn(folder)).toHaveLength(4);
    expect(await backups.hasOne('2025-02-24')).toBe(true);
    expect(await backups.hasOne('2025-01-24')).toBe(false);
  });

  it('removes no other backup while the clock is ahead, nor when it is right again', async () => {
    const { backups, time, folder } = openRoot(FILES, 30);
    for (const day of [0, 20, 365, 21, 22]) {
      time.now = T0 + day * 86_400_000;
      expect((await backups.make()).removed).toEqual([]);
    }
    expect(archivesIn(folder)).toHaveLength(5);
  });

  it('counts and removes only the archives of its own store in a shared folder', async () => {
    const [a, b] = [openRoot(), openRoot()];
    const folder = join(tempFolder(), 'shared');
    const [first, second] = [a, b].map(({ root, areas, clock }, at) => {
      const owner = { id: `0000000${at}`, ownFolder: join(root, 'backups') };
      return new Backups({ folder, owner, areas, keepDays: 30, clock, fsync: false });
    }) as [Backups, Backups];
    const name = 'daybook-20250124T132000Z-00000000.tar.gz';
    expect((await first.make()).path).toBe(join(folder, name));
    expect(await first.hasOne('2025-01-24')).toBe(true);
    expect(await second.hasOne('2025-01-24')).toBe(false);
    await second.make(); // in the same second
    const unnamed = 'daybook-20241224T132000Z.tar.gz';
    writeFileSync(join(folder, unnamed), 'of an earlier version');
    mkdirSync(a.folder);
    writeFileSync(join(a.folder, unnamed), 'of an earlier version');
    a.time.now = T0 + 31 * 86_400_000;
    await first.make();
    a.time.now += 1000;
    expect((await first.make()).removed).toEqual([name]);
    expect((await first.list()).map((each) => each.name)).toHaveLength(2);
    expect(archivesIn(folder)).toHaveLength(4);
    await first.make({ folder: a.folder });
    a.time.now += 1000;
    expect((await first.make({ folder: a.folder })).removed).toEqual([unnamed]);
  });

  it('is never overwritten by another backup of the same second', async () => {
    const { backups, folder } = openRoot();
    const { path } = await backups.make();
    const before = readFileSync(path);
    await backups.make(); // in the same second
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(archivesIn(folder)).toEqual([
      'daybook-20250124T132000Z.tar.gz',
      'daybook-20250124T132001Z.tar.gz',
    ]);
  });

  it('in a folder of notes contains the notes and no earlier backup, and makes no .gitignore', async () => {
    const { backups, root } = openRoot();
    const folder = join(root, 'memory-bank', 'ideas');
    put(root, { 'memory-bank/ideas/shed.md': 'A shed.' });
    const earlier = 'daybook-20240124T132000Z.tar.gz';
    put(root, { [`memory-bank/ideas/${earlier}`]: '' });
    const { path } = await backups.make({ folder });
    const names = (await checkArchive(path)).files.map(({ name }) => name);
    expect(names).toContain('memory-bank/ideas/shed.md');
    expect(names).not.toContain(`memory-bank/ideas/${earlier}`);
    expect(readdirSync(folder)).not.toContain('.gitignore');
  });

  it('leaves no file if it is cancelled', async () => {
    const { backups, folder } = openRoot();
    const stop = new AbortController();
    const making = backups.make({ signal: stop.signal, onFile: (n) => n === 3 && stop.abort() });
    await expect(making).rejects.toMatchObject({ name: 'AbortError' });
    expect(readdirSync(folder)).toEqual(['.gitignore']);
  });
});

describe('the restore of a backup', () => {
  it('never overwrites a file, and reports the files that differ', async () => {
    const { backups, root, areas } = openRoot();
    const { path } = await backups.make();
    put(root, { 'memory-bank/empty.md': 'changed', [CONVERSATION]: '{"messages":[],"mine":1}' });
    rmSync(join(root, CONVERSATION, '../job.json'));
    rmSync(join(root, 'memory-bank/kg_wal.log'));
    const report = await restoreArchive(path, { into: areas, dryRun: false, fsync: false });
    expect(report.restored).toEqual(['memory-bank/kg_wal.log']);
    const refused = Object.fromEntries(report.refused.map(({ name, code }) => [name, code]));
    expect(refused).toEqual({
      'memory-bank/empty.md': 'ALREADY_EXISTS',
      [CONVERSATION]: 'ALREADY_EXISTS',
      // The research run of this file may have ended long ago.
      [CONVERSATION.replace('conversation.json', 'job.json')]: 'CONFLICT',
    });
    expect(contentOf(root)['memory-bank/empty.md']).toBe('changed');
  });

  it('does not restore a policy, which would remove conversations without a question', async () => {
    const policy = 'conversation-logs/retention.json';
    const text = '{"rules":[{"olderThanDays":1}]}';
    const path = await archiveWith({ 'memory-bank/fine.md': 'fine', [policy]: text });
    const root = join(tempFolder(), 'new');
    const options = { into: areasOf(root), dryRun: false, fsync: false };
    const report = await restoreArchive(path, options);
    expect(report).toMatchObject({ restored: ['memory-bank/fine.md'], settings: [policy] });
    expect(Object.keys(contentOf(root))).toEqual(['memory-bank/fine.md']);
    put(root, { [policy]: text });
    expect(await restoreArchive(path, options)).toMatchObject({ settings: [], refused: [] });
    const to = join(tempFolder(), 'to');
    await restoreArchive(path, { ...options, into: to });
    expect(contentOf(to)[policy]).toBe(text);
  });

  it.each([
    '../outside.md',
    'memory-bank/../../outside.md',
    '/etc/outside.md',
    'C:\\outside.md',
    'memory-bank\\..\\..\\outside.md',
    'memory-bank/..\\..\\outside.md',
    'memory-bank//x.md',
  ])('refuses the whole archive for the name %s', async (name) => {
    const path = await archiveWith({ 'memory-bank/fine.md': 'fine', [name]: 'bad' });
    const to = join(tempFolder(), 'to');
    const error = await errorOf(restoreArchive(path, { into: to, dryRun: false, fsync: false }));
    expect(error.code).toBe('PATH_ESCAPE');
    expect(() => readdirSync(to)).toThrow();
  });

  it('restores the attachments of a conversation, but no hidden file and no other file beside it', async () => {
    const folder = CONVERSATION.replace('conversation.json', '');
    const trashed = 'conversation-logs/.trash/20250101-1735689600000/attachments/plan.pdf';
    const attachments = {
      [`${folder}attachments/file-Cat1-cat.png`]: 'cat',
      [`${folder}attachments/files/図面 2.pdf`]: 'plan',
      [trashed]: 'plan',
    };
    const others = {
      [`${folder}attachments/.git/config`]: 'bad',
      [`${folder}attachments/.envrc`]: 'bad',
      [`${folder}attachments`]: 'bad',
      [`${folder}Makefile`]: 'bad',
      'memory-bank/img/plan.png': 'a picture in the folder of a note',
    };
    const path = await archiveWith({ ...others, ...attachments });
    const root = tempFolder();
    const report = await restoreArchive(path, {
      into: areasOf(root),
      dryRun: false,
      fsync: false,
    });
    expect(report.refused.map(({ name }) => name)).toEqual(Object.keys(others));
    expect(report.refused.every(({ code }) => code === 'PATH_ESCAPE')).toBe(true);
    expect(report.refused.every(({ reason }) => reason.includes('with tar'))).toBe(true);
    expect(contentOf(root)).toEqual(attachments);
  });

  it('gives the files the times of the archive, because a note has no other date', async () => {
    const { root, backups } = openRoot();
    const note = join('memory-bank', '日本語のノート.md');
    const time = new Date('2024-03-01T10:15:00Z');
    utimesSync(join(root, note), time, time);
    const { path } = await backups.make();
    const other = join(tempFolder(), 'other');
    await restoreArchive(path, { into: areasOf(other), dryRun: false, fsync: false });
    expect(statSync(join(other, note)).mtime).toEqual(time);
  });

  it('does not mix the graph in use with an older one that was left in the memory bank', async () => {
    const path = await archiveWith({
      'memory-bank/kg_wal.log': 'old log',
      'memory-bank/kg_snapshot.json': 'old snapshot',
      'knowledge-graph/kg_wal.log': 'log in use',
    });
    const root = join(tempFolder(), 'new');
    const bank = (name: string) => join(root, 'memory-bank', name);
    const graphPaths = graphPathsOf(graphFiles(bank('kg_snapshot.json'), bank('kg_wal.log')));
    const options = { into: areasOf(root), graphPaths, dryRun: false, fsync: false };
    const report = await restoreArchive(path, options);
    expect(contentOf(root)).toEqual({ 'memory-bank/kg_wal.log': 'log in use' });
    expect(report.refused.map(({ name, code }) => [name, code])).toEqual([
      ['memory-bank/kg_wal.log', 'CONFLICT'],
      ['memory-bank/kg_snapshot.json', 'CONFLICT'],
    ]);
  });

  it('does not follow a link to another folder, and restores the other files', async () => {
    const path = await archiveWith({ 'memory-bank/link/x.md': 'bad', 'memory-bank/y.md': 'fine' });
    const [root, outside] = [tempFolder(), tempFolder()];
    mkdirSync(join(root, 'memory-bank'));
    symlinkSync(outside, join(root, 'memory-bank/link'));
    const into = areasOf(root);
    const report = await restoreArchive(path, { into, dryRun: false, fsync: false });
    expect(report.refused.map(({ code }) => code)).toEqual(['PATH_ESCAPE']);
    expect(report.restored).toEqual(['memory-bank/y.md']);
    expect(readdirSync(outside)).toEqual([]);
  });

  it('refuses an archive that is truncated, or damaged at any place', async () => {
    const { backups } = openRoot();
    const { path } = await backups.make();
    const whole = readFileSync(path);
    const bad = join(tempFolder(), 'bad.tar.gz');
    let refused = 0;
    for (let place = 0; place < whole.length; place += 7) {
      for (const bytes of [flipped(whole, place), whole.subarray(0, place)]) {
        // Some bits do not change the content, for example the time in the header of gzip.
        if (unpacked(bytes)?.equals(gunzipSync(whole))) continue;
        writeFileSync(bad, bytes);
        const error = await errorOf(checkArchive(bad));
        expect(error.code, `${bytes.length} ${place}`).toBe('CORRUPT');
        refused += 1;
      }
    }
    expect(refused).toBeGreaterThan((1.5 * whole.length) / 7); // two tries at each place
    for (const place of [1, 5, 8]) {
      writeFileSync(bad, flipped(whole, whole.length - place));
      expect((await errorOf(checkArchive(bad))).code).toBe('CORRUPT');
    }
    expect((await checkArchive(path)).files).toHaveLength(Object.keys(FILES).length);
  });

  it('refuses an archive whose files differ from its list of files', async () => {
    const changed = await archiveWith({ 'memory-bank/a.md': 'a' });
    const to = tempFolder();
    execFileSync('tar', ['xzf', changed, '-C', to]);
    writeFileSync(join(to, 'memory-bank/a.md'), 'b');
    const path = join(tempFolder(), 'again.tar.gz');
    execFileSync('tar', ['czf', path, '-C', to, 'memory-bank', CONTENTS_NAME]);
    expect((await errorOf(checkArchive(path))).code).toBe('CORRUPT');
    execFileSync('tar', ['czf', path, '-C', to, 'memory-bank']);
    expect((await errorOf(checkArchive(path))).code).toBe('CORRUPT');
    execFileSync('tar', ['czf', path, '-C', to, CONTENTS_NAME]);
    expect((await errorOf(checkArchive(path))).code).toBe('CORRUPT');
    expect((await errorOf(checkArchive(join(to, 'none')))).code).toBe('FILESYSTEM_ERROR');
  });
});

function unpacked(bytes: Buffer): Buffer | undefined {
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined;
  }
}

function flipped(bytes: Buffer, place: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[place] = copy[place]! ^ 0x10;
  return copy;
}
