/** Notes that are imported again: an unchanged note follows its source, a changed one stays. */
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { zipOf } from '../support/zip.js';
import { fileWith, folderWith, openImportBench } from './bench.js';

const NOTE = 'imported/projects/shed.md';
const SECRET = `sk-ant-api03-${'Ab3dE5fG7h'.repeat(9)}AA`;
let bench: Awaited<ReturnType<typeof openImportBench>>;
let folder: string;

const vault = (text: string) =>
  folderWith({ '.obsidian/app.json': '{}', 'projects/shed.md': text });
const write = (text: string) => writeFileSync(join(folder, 'projects/shed.md'), text);
const note = async () => (await bench.memoryBank.read(NOTE)).content;
const edit = (text: string) => bench.memoryBank.edit(NOTE, undefined, () => text);

beforeEach(async () => {
  bench = await openImportBench();
  folder = vault('larch\n');
  await bench.import(folder);
});

describe('a note that is imported again', () => {
  it('gets the newer text of its source, after a dry run that only counts it', async () => {
    write('oak\n');
    expect(await bench.import(folder, { dryRun: true })).toMatchObject({
      notes: 0,
      notesUpdated: 1,
    });
    expect(await note()).toBe('larch\n');
    expect(await bench.import(folder)).toMatchObject({ notesUpdated: 1, problems: [] });
    expect(await note()).toBe('oak\n');
    const before = bench.hash();
    expect(await bench.import(folder)).toMatchObject({ notes: 0, notesUpdated: 0, problems: [] });
    expect(bench.hash()).toBe(before);
  });

  it('keeps the newest text of its source if an older export is imported later, alone or again', async () => {
    const project = (content: string) => [
      { uuid: 'p', name: 'Shed', docs: [{ uuid: 'd', filename: 'plan', content }] },
    ];
    const zip = (day: number, text: string) =>
      zipOf([{ name: 'projects.json', content: JSON.stringify(project(text)), day }]);
    const files = { 'a.zip': zip(1, 'larch'), 'b.zip': zip(2, 'oak') };
    const both = folderWith(files);
    const plan = async () => (await bench.memoryBank.read('imported/claude/Shed/plan.md')).content;
    expect(await bench.import(both)).toMatchObject({ notes: 1, notesUpdated: 1 });
    const before = bench.hash();
    for (const path of [both, join(both, 'a.zip')]) {
      expect(await bench.import(path)).toMatchObject({
        notesUpdated: 0,
        problems: [],
        leftOut: { 'older texts of notes': 1 },
      });
      expect(await plan()).toBe('oak\n');
      expect(bench.hash()).toBe(before);
    }
    await bench.import(folderWith({ 'c.zip': zip(3, 'pine') }));
    expect(await plan()).toBe('pine\n');
  });

  it('stays as it was changed here, and is reported if its source changed too', async () => {
    await edit('larch and pine\n');
    expect((await bench.import(folder)).problems).toEqual([]);
    write('oak\n');
    const { problems, notesUpdated } = await bench.import(folder);
    expect(problems).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    expect(notesUpdated).toBe(0);
    expect(await note()).toBe('larch and pine\n');
  });

  it.each([
    'larch\n',
    `the key is ${SECRET}\n`,
  ])('has the latest time at which the source had its text, so that an older text does not replace it (%#)', async (text) => {
    const at = (day: number) => new Date(Date.UTC(2026, 0, day));
    const from = (text: string, day: number) => {
      const other = vault(text);
      utimesSync(join(other, 'projects/shed.md'), at(day), at(day));
      return other;
    };
    rmSync(folder, { recursive: true });
    bench = await openImportBench();
    const folders = [from(text, 1), from(text, 3), from('oak\n', 2)];
    for (const each of folders.slice(0, 2)) {
      await bench.import(each);
      rmSync(each, { recursive: true });
    }
    const report = await bench.import(folders[2] ?? '');
    expect(report).toMatchObject({ notesUpdated: 0, leftOut: { 'older texts of notes': 1 } });
    expect(await note()).not.toContain('oak');
  });

  it.each([
    'larch\n',
    `the key is ${SECRET}\n`,
  ])('is not written again if it was renamed here (%#)', async (text) => {
    write(text);
    await bench.import(folder);
    await bench.memoryBank.rename(NOTE, 'shed.md', undefined);
    for (const dryRun of [true, false]) {
      const report = await bench.import(folder, { dryRun });
      expect(report).toMatchObject({ notes: 0, leftOut: { 'notes renamed here': 1 } });
    }
    await bench.memoryBank.refresh();
    expect(bench.memoryBank.known().map(({ path }) => path)).toEqual(['shed.md']);
    write('oak\n');
    expect(await bench.import(folder)).toMatchObject({ notes: 1, problems: [] });
  });

  it('is written again if its file was removed, although another note has the same text', async () => {
    writeFileSync(join(folder, 'projects/copy.md'), 'larch\n');
    await bench.import(folder);
    rmSync(join(bench.bank, NOTE));
    const { notes, leftOut } = await bench.import(folder);
    expect({ notes, leftOut }).toEqual({ notes: 1, leftOut: {} });
    expect(await note()).toBe('larch\n');
  });

  it('is not imported while it is in the trash', async () => {
    await bench.memoryBank.delete(NOTE);
    const report = await bench.import(folder);
    expect(report).toMatchObject({ notes: 0, leftOut: { 'notes deleted here': 1 } });
    await bench.memoryBank.purge(NOTE);
    expect(await bench.import(folder)).toMatchObject({ notes: 1 });
  });

  it('does not differ from its source only because a secret in it was masked', async () => {
    folder = vault(`the key is ${SECRET}\n`);
    bench = await openImportBench();
    await bench.import(folder);
    expect(await note()).not.toContain(SECRET);
    expect(await bench.import(folder)).toMatchObject({ notesUpdated: 0, problems: [] });
  });

  it('stays if the file with the marks of imported notes is lost or damaged', async () => {
    const marks = join(bench.logsFolder, 'imported-notes.json');
    expect(existsSync(marks)).toBe(true);
    write('oak\n');
    for (const damage of [() => rmSync(marks), () => writeFileSync(marks, '{"notes": {"a')]) {
      damage();
      expect((await bench.import(folder)).problems).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
      expect(await note()).toBe('larch\n');
    }
    write('larch\n');
    await bench.import(folder);
    write('oak\n');
    expect(await bench.import(folder)).toMatchObject({ notesUpdated: 1 });
  });

  it('is not replaced by the note of another folder, unless its own folder was moved', async () => {
    const other = vault('pine\n');
    for (const again of [1, 2]) {
      const { problems, notesUpdated } = await bench.import(other);
      expect(problems, `${again}`).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
      expect(notesUpdated).toBe(0);
      expect(await note()).toBe('larch\n');
    }
    rmSync(folder, { recursive: true });
    expect(await bench.import(other)).toMatchObject({ notesUpdated: 1, problems: [] });
    expect(await note()).toBe('pine\n');
  });

  it('is not replaced by another one of the same folder whose changed name is the same', async () => {
    writeFileSync(join(folder, 'projects/shed!.md'), 'one');
    writeFileSync(join(folder, 'projects/shed!!.md'), 'two');
    expect(await bench.import(folder)).toMatchObject({ notes: 2, notesUpdated: 0, problems: [] });
    expect(await note()).toBe('larch\n');
    const before = bench.hash();
    expect(await bench.import(folder)).toMatchObject({ notes: 0, notesUpdated: 0, problems: [] });
    expect(bench.hash()).toBe(before);
  });
});

