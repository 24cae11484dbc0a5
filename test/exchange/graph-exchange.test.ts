/**
 * Export and import of the graph: as JSON Lines without loss, as Mermaid, and as the memory.jsonl of the
 * official memory server. The package of this server writes and reads the file in these tests.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { GraphExport } from '../../src/exchange/graph/graph-export.js';
import type { GraphFormat } from '../../src/exchange/graph/graph-format-names.js';
import { GraphImport } from '../../src/exchange/graph/graph-import.js';
import { itemsOf, type MemoryLine, memoryLinesOf } from '../../src/exchange/graph/memory-jsonl.js';
import type { NewTriple, TripleKey } from '../../src/stores/knowledge-graph/model/triple.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { allOf, graphIn, openGraph } from '../stores/knowledge-graph/graph.js';
import { errorOf } from '../support/error-of.js';
import { tempFolder } from '../support/temp-folder.js';

const SERVER = resolve(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/server-memory/dist/index.js',
);

function openPlace(maxTriples = 5000, maxFiles = 1000) {
  const { folder, graph: kg } = openGraph({ maxTriples });
  const memoryBank = new MemoryBank({ folder, maxFiles, fsync: false });
  onTestFinished(() => memoryBank.close());
  const parts = { kg, memoryBank, folder: join(folder, 'exports'), fsync: false };
  const exporter = new GraphExport(parts);
  const importer = new GraphImport(parts);
  const textOf = async (format: GraphFormat, filter = {}) => {
    const all = { max: Number.POSITIVE_INFINITY, measure: (text: string) => text.length };
    return (await exporter.toText({ format, filter }, 0, all)).text;
  };
  const bring = (text: string, longObservations: 'refuse' | 'notes' = 'refuse') =>
    importer.import({ text, longObservations });
  return { folder, kg, memoryBank, exporter, importer, textOf, bring };
}

const part = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    'entity type',
    'observation',
    'observation note',
    '\\',
    '\\\\',
    '\\observation',
  ),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 6 })
    .filter((text) => [...text].length <= 200),
);
const key = fc.record({ subject: part, predicate: part, object: part });
const nameOf = ({ subject, predicate, object }: TripleKey) =>
  JSON.stringify([subject, predicate, object]);

async function* each<T>(items: readonly T[]): AsyncGenerator<T> {
  yield* items;
}

describe('the JSON Lines of the graph', () => {
  it('keep all facts in their order, with times, ends and origins', async () => {
    const time = fc.integer({ min: -1e12, max: 2e12 });
    const fact = fc.record(
      {
        subject: part,
        predicate: part,
        object: part,
        ts: time,
        conversationId: part,
        messageId: part,
      },
      { requiredKeys: ['subject', 'predicate', 'object', 'ts'] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fact, { maxLength: 12 }), fc.nat(), async (facts, pick) => {
        const from = openPlace();
        const to = openPlace();
        for (const [index, each] of facts.entries()) {
          const triple = each as NewTriple;
          await from.kg.add([triple], { replaces: (pick + index) % 3 === 0 });
          if ((pick + index) % 4 === 0) await from.kg.end([triple]);
        }
        const text = await from.textOf('jsonl');
        if (text === '') return;
        const { refused, added } = await to.bring(text);
        expect(refused).toEqual([]);
        expect(added).toBe((await allOf(from.kg)).length);
        expect(await allOf(to.kg)).toEqual(await allOf(from.kg));
        expect(await to.textOf('jsonl')).toBe(text);
        expect((await to.bring(text)).added).toBe(0);
        expect(await to.textOf('jsonl')).toBe(text);
      }),
      { numRuns: 60 },
    );
  });

  it('can be written by hand, and an import reports each wrong line', async () => {
    const { bring, kg } = openPlace();
    const text = [
      '{"subject":"Ada","predicate":"knows","object":"Charles"}',
      '',
      '{"subject":"Ada","predicate":"born","object":"London","ts":"1815-12-10"}\r',
      'not JSON',
      '{"subject":"Ada","predicate":"knows"}',
      '[]',
      `{"subject":"Ada","predicate":"knows","object":"${'x'.repeat(201)}"}`,
      '{"subject":"Ada","predicate":"knows","object":"x","ts":"someday"}',
      '{"subject":"","predicate":"knows","object":"x"}',
    ].join('\n');
    const { added, refused, format } = await bring(text);
    expect({ added, format }).toEqual({ added: 2, format: 'jsonl' });
    expect(refused.map(({ line, code }) => [line, code])).toEqual([
      [4, 'VALIDATION_ERROR'],
      [5, 'VALIDATION_ERROR'],
      [6, 'VALIDATION_ERROR'],
      [7, 'E_KG_INVALID_TRIPLE'],
      [8, 'VALIDATION_ERROR'],
      [9, 'E_KG_INVALID_TRIPLE'],
    ]);
    expect(refused[2]?.reason).toBe('The line is not a JSON object.');
    expect((await allOf(kg)).map(({ ts }) => ts)[0]).toBe(Date.UTC(1815, 11, 10));
    for (const nothing of ['', 'x', '{}\n[1]', '{"type":"other"}'])
      expect((await errorOf(bring(nothing))).code).toBe('VALIDATION_ERROR');
    const someday = '{"subject":"Ada","predicate":"knows","object":"x","ts":"someday"}';
    expect((await bring(someday)).refused[0]?.reason).toContain('ts is not a time');
    const late = someday.replace('someday', '9999-12-31T23:59:59-14:00');
    expect((await bring(late)).refused[0]?.reason).toContain('four digits');
    const early = someday.replace('someday', '-000100-07-12T00:00:00.000Z');
    expect((await bring(early)).refused).toEqual([]);
  });

  it('can have unknown fields, which an import reports with the number of lines', async () => {
    const { bring } = openPlace();
    const fact = { subject: 'Ada', predicate: 'knows', object: 'Charles' };
    const lines = [
      { ...fact, valid_from: '1833', ts: '1833-06-05' },
      { ...fact, object: 'Mary', valid_from: null, n: 1 },
      { ...fact, object: '', refusedField: 1 },
    ];
    const textOfLines = (values: readonly object[]) =>
      values.map((value) => JSON.stringify(value)).join('\n');
    expect((await bring(textOfLines(lines))).unknownFields).toEqual([
      { name: 'valid_from', lines: 2 },
      { name: 'n', lines: 1 },
    ]);
    const entity = { type: 'entity', name: 'Ada', entityType: 't', observations: [] };
    const relation = { type: 'relation', from: 'Ada', to: 'Mary', relationType: 'knows' };
    const memory = textOfLines([{ ...entity, id: 1 }, { ...relation, since: 1833 }, relation]);
    expect((await bring(memory)).unknownFields).toEqual([
      { name: 'id', lines: 1 },
      { name: 'since', lines: 1 },
    ]);
    const many = Object.fromEntries(Array.from({ length: 80 }, (_, n) => [`f${n}`, n]));
    const { unknownFields } = await bring(JSON.stringify({ ...fact, ...many }));
    expect(unknownFields).toHaveLength(50);
  });

  it('are all refused if the graph would have more facts than its limit', async () => {
    const { bring, kg } = openPlace(3);
    const line = (n: number) => JSON.stringify({ subject: `s${n}`, predicate: 'p', object: 'o' });
    await bring([1, 2].map(line).join('\n'));
    expect((await errorOf(bring([2, 3, 4].map(line).join('\n')))).code).toBe('E_KG_FULL');
    expect(await allOf(kg)).toHaveLength(2);
    expect((await bring([1, 2, 3].map(line).join('\n'))).added).toBe(1);
  });

  it('are imported in parts: a cancelled import reports how many were imported, and the next one continues', async () => {
    const { importer, kg, bring, memoryBank, folder } = openPlace();
    const entity = (n: number) => {
      const observations = n % 700 === 0 ? [`${n} ${'long '.repeat(60)}`] : [];
      return JSON.stringify({ type: 'entity', name: `e${n}`, entityType: 't', observations });
    };
    const text = Array.from({ length: 3_000 }, (_, n) => entity(n)).join('\n');
    const cancelling = new AbortController();
    const seen: number[] = [];
    const onProgress = (done: number, total: number) => {
      seen.push(done / total);
      if (done > 0.6 * total) cancelling.abort();
    };
    const { signal } = cancelling;
    const stopped = importer.import({ text, longObservations: 'notes', signal, onProgress });
    const { code, details } = await errorOf(stopped);
    expect({ code, details }).toEqual({
      code: 'CANCELLED',
      details: { facts: 3_005, stored: 1_000, added: 1_000 },
    });
    expect(seen.at(-1)).toBeCloseTo(0.5 + 1_005 / 2 / 3_010);
    expect(await allOf(kg)).toHaveLength(1_000);
    await memoryBank.refresh();
    expect(memoryBank.known()).toHaveLength(2);
    expect(await bring(text, 'notes')).toMatchObject({ facts: 3_005, added: 2_005 });
    await memoryBank.refresh();
    expect(memoryBank.known()).toHaveLength(5);
    expect(readdirSync(folder).filter((name) => name.startsWith('.tmp-'))).toEqual([]);
  });

  it('leave no notes if the facts of these notes are refused', async () => {
    const long = (n: number) => `${n} ${'long '.repeat(60)}`;
    const line = (name: string, count: number) =>
      JSON.stringify({
        type: 'entity',
        name,
        entityType: '',
        observations: Array.from({ length: count }, (_, n) => long(n)),
      });
    const { bring, memoryBank, folder } = openPlace(3);
    expect((await errorOf(bring(line('Ada', 4), 'notes'))).code).toBe('E_KG_FULL');
    expect(existsSync(join(folder, 'observations'))).toBe(false);
    await bring(line('Ada', 1), 'notes');
    expect((await errorOf(bring(line('Ada', 4), 'notes'))).code).toBe('E_KG_FULL');
    await memoryBank.refresh();
    expect(memoryBank.known()).toHaveLength(1);
    const small = openPlace(100, 2);
    expect((await errorOf(small.bring(line('Ada', 3), 'notes'))).code).toBe('E_MB_FULL');
    expect(await allOf(small.kg)).toEqual([]);
    expect(existsSync(join(small.folder, 'observations'))).toBe(false);
  });

  it('can be exported in pages of limited size, or to a file that can be imported', async () => {
    const from = openPlace();
    await from.kg.add(
      Array.from({ length: 100 }, (_, n) => ({
        subject: `s${n % 7}`,
        predicate: 'p',
        object: `o${n}`,
      })),
    );
    const request = { format: 'jsonl', filter: {} } as const;
    const room = { max: 1_000, measure: (text: string) => text.length };
    let text = '';
    let lines = 0;
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page: Awaited<ReturnType<typeof from.exporter.toText>> = await from.exporter.toText(
        request,
        offset,
        room,
      );
      expect(page.text.length).toBeLessThanOrEqual(1_000);
      text += page.text;
      lines += page.lines;
      offset = page.nextOffset;
    }
    expect(lines).toBe(100);
    expect(text).toBe(await from.textOf('jsonl'));
    expect((await from.textOf('jsonl', { subject: 's3' })).trimEnd().split('\n')).toHaveLength(14);
    const tiny = { max: 10, measure: (each: string) => each.length };
    expect((await errorOf(from.exporter.toText(request, 0, tiny))).code).toBe('TOO_LARGE');

    const { path, lines: written } = await from.exporter.toFile('kg/all.jsonl', request);
    expect([written, readFileSync(path, 'utf8')]).toEqual([100, text]);
    expect((await errorOf(from.exporter.toFile('kg/all.jsonl', request))).code).toBe(
      'ALREADY_EXISTS',
    );
    for (const name of ['../kg.jsonl', '/tmp/kg.jsonl', 'a\\b'])
      expect((await errorOf(from.exporter.toFile(name, request))).code).toBe('PATH_ESCAPE');
    expect(await from.importer.readFile('kg/all.jsonl')).toBe(text);
    expect((await errorOf(from.importer.readFile('none.jsonl'))).code).toBe('VALIDATION_ERROR');
    expect((await errorOf(from.importer.readFile('../kg_wal.log'))).code).toBe('PATH_ESCAPE');
  });
});

describe('the graph as Mermaid', () => {
  it('shows the facts that are valid now, with one node for each name and escaped text', async () => {
    const { kg, textOf } = openPlace();
    const names = [
      ['Ada', 'knows', 'Charles'],
      ['Charles', 'wrote to', 'Ada'],
      ['A "quoted" [x]', 'is; | {not} <b>', '#1; `code`\n& more'],
    ] as const;
    await kg.add(
      names.map(([subject, predicate, object], n) => ({ subject, predicate, object, ts: n + 1 })),
    );
    await kg.add([{ subject: 'Ada', predicate: 'lived in', object: 'London', ts: 1, validTo: 2 }]);
    expect(await textOf('mermaid')).toBe(
      [
        'graph LR',
        '  n1["Ada"] -->|"knows"| n2["Charles"]',
        '  n2["Charles"] -->|"wrote to"| n1["Ada"]',
        '  n3["A #34;quoted#34; #91;x#93;"] -->|"is#59; #124; #123;not#125; #60;b#62;"| n4["#35;1#59; #96;code#96; #38; more"]',
        '',
      ].join('\n'),
    );
  });
});

describe('the format of memory.jsonl', () => {
  const text = fc.oneof(part, fc.constant(''));
  const entity = fc.record({
    type: fc.constant('entity' as const),
    name: text,
    entityType: text,
    observations: fc.uniqueArray(text, { maxLength: 4 }),
  });
  const relation = fc.record({
    type: fc.constant('relation' as const),
    from: text,
    to: text,
    relationType: text,
  });
  const triplesOf = (lines: readonly MemoryLine[]) =>
    lines
      .flatMap(itemsOf)
      .map((item) => (item.kind === 'fact' ? item.triple : expect.fail(item.kind)));

  it('is imported as triples and exported with the same lines', async () => {
    const file = fc.tuple(
      fc.uniqueArray(entity, { selector: ({ name }) => name, maxLength: 5 }),
      fc.uniqueArray(relation, { selector: (each) => JSON.stringify(each), maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(file, async ([entities, relations]) => {
        const lines = [...entities, ...relations];
        const triples = triplesOf(lines);
        expect(new Set(triples.map(nameOf)).size).toBe(triples.length);
        expect(await memoryLinesOf(each(triples), async () => undefined)).toEqual(lines);
      }),
      { numRuns: 500 },
    );
  });

  it('exports every possible triple and imports it unchanged', async () => {
    const notes = new Map<string, string>();
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { selector: nameOf, maxLength: 10 }), async (all) => {
        // An observation note needs a stored note, and this test has none.
        const triples = all.filter(({ predicate }) => predicate !== 'observation note');
        const lines = await memoryLinesOf(each(triples), async (path) => notes.get(path));
        expect(new Set(triplesOf(lines).map(nameOf))).toEqual(new Set(triples.map(nameOf)));
      }),
      { numRuns: 500 },
    );
  });
});

/** Starts the official server with this file. */
async function officialServer(path: string) {
  const client = new Client({ name: 'daybook-test', version: '1' });
  const env = { PATH: process.env['PATH'] ?? '', MEMORY_FILE_PATH: path };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [SERVER], env }),
  );
  onTestFinished(() => client.close());
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: args });
    if (result.isError) throw new Error(JSON.stringify(result.content));
    return result.structuredContent;
  };
  return { call, file: () => readFileSync(path, 'utf8') };
}

