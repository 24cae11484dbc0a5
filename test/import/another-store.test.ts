/** The import of another store: everything comes in as it is there, once. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { messageHash } from '../../src/stores/conversations/document/message-hash.js';
import { type Place, runCommand, withPlace } from '../e2e/harness.js';
import { keyIn, run, withKey } from '../encryption/store.js';
import { filesBelow } from '../support/files-below.js';
import { tempFolder } from '../support/temp-folder.js';
import { zipOf } from '../support/zip.js';
import { counts, fileWith, openImportBench, said } from './bench.js';

type Bench = Awaited<ReturnType<typeof openImportBench>>;
const rootOf = ({ logsFolder }: Bench) => join(logsFolder, '..');

const export1 = (...texts: readonly string[]) => [
  {
    uuid: 'c1',
    name: 'Clay',
    created_at: '2025-01-24T13:20:00Z',
    chat_messages: texts.map((text, index) => ({ uuid: `m${index}`, sender: 'human', text })),
  },
];

/** A store with one of everything. Returns the id of the imported conversation too. */
async function filledStore() {
  const bench = await openImportBench();
  const { stores, store } = bench;
  await bench.importText(export1('How is clay fired?'));
  const imported = bench.bySource('c1').conversationId as string;
  await store.update(imported, { pinned: true, tags: ['kiln'], module: 'pots' });
  const own = await store.create({
    title: 'Glaze',
    messages: [
      { role: 'user', content: 'Which glaze?' },
      { role: 'assistant', content: 'A clear one.' },
    ],
  });
  await store.branch(own.conversationId, own.messages[0]?.id ?? '');
  await stores.summaries.put(own.conversationId, 'brief', {
    text: 'About glaze.',
    provider: 'extractive',
    messageCount: 2,
    sourceHash: 'a'.repeat(64),
    qualityScore: 0.5,
    generatedAt: '2025-02-01T00:00:00.000Z',
  });
  const attachments = join(bench.logsFolder, own.conversationId, 'attachments');
  mkdirSync(attachments);
  writeFileSync(join(attachments, 'pot.png'), 'a picture');
  await bench.memoryBank.add('ideas/kiln.md', '# Kiln\n');
  await bench.memoryBank.add('readme.md', 'About pots\n');
  await bench.insights.save({ content: 'Dry clay slowly', context: 'global', tags: ['clay'] });
  await bench.kg.add([
    { subject: 'Ada', predicate: 'owns', object: 'a kiln' },
    { subject: 'Ada', predicate: 'lives in', object: 'Rome' },
  ]);
  await bench.kg.end([{ subject: 'Ada', predicate: 'lives in', object: 'Rome' }]);
  await stores.state.set({ activeConversation: own.conversationId, values: { theme: 'dark' } });
  return { bench, imported, own: own.conversationId };
}

const PARTS = /conversation\.json$|summaries\.json$|attachments|\.md$|insights\/[^.]/;
const LEFT = /\.(trash|locks|leases)\//;

/** The files of the parts that the two stores must have in common, by name. */
const contentOf = (bench: Bench) => {
  const root = rootOf(bench);
  const files = filesBelow(root).filter((path) => PARTS.test(path) && !LEFT.test(path));
  return Object.fromEntries(
    files.map((path) => [path.slice(root.length), readFileSync(path, 'utf8')]).sort(),
  );
};

const factsOf = async ({ kg }: Bench) =>
  (await kg.query({ includeClosed: true }, { offset: 0, limit: 99, order: 'oldest' })).triples.map(
    ({ subject, predicate, object, ts, validTo }) => [subject, predicate, object, ts, validTo],
  );

/** A zip archive of all files, as a person makes it. */
const archiveOf = (root: string, folder = '') =>
  zipOf(
    filesBelow(root).map((path) => ({
      name: `${folder}${path.slice(root.length + 1)}`,
      content: readFileSync(path),
    })),
  );