it.each([
  ['America/New_York', '2025-01-05T05:00:00.000Z'],
  ['Asia/Tokyo', '2025-01-04T15:00:00.000Z'],
])('a file in an archive that has only a local time has this time in %s', (TZ, time) => {
  const path = fileWith(zipOf([{ name: 'shed.md', content: 'larch', day: 5 }]), 'a.zip');
  const script = `import('./dist/files/input/input.js').then(async ({ openInput }) => {
    const input = await openInput(${JSON.stringify(path)});
    console.log(new Date(input.files[0].modifiedAtMs).toISOString());
    await input.close();
  })`;
  const options = { env: { ...process.env, TZ }, encoding: 'utf8' } as const;
  expect(execFileSync(process.execPath, ['-e', script], options).trim()).toBe(time);
});

it('notes of folders whose names look almost the same are all imported', async () => {
  const bench = await openImportBench();
  const note = (name: string) => `# ${name}\n\ntext of ${name}\n`;
  const files = { 'Sub/a.md': note('one'), 'sub/a.md': note('two'), 'sub/in/b.md': note('three') };
  const vault = folderWith({ '.obsidian/app.json': '{}', ...files, 'top.md': note('four') });
  const report = await bench.import(vault);
  expect(report).toMatchObject({ notes: 4, problems: [] });
  const paths = bench.memoryBank.known().map(({ path }) => path);
  expect(paths.filter((path) => /a( 2)?\.md$/.test(path)).sort()).toEqual([
    'imported/Sub/a 2.md',
    'imported/Sub/a.md',
  ]);
  expect(paths).toContain('imported/Sub/in/b.md');
  expect(await bench.import(vault)).toMatchObject({ notes: 0, problems: [] });
});

it('a dry run does not count a note that cannot be stored', async () => {
  const bench = await openImportBench();
  const vault = folderWith({ '.obsidian/app.json': '{}', 'a.md': '# A\n', 'nul.md': 'a\0b' });
  const planned = await bench.import(vault, { dryRun: true });
  const { notes, problems } = await bench.import(vault);
  expect([notes, problems.length]).toEqual([1, 1]);
  expect(planned).toMatchObject({ notes, problems });
});