const LONG = `${'A long story about Ada. '.repeat(12)}\nIts second line, with a "quote" and 🧮.\n`;
const GRAPH = {
  entities: [
    { name: 'Ada Lovelace', entityType: 'person', observations: ['born 1815', 'z', 'a', ''] },
    { name: 'Engine', entityType: '', observations: [] },
    {
      name: 'Ünïcode 🧮',
      entityType: 'a\nb',
      observations: ['tab\there', '\\', '"quotes"', '\\n'],
    },
    { name: '', entityType: 'nameless', observations: ['x'.repeat(200), '𝒳'.repeat(200)] },
  ],
  relations: [
    { from: 'Ada Lovelace', to: 'Engine', relationType: 'programs' },
    { from: 'Engine', to: 'Ada Lovelace', relationType: 'observation' },
    { from: 'Engine', to: '', relationType: 'entity type' },
    { from: 'Engine', to: 'nobody has this name', relationType: '' },
    { from: 'Engine', to: 'Engine', relationType: '\\observation' },
  ],
};

describe('the official memory server', () => {
  it('writes a file that is imported and exported with the same bytes, and reads the export', async () => {
    const folder = tempFolder();
    const first = await officialServer(join(folder, 'memory.jsonl'));
    await first.call('create_entities', { entities: GRAPH.entities });
    await first.call('create_relations', { relations: GRAPH.relations });
    await first.call('add_observations', {
      observations: [{ entityName: 'Ada Lovelace', contents: ['added later'] }],
    });
    const before = await first.call('read_graph');

    const { bring, textOf } = openPlace();
    const { refused, notes, facts, added, format } = await bring(first.file());
    expect({ refused, notes, format }).toEqual({ refused: [], notes: [], format: 'memory' });
    expect(added).toBe(facts);
    const text = await textOf('memory');
    expect(text).toBe(`${first.file()}\n`);
    expect((await bring(text)).added).toBe(0);

    writeFileSync(join(folder, 'again.jsonl'), text);
    const second = await officialServer(join(folder, 'again.jsonl'));
    expect(await second.call('read_graph')).toEqual(before);
    expect(await second.call('open_nodes', { names: ['Engine'] })).toEqual(
      await first.call('open_nodes', { names: ['Engine'] }),
    );
    await second.call('add_observations', {
      observations: [{ entityName: 'Engine', contents: ['still works'] }],
    });
    expect((await bring(second.file())).added).toBe(1);
  });

  it('writes long observations, which are refused, or stored as notes and exported unchanged', async () => {
    const folder = tempFolder();
    const official = await officialServer(join(folder, 'memory.jsonl'));
    const huge = 'y'.repeat(40_000);
    await official.call('create_entities', {
      entities: [
        { name: 'Ada', entityType: 'person', observations: ['short', LONG, 'last', `${LONG}more`] },
        { name: 'n'.repeat(201), entityType: 'person', observations: ['lost with its name'] },
        { name: 'Huge', entityType: 'text', observations: [huge] },
      ],
    });
    const { bring, textOf, memoryBank, kg, folder: bank } = openPlace();
    const refusing = await bring(official.file());
    expect(refusing.refused.map(({ line, code }) => [line, code])).toEqual([
      [1, 'E_KG_INVALID_TRIPLE'],
      [1, 'E_KG_INVALID_TRIPLE'],
      [2, 'E_KG_INVALID_TRIPLE'],
      [3, 'E_KG_INVALID_TRIPLE'],
    ]);
    expect(refusing).toMatchObject({ added: 4, notes: [] });
    expect(existsSync(join(bank, 'observations'))).toBe(false);

    const keeping = await bring(official.file(), 'notes');
    expect(keeping.refused.map(({ line, code }) => [line, code])).toEqual([
      [2, 'E_KG_INVALID_TRIPLE'],
      [3, 'TOO_LARGE'],
    ]);
    expect(keeping.notes).toHaveLength(2);
    for (const path of keeping.notes) expect(path).toMatch(/^observations\/ada-[0-9a-f]{16}\.md$/);
    const linked = await kg.query({ predicate: 'observation note' }, { offset: 0, limit: 10 });
    expect(linked.triples.map(({ object }) => object)).toEqual(keeping.notes);
    const { content } = await memoryBank.read(keeping.notes[0] ?? '');
    expect(content).toBe(`${LONG}\n`);
    expect((await bring(official.file(), 'notes')).notes).toEqual([]);

    const fresh = openPlace();
    await fresh.bring(official.file(), 'notes');
    const [line = ''] = (await fresh.textOf('memory')).split('\n');
    expect(`${line}\n`).toBe(`${official.file().split('\n')[0]}\n`);
    await fresh.memoryBank.edit(keeping.notes[0] ?? '', undefined, () => 'Edited by hand\n');
    expect(await fresh.textOf('memory')).toContain('"Edited by hand"');
    expect(await textOf('memory')).toContain('A long story');
  });

  it('does not write a long observation again whose note was renamed or deleted here', async () => {
    const { bring, importer, memoryBank, kg } = openPlace();
    const line = (text: string) =>
      JSON.stringify({ type: 'entity', name: 'Ada', entityType: 'p', observations: [text] });
    const [renamed = '', deleted = ''] = (
      await bring(`${line(LONG)}\n${line(`${LONG}more`)}`, 'notes')
    ).notes;
    await memoryBank.rename(renamed, 'ada/story.md', undefined);
    await memoryBank.delete(deleted);
    const text = `${line(LONG)}\n${line(`${LONG}more`)}\n${line(`${LONG}other`)}`;
    const request = { text, longObservations: 'notes' } as const;
    const planned = await importer.import({ ...request, dryRun: true });
    expect(planned).toMatchObject({ added: 1, notes: [expect.stringMatching(/^observations/)] });
    expect(await importer.import(request)).toMatchObject({ added: 1, notes: planned.notes });
    await memoryBank.refresh();
    const paths = memoryBank.known().map(({ path }) => path);
    expect(paths).toEqual(['ada/story.md', ...planned.notes].sort());
    // A fact that is added again needs its note.
    await kg.delete([{ subject: 'Ada', predicate: 'observation note', object: deleted }]);
    expect((await bring(line(`${LONG}more`), 'notes')).notes).toEqual([deleted]);
  });

  it('keeps the file of a note that was changed by hand and cannot be read as a note now', async () => {
    const { bring, importer, folder } = openPlace();
    const line = (text: string) =>
      JSON.stringify({ type: 'entity', name: 'Ada', entityType: 'p', observations: [text] });
    const text = `${line(LONG)}\n${line(`${LONG}more`)}`;
    const [latin = '', long = ''] = (await bring(text, 'notes')).notes;
    writeFileSync(join(folder, latin), Buffer.from('caf\xe9\n', 'latin1'));
    writeFileSync(join(folder, long), 'long '.repeat(10_000));
    const request = { text: `${text}\n${line('short')}`, longObservations: 'notes' } as const;
    const planned = await importer.import({ ...request, dryRun: true });
    expect(planned).toMatchObject({ added: 1, notes: [] });
    expect(await importer.import(request)).toMatchObject({ added: 1, notes: [] });
    expect(readFileSync(join(folder, latin), 'latin1')).toBe('caf\xe9\n');
  });

  it('keeps facts of Daybook whose predicates are words of its format', async () => {
    const folder = tempFolder();
    const from = openPlace();
    await from.kg.add([
      { subject: 'Ada', predicate: 'lives in', object: 'London' },
      { subject: 'Ada', predicate: 'observation', object: 'likes numbers' },
      { subject: 'Ada', predicate: 'lived in', object: 'Bath', ts: 1, validTo: 2 },
    ]);
    writeFileSync(join(folder, 'memory.jsonl'), await from.textOf('memory'));
    const official = await officialServer(join(folder, 'memory.jsonl'));
    await official.call('create_relations', {
      relations: [{ from: 'London', to: 'England', relationType: 'is in' }],
    });
    const to = openPlace();
    await to.bring(official.file());
    expect((await allOf(to.kg)).map(nameOf)).toEqual([
      '["Ada","observation","likes numbers"]',
      '["Ada","lives in","London"]',
      '["London","is in","England"]',
    ]);
  });

  it('can write a file of thousands of lines, which is imported and exported', async () => {
    const lines = Array.from({ length: 5_000 }, (_, n) =>
      JSON.stringify({ type: 'relation', from: `a${n}`, to: `b${n % 50}`, relationType: 'r' }),
    );
    const { bring, kg, textOf, folder } = openPlace();
    expect((await bring(lines.join('\n'))).added).toBe(5_000);
    expect(await textOf('memory')).toBe(`${lines.join('\n')}\n`);
    mkdirSync(join(folder, 'other'));
    await kg.close();
    const again = graphIn(folder);
    onTestFinished(() => again.close());
    expect((await allOf(again)).length).toBe(5_000);
  });
});
