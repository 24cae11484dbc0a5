/** Notes that are imported again: an unchanged note follows its source, a changed one stays. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { folderWith, openImportBench } from './bench.js';

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

  it('stays as it was changed here, and is reported if its source changed too', async () => {
    await edit('larch and pine\n');
    expect((await bench.import(folder)).problems).toEqual([]);
    write('oak\n');
    const { problems, notesUpdated } = await bench.import(folder);
    expect(problems).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
    expect(notesUpdated).toBe(0);
    expect(await note()).toBe('larch and pine\n');
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