describe('another store', () => {
  it('comes in without those summaries that are of a newer format', async () => {
    const { bench, own } = await filledStore();
    const there = join(bench.logsFolder, own, 'summaries.json');
    writeFileSync(there, JSON.stringify({ formatVersion: 99, summaries: {} }));
    const here = await openImportBench();
    const planned = await here.import(rootOf(bench), { dryRun: true });
    const report = await here.import(rootOf(bench));
    expect(report).toMatchObject({ added: 3, skipped: 0, problems: [{ code: 'FORMAT_TOO_NEW' }] });
    expect({ ...planned, sources: [] }).toEqual({ ...report, sources: [] });
    expect((await here.store.load(own)).messages.length).toBeGreaterThan(0);
  });

  it.each(['folder', 'archive'])('comes in unchanged and as a whole from a %s', async (form) => {
    const { bench } = await filledStore();
    const here = await openImportBench();
    const root = rootOf(bench);
    const path = form === 'folder' ? root : fileWith(archiveOf(root), 'store.zip');
    const planned = await here.import(path, { attachments: true, dryRun: true });
    const report = await here.import(path, { attachments: true });
    expect(report).toMatchObject({
      ...{ added: 3, messages: 4, notes: 2, insights: 1, facts: 2, stateValues: 1, attachments: 1 },
      problems: [],
    });
    expect({ ...planned, sources: [] }).toEqual({ ...report, sources: [] });
    expect(contentOf(here)).toEqual(contentOf(bench));
    expect(await factsOf(here)).toEqual(await factsOf(bench));
    const { values, activeConversation } = await here.stores.state.get();
    expect({ values, activeConversation }).toEqual({ values: { theme: 'dark' } });
    const before = here.hash();
    const again = await here.import(path, { attachments: true });
    expect(again).toMatchObject({ added: 0, updated: 0, unchanged: 3, notes: 0, facts: 0 });
    expect(here.hash()).toBe(before);
  });

  it('comes in from an archive of the folder .daybook, without its trash', async () => {
    const { bench, own } = await filledStore();
    await bench.store.remove(own);
    await bench.memoryBank.delete('readme.md');
    const here = await openImportBench();
    const path = fileWith(archiveOf(rootOf(bench), '.daybook/'), 'store.zip');
    expect(await here.import(path)).toMatchObject({
      ...{ added: 2, messages: 2, notes: 1, insights: 1, facts: 2, stateValues: 1 },
      problems: [],
    });
    expect(here.folders()).not.toContain(own);
  });

  it.each(['exports', 'memory-bank'])('comes in from an archive of a folder %s', async (name) => {
    const { bench } = await filledStore();
    const here = await openImportBench();
    const path = fileWith(archiveOf(rootOf(bench), `${name}/`), 'store.zip');
    const report = await here.import(path, { attachments: true });
    expect(report).toMatchObject({ added: 3, messages: 4, notes: 2, attachments: 1, problems: [] });
  });

  it('keeps what its conversations were imported from, so that a newer export extends them', async () => {
    const { bench, imported } = await filledStore();
    const here = await openImportBench();
    await here.import(rootOf(bench));
    const report = await here.importText(export1('How is clay fired?', 'And how long?'));
    expect(counts(report)).toEqual({ added: 0, updated: 1, unchanged: 0, skipped: 0 });
    expect(said(here.jsonOf(imported))).toEqual([
      'user: How is clay fired?',
      'user: And how long?',
    ]);
  });

  it('adds what was said there since, and reports what was continued on both sides', async () => {
    const { bench, imported, own } = await filledStore();
    const here = await openImportBench();
    await here.import(rootOf(bench));
    await bench.store.append(own, [{ role: 'user', content: 'Why clear?' }]);
    expect(counts(await here.import(rootOf(bench)))).toMatchObject({ updated: 1, unchanged: 2 });
    expect(said(here.jsonOf(own)).at(-1)).toBe('user: Why clear?');
    await bench.store.append(imported, [{ role: 'user', content: 'there' }]);
    await here.store.append(imported, [{ role: 'user', content: 'here' }]);
    const { skipped, problems } = await here.import(rootOf(bench));
    expect({ skipped, problems }).toMatchObject({
      skipped: 1,
      problems: [{ code: 'ALREADY_EXISTS', message: expect.stringContaining(imported) }],
    });
    expect(said(here.jsonOf(imported)).at(-1)).toBe('user: here');
  });

  it('comes in with a conversation whose key another one has here, without that key', async () => {
    const [there, here] = [await openImportBench(), await openImportBench()];
    const message = { role: 'user', content: 'What is to do?' } as const;
    here.time.now += 1000;
    const [{ conversationId }] = [
      await there.store.create({ clientId: 'todo', messages: [message] }),
      await here.store.create({ clientId: 'todo', messages: [message] }),
    ];
    const planned = await here.import(rootOf(there), { dryRun: true });
    const report = await here.import(rootOf(there));
    expect(report).toMatchObject({
      ...{ added: 1, skipped: 0, problems: [] },
      leftOut: { 'keys that another conversation has here': 1 },
    });
    expect({ ...planned, sources: [] }).toEqual({ ...report, sources: [] });
    expect(here.jsonOf(conversationId)).not.toHaveProperty('clientId');
    expect(counts(await here.import(rootOf(there)))).toMatchObject({ unchanged: 1, skipped: 0 });
    expect(counts(await there.import(rootOf(here)))).toMatchObject({ added: 1, unchanged: 1 });
  });

  it('that was continued on both sides is complete on both after a restore as new', async () => {
    await withPlace(async (place) => {
      const other = { ...place, root: join(place.folder, 'other') };
      await run(other, 'save', 'user', 'Which glaze?', '--conversation-id', 'glaze');
      await run(place, 'import', other.root, '--yes');
      await run(other, 'save', 'user', 'there', '--conversation-id', 'glaze');
      await run(place, 'save', 'user', 'here', '--conversation-id', 'glaze');
      const report = async (from: Place, to: Place) =>
        JSON.parse(await run(to, 'import', from.root, '--yes', '--json'));
      const { problems } = await report(other, place);
      const [, id, file] = /daybook export (\S+) -o (\S+),/.exec(problems[0].message) ?? [];
      const path = join(place.folder, `${file}.jsonl`);
      await run(other, 'export', `${id}`, '-o', path);
      await run(place, 'restore', path, '--as-new');
      expect(await report(other, place)).toMatchObject({ unchanged: 1, skipped: 0, problems: [] });
      // The copy of what is there comes back to it under no second id.
      expect(await report(place, other)).toMatchObject({ added: 0, unchanged: 1, skipped: 1 });
    });
  });

  it('does not bring back a message that was deleted here', async () => {
    const { bench, imported, own } = await filledStore();
    for (const id of [imported, own])
      await bench.store.append(id, [{ role: 'user', content: 'a mistake' }]);
    const here = await openImportBench();
    await here.import(rootOf(bench));
    for (const id of [imported, own]) {
      const [{ id: messageId, content }] = here.jsonOf(id).messages.slice(-1);
      await here.store.edits.remove(id, messageId, messageHash(content));
    }
    for (const dryRun of [true, false]) {
      expect(await here.import(rootOf(bench), { dryRun })).toMatchObject({
        ...{ added: 0, updated: 0, unchanged: 3, messages: 0, problems: [] },
        leftOut: { 'messages deleted here': 2 },
      });
    }
    await bench.store.append(own, [{ role: 'user', content: 'later' }]);
    expect((await here.import(rootOf(bench))).messages).toBe(1);
    expect(said(here.jsonOf(own)).at(-1)).toBe('user: later');
    // Now the deleted message is between others there.
    expect(await here.import(rootOf(bench))).toMatchObject({
      ...{ updated: 0, unchanged: 3, skipped: 0, problems: [] },
      leftOut: { 'messages deleted here': 2 },
    });
  });

  it('leaves out a note that is here under another path, because it was renamed', async () => {
    const { bench } = await filledStore();
    const here = await openImportBench();
    await here.import(rootOf(bench));
    await bench.memoryBank.rename('ideas/kiln.md', 'pots/kiln.md');
    const report = await bench.import(rootOf(here));
    expect(report).toMatchObject({
      notes: 0,
      leftOut: { 'notes that are here under another path': 1 },
    });
    await bench.memoryBank.add('ideas/kiln.md', '# Another kiln\n');
    expect((await here.import(rootOf(bench))).notesUpdated).toBe(1);
  });

  it('comes in with two notes of the same text, also if an import was killed between them', async () => {
    const { bench } = await filledStore();
    await bench.memoryBank.add('template.md', '# Kiln\n');
    const here = await openImportBench();
    await here.memoryBank.add('ideas/kiln.md', '# Kiln\n');
    expect((await here.import(rootOf(bench))).notes).toBe(2);
    expect(await here.memoryBank.read('template.md')).toMatchObject({ content: '# Kiln\n' });
  });

  it('replaces its notes that an earlier version imported from its root', async () => {
    const { bench } = await filledStore();
    const here = await openImportBench();
    await here.import(rootOf(bench));
    const { importedNotes } = here.stores;
    const marks = [...(await importedNotes.read())];
    const ofRoot = marks.map(([path, mark]) => [path, { ...mark, origin: rootOf(bench) }] as const);
    await importedNotes.write(new Map(ofRoot));
    const { hash } = await bench.memoryBank.read('readme.md');
    await bench.memoryBank.edit('readme.md', hash, () => 'About vases\n');
    expect(await here.import(rootOf(bench))).toMatchObject({ notesUpdated: 1, problems: [] });
  });

  it('ends a fact that was ended there since, and only then', async () => {
    const { bench } = await filledStore();
    const here = await openImportBench();
    await here.import(rootOf(bench));
    const kiln = { subject: 'Ada', predicate: 'owns', object: 'a kiln' };
    bench.time.now += 1000;
    await bench.kg.end([kiln]);
    bench.time.now += 1000;
    await bench.kg.add([kiln]);
    here.time.now = bench.time.now;
    const planned = await here.import(rootOf(bench), { dryRun: true });
    expect(planned.facts).toBe(2);
    expect((await here.import(rootOf(bench))).facts).toBe(2);
    expect(await factsOf(here)).toEqual(await factsOf(bench));
    here.time.now += 1000;
    await here.kg.end([kiln]);
    expect((await here.import(rootOf(bench))).facts).toBe(0);
    // The earlier end of the same fact is stored already.
    expect((await bench.import(rootOf(here), { dryRun: true })).facts).toBe(1);
    expect((await bench.import(rootOf(here))).facts).toBe(1);
    expect(await factsOf(bench)).toEqual(await factsOf(here));
  });

  it('that is encrypted is refused with a sentence, and the store stays usable', async () => {
    await withPlace(async (place) => {
      const other = { ...place, root: join(place.folder, 'other') };
      await run(other, 'save', 'user', 'a secret text');
      await run(other, 'mb', 'add', 'plan.md', 'a secret plan');
      const key = keyIn(place);
      await run(other, 'encrypt', '--key-file', key, '--yes');
      const wanted = 'run daybook export there with its key';
      const report = JSON.parse(await run(place, 'import', other.root, '--yes', '--json'));
      expect(report).toMatchObject({ added: 0, skipped: 0, notes: 0 });
      expect(report.problems).toMatchObject([
        { code: 'DECRYPT', message: expect.stringContaining(wanted) },
      ]);
      // A copy of single folders does not have the marker.
      const copy = join(place.folder, 'copy');
      const isMarker = (path: string) => path.endsWith('encryption.json');
      cpSync(other.root, copy, { recursive: true, filter: (path) => !isMarker(path) });
      const second = JSON.parse(await run(place, 'import', copy, '--yes', '--json'));
      expect(second).toMatchObject({ added: 0, skipped: 1, notes: 0 });
      expect(existsSync(join(place.root, 'memory-bank/plan.md'))).toBe(false);
      await run(place, 'save', 'user', 'a plain text');
      expect(await run(withKey(other, key), 'export')).toContain('a secret text');
    });
  });

  it('whose memory bank is encrypted is refused with one sentence', async () => {
    await withPlace(async (place) => {
      const other = { ...place, root: join(place.folder, 'other') };
      await run(other, 'mb', 'add', 'plan.md', 'a secret plan');
      await run(other, 'insight', 'save', 'a secret insight', '--context', 'global');
      await run(other, 'kg', 'add', 'Ada', 'owns', 'a secret');
      const key = keyIn(place);
      await run(other, 'encrypt', '--key-file', key, '--yes');
      await run(withKey(other, key), 'kg', 'add', 'Ada', 'owns', 'a garden');
      for (const path of [other.root, join(other.root, 'memory-bank')]) {
        const report = JSON.parse(await run(place, 'import', path, '--yes', '--json'));
        expect(report).toMatchObject({ notes: 0, insights: 0, facts: 0 });
        expect(report.problems).toMatchObject([{ code: 'DECRYPT' }]);
      }
      await run(withKey(other, key), 'decrypt', '--yes');
      const report = JSON.parse(await run(place, 'import', other.root, '--yes', '--json'));
      expect(report).toMatchObject({ notes: 1, insights: 1, facts: 2, problems: [] });
    });
  });

  it('whose conversations and graph are elsewhere comes in by its folders', async () => {
    const { bench } = await filledStore();
    const here = await openImportBench();
    const root = tempFolder();
    const isBank = (path: string) => !/kg_[^/]*$/.test(path);
    cpSync(bench.bank, join(root, 'memory-bank'), { recursive: true, filter: isBank });
    expect(await here.import(root)).toMatchObject({ notes: 2, insights: 1, problems: [] });
    expect(await here.memoryBank.read('ideas/kiln.md')).toMatchObject({ content: '# Kiln\n' });
    expect(counts(await here.import(bench.logsFolder))).toMatchObject({ added: 3 });
  });

  it('reports its archived conversations, and how to add them', async () => {
    await withPlace(async (place) => {
      const other = { ...place, root: join(place.folder, 'other') };
      await run(other, 'save', 'user', 'Which glaze?', '--conversation-id', 'glaze');
      await run(other, 'archive', '--older-than', '0d', '--yes');
      await run(other, 'mb', 'add', 'plan.md', 'a plan');
      for (const text of ['no conversation', 'a new one']) {
        const { problems } = JSON.parse(await run(place, 'import', other.root, '--yes', '--json'));
        expect(problems, text).toMatchObject([{ path: expect.stringContaining('archive/') }]);
        expect(problems[0].message).toContain('run daybook restore');
        await run(place, 'restore', problems[0].path);
        expect(await run(place, 'list')).toContain('glaze');
        await run(other, 'save', 'user', text);
      }
    });
  });

  it.each([
    'memory-bank',
    'graph',
  ])('adds from a backup what restore leaves out, as its advice says (the graph is in %s)', async (graph) => {
    await withPlace(async (place) => {
      const root = join(place.folder, 'other');
      const files = {
        MCP_KG_SNAPSHOT: join(root, graph, 'kg_snapshot.json'),
        MCP_KG_WAL: join(root, graph, 'kg_wal.log'),
      };
      const other = { ...place, root, env: { ...place.env, ...files } };
      await run(other, 'save', 'user', 'Which glaze?', '--conversation-id', 'glaze');
      await run(place, 'import', other.root, '--yes');
      await run(other, 'save', 'assistant', 'A clear one.', '--conversation-id', 'glaze');
      await run(other, 'kg', 'add', 'Ada', 'owns', 'a kiln');
      await run(place, 'kg', 'add', 'Ada', 'owns', 'a garden');
      const backups = join(place.folder, 'backups');
      await run(other, 'backup', '--to', backups);
      const [name] = readdirSync(backups).filter((each) => each.endsWith('.tar.gz'));
      const restore = ['--root', place.root, 'restore', join(backups, `${name}`)];
      const { code, stderr } = await runCommand(place, restore);
      expect(code).toBe(1);
      const folder = join(place.folder, 'extracted');
      for (const line of stderr.match(/daybook .* FOLDER$/gm) ?? []) {
        const [, ...words] = line.replace('FOLDER', folder).split(' ');
        const more = words.includes('import') ? ['--yes'] : [];
        expect((await runCommand(place, [...words, ...more])).code).toBe(0);
      }
      expect(await run(place, 'kg', 'query')).toContain('a kiln');
      expect(await run(place, 'show', 'glaze')).toContain('A clear one.');
    });
  });

  it.each([
    'a folder',
    'a file',
  ])('has a conversation that is imported alone, from %s', async (form) => {
    const { bench, own, imported } = await filledStore();
    const here = await openImportBench();
    for (const id of [own, imported]) {
      const folder = join(bench.logsFolder, id);
      const path = form === 'a file' ? join(folder, 'conversation.json') : folder;
      expect(counts(await here.import(path))).toMatchObject({ added: 1, skipped: 0 });
      expect(here.jsonOf(id)).toEqual(bench.jsonOf(id));
    }
    expect(counts(await here.import(rootOf(bench)))).toMatchObject({ added: 1, unchanged: 2 });
  });

  it.each([
    'folder',
    'archive',
  ])('does not bring back what its exports have, from a %s', async (form) => {
    await withPlace(async (place) => {
      const other = { ...place, root: join(place.folder, 'other') };
      await run(other, 'save', 'user', 'a deleted text', '--conversation-id', 'gone');
      await run(other, 'save', 'user', 'Which glaze?', '--conversation-id', 'glaze');
      mkdirSync(join(other.root, 'exports'));
      await run(other, 'export', '-o', join(other.root, 'exports/all.jsonl'));
      await run(other, 'export', '-f', 'markdown-files', '-o', join(other.root, 'exports/all'));
      await run(other, 'delete', 'gone');
      const path = form === 'folder' ? other.root : fileWith(archiveOf(other.root), 'store.zip');
      const report = JSON.parse(await run(place, 'import', path, '--yes', '--json'));
      expect(report).toMatchObject({ added: 1, messages: 1, problems: [] });
    });
  });

  it('is the store itself: nothing changes', async () => {
    const { bench } = await filledStore();
    const before = contentOf(bench);
    const report = await bench.import(rootOf(bench));
    expect(report).toMatchObject({ added: 0, updated: 0, unchanged: 3, problems: [] });
    expect(contentOf(bench)).toEqual(before);
  });
});
