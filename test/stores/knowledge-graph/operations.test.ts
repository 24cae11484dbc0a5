/**
 * The main rule: in whatever order and however often operations are read, and wherever a compaction happens
 * in between, the graph has the same facts as the slow reference.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { KnowledgeGraph } from '../../../src/stores/knowledge-graph/knowledge-graph.js';
import { encodeOperation } from '../../../src/stores/knowledge-graph/log/operation-line.js';
import { fold, withOperation } from '../../../src/stores/knowledge-graph/model/fact-history.js';
import type { Operation } from '../../../src/stores/knowledge-graph/model/triple.js';
import { tempFolder } from '../../support/temp-folder.js';
import { allOf, graphIn } from './graph.js';
import { operationsIn, replay } from './oracle.js';

const OPEN = Number.POSITIVE_INFINITY;
const kind = fc.constantFrom('add' as const, 'add' as const, 'close' as const, 'delete' as const);

/** Few times and ids, so that they collide. An id belongs to one operation only. */
const operation = fc.record({ kind, at: fc.integer({ min: 1, max: 6 }), isEnded: fc.boolean() });
const operations = fc
  .array(operation, { maxLength: 10 })
  .chain((list) =>
    fc.tuple(
      fc.constant(list),
      fc.shuffledSubarray(
        list.map((_, id) => id),
        { minLength: list.length },
      ),
    ),
  )
  .map(([list, ids]) =>
    list.map(({ kind: what, at, isEnded }, index): Operation => {
      const end = what === 'add' ? (isEnded ? at + 2 : OPEN) : at;
      return {
        kind: what,
        at,
        hi: 0,
        lo: ids[index] ?? 0,
        ts: at,
        validTo: end,
        origin: undefined,
      };
    }),
  );

const lineOf = (one: Operation) =>
  encodeOperation({ subject: 's', predicate: 'p', object: 'o' }, one);
const byRule = (list: readonly Operation[]) => replay(operationsIn(list.map(lineOf).join('\n')));
const asFacts = (list: readonly Operation[]) =>
  list
    .map(({ ts, validTo }) =>
      JSON.stringify([
        JSON.stringify(['s', 'p', 'o']),
        ts,
        validTo === OPEN ? null : validTo,
        '[null,null]',
      ]),
    )
    .sort();

function takeIn(list: readonly Operation[], into: readonly Operation[] = []): readonly Operation[] {
  return list.reduce((all, one) => withOperation(all, one) ?? all, into);
}

describe('the order of operations', () => {
  it('has no effect on the facts, and reading operations twice neither', () => {
    fc.assert(
      fc.property(operations, fc.infiniteStream(fc.nat()), (list, random) => {
        const expected = asFacts(fold(takeIn(list)));
        expect(expected).toEqual(byRule(list));
        const shuffled = [...list, ...list].sort(() => (random.next().value % 2 === 0 ? -1 : 1));
        expect(asFacts(fold(takeIn(shuffled)))).toEqual(expected);
      }),
      { numRuns: 5_000 },
    );
  });

  it('has no effect if each half was compacted before the two are joined', () => {
    fc.assert(
      fc.property(operations, fc.nat(10), (list, cut) => {
        const [left, right] = [takeIn(list.slice(0, cut)), takeIn(list.slice(cut))];
        expect(asFacts(fold(takeIn(right, left)))).toEqual(byRule(list));
      }),
      { numRuns: 5_000 },
    );
  });
});

type Step =
  | { do: 'add'; name: number; object: number; replaces: boolean }
  | { do: 'delete' | 'end'; name: number; object: number }
  | { do: 'save' | 'restart'; process: number };
const small = fc.integer({ min: 0, max: 3 });
const step: fc.Arbitrary<Step & { process: number }> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('add' as const),
      name: small,
      object: small,
      replaces: fc.boolean(),
      process: fc.nat(1),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('delete' as const, 'end' as const),
      name: small,
      object: small,
      process: fc.nat(1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constantFrom('save' as const, 'restart' as const),
      process: fc.nat(1),
    }),
  },
);

describe('two graphs on the same files', () => {
  it('agree after every step with each other, with a new process and with a simple list', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const folder = tempFolder();
        const graphs = [graphIn(folder), graphIn(folder)];
        const open = new Map<string, string>();
        for (const { process, ...next } of steps) {
          const graph = graphs[process] ?? graphIn(folder);
          if (next.do === 'save') await graph.save();
          if (next.do === 'restart') {
            await graph.close();
            graphs[process] = graphIn(folder);
          }
          if (!('name' in next)) continue;
          const key = { subject: `s${next.name}`, predicate: 'p', object: `o${next.object}` };
          const name = `${key.subject} ${key.object}`;
          if (next.do === 'add') {
            const { triples } = await graph.add([key], { replaces: next.replaces });
            expect(triples[0]?.added).toBe(!open.has(name));
            if (next.replaces)
              for (const old of [...open.keys()])
                if (old.startsWith(`${key.subject} `)) open.delete(old);
            open.set(name, name);
          } else {
            const [removed] =
              next.do === 'delete' ? await graph.delete([key]) : await graph.end([key]);
            if (next.do === 'end') expect(removed?.removed).toBe(open.has(name));
            open.delete(name);
          }
          for (const each of graphs) {
            const { triples } = await each.query({}, { offset: 0, limit: 100 });
            expect(triples.map(({ subject, object }) => `${subject} ${object}`).sort()).toEqual(
              [...open.keys()].sort(),
            );
          }
        }
        const lists = await Promise.all([...graphs, graphIn(folder)].map(allOf));
        expect(lists[1]).toEqual(lists[0]);
        expect(lists[2]).toEqual(lists[0]);
        for (const graph of graphs) await graph.close();
      }),
      { numRuns: 60 },
    );
  });
});

type Follow =
  | { do: 'add' | 'delete' | 'end' | 'save'; by: number; name: number; isAlongside: boolean }
  | { do: 'look' };
const follow: fc.Arbitrary<Follow> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constantFrom('add' as const, 'add' as const, 'delete' as const, 'end' as const),
      by: fc.nat(1),
      name: fc.nat(5),
      isAlongside: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('save' as const),
      by: fc.nat(1),
      name: fc.nat(5),
      isAlongside: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('look' as const) }) },
);

describe('a graph that other processes change and compact', () => {
  it('reads only the new end of the log', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(follow, { maxLength: 30 }), async (steps) => {
        const folder = tempFolder();
        const [first, second, reader] = [graphIn(folder), graphIn(folder), graphIn(folder)];
        await first.add([{ subject: 's', predicate: 'p', object: 'o' }]);
        const compare = async (graph: KnowledgeGraph) => {
          const fresh = graphIn(folder);
          expect(await allOf(graph)).toEqual(await allOf(fresh));
          const [one, other] = await Promise.all([graph.stats(), fresh.stats()]);
          expect({ ...one, notices: [] }).toEqual({ ...other, notices: [] });
        };
        const loads: unknown[] = [];
        for (const graph of [first, second, reader]) {
          await allOf(graph);
          graph.subscribe((subjects) => subjects === undefined && loads.push(graph));
        }
        let running: Promise<unknown>[] = [];
        for (const next of steps) {
          if (next.do === 'look') {
            await Promise.all(running.splice(0));
            await compare(reader);
            continue;
          }
          const graph = next.by === 0 ? first : second;
          const key = { subject: `s${next.name}`, predicate: 'p', object: 'o' };
          // A process cannot follow two compactions between two reads.
          if (next.do === 'save') {
            await Promise.all(running.splice(0));
            for (const each of [first, second, reader]) await allOf(each);
          }
          if (next.do === 'add') running.push(graph.add([key]));
          if (next.do === 'delete') running.push(graph.delete([key]));
          if (next.do === 'end') running.push(graph.end([key]));
          if (next.do === 'save') running.push(graph.save());
          if (!next.isAlongside) await Promise.all(running.splice(0));
        }
        await Promise.all(running);
        running = [];
        for (const graph of [first, second, reader]) await compare(graph);
        expect(loads).toEqual([]);
        for (const graph of [first, second, reader]) await graph.close();
      }),
      { numRuns: 60 },
    );
  });

  it('reads all files again if git or a person replaced files during a compaction', async () => {
    const folder = tempFolder();
    const [writer, reader] = [graphIn(folder), graphIn(folder)];
    const [wal, snapshot] = ['kg_wal.log', 'kg_snapshot.json'].map((name) => join(folder, name));
    const facts = ['Ada', 'Grace', 'Alan'].map((subject) => ({
      subject,
      predicate: 'knows',
      object: 'Charles',
    }));
    await writer.add(facts);
    await writer.save();
    const changes = [
      // Of the same length, in the log that is then compacted.
      () => writeFileSync(wal ?? '', readFileSync(wal ?? '', 'utf8').replace('Grace', 'Gracf')),
      () =>
        writeFileSync(
          snapshot ?? '',
          readFileSync(snapshot ?? '', 'utf8').replace(/.*Ada.*\n/, ''),
        ),
    ];
    for (const change of changes) {
      await writer.delete(facts);
      await writer.add(facts);
      await allOf(reader);
      change();
      await new Promise((resolve) => setImmediate(resolve));
      await writer.save();
      expect(await allOf(reader)).toEqual(await allOf(graphIn(folder)));
    }
    await writer.close();
  });

  it('forgets the same deletions as the compaction', async () => {
    const folder = tempFolder();
    let now = 0;
    const clock = { now: () => now, monotonic: () => performance.now() };
    const [writer, reader] = [graphIn(folder, { clock }), graphIn(folder, { clock })];
    const key = { subject: 'Ada', predicate: 'knows', object: 'Charles' };
    await writer.add([key, { ...key, subject: 'Grace' }]);
    await writer.delete([key]);
    expect((await reader.stats()).deletions).toBe(1);
    const heard: unknown[] = [];
    reader.subscribe((subjects) => heard.push(subjects));
    now = 31 * 86_400_000;
    await writer.save();
    expect((await reader.stats()).deletions).toBe(0);
    expect(heard).toEqual([]);
    await writer.close();
  });
});

describe('lines of other authors', () => {
  const write = (folder: string, ...lines: string[]) =>
    writeFileSync(join(folder, 'kg_wal.log'), `${lines.map((line) => `\n${line}`).join('')}\n`);

  it('lines written by hand need no checksum, id or time, and give the same facts in every process', async () => {
    const folder = tempFolder();
    write(
      folder,
      '{"subject":"Ada","predicate":"knows","object":"Charles"}',
      '{"s":"Ada","p":"lives in","o":"London","ts":"1840-01-01","validTo":"1852-11-27T00:00:00Z"}',
      '{"s":"Grace","p":"knows","o":"Howard","at":5}',
      '{"op":"delete","s":"Grace","p":"knows","o":"Howard","at":6}',
    );
    const first = await allOf(graphIn(folder));
    expect(first.map(({ object, ts }) => [object, ts])).toEqual([
      ['London', Date.parse('1840-01-01')],
      ['Charles', 0],
    ]);
    expect(await allOf(graphIn(folder))).toEqual(first);
    const graph = graphIn(folder);
    expect((await graph.stats()).damagedLines).toBe(0);
    await graph.delete([{ subject: 'Ada', predicate: 'knows', object: 'Charles' }]);
    await graph.save();
    expect(await allOf(graphIn(folder))).toHaveLength(1);
    await graph.close();
  });

  it('are rejected if they have an unknown field or an invalid value', async () => {
    const folder = tempFolder();
    write(
      folder,
      '{"s":"Ada","p":"knows","o":"Charles","sun":"00000000"}',
      '{"s":"","p":"knows","o":"Charles"}',
      `{"s":"${'x'.repeat(201)}","p":"knows","o":"Charles"}`,
      '{"s":"Ada","p":"knows","o":"\\ud800"}',
      '{"s":"Ada","p":"knows","o":"Charles","at":"soon"}',
      '{"s":"Ada","p":"knows","o":"Charles","op":"forget"}',
      '["Ada","knows","Charles"]',
    );
    const graph = graphIn(folder);
    expect(await allOf(graph)).toEqual([]);
    expect((await graph.stats()).damagedLines).toBe(7);
  });

  it('of a later format are neither read nor changed', async () => {
    const folder = tempFolder();
    const graph = graphIn(folder);
    await graph.add([{ subject: 'Ada', predicate: 'knows', object: 'Charles' }]);
    await graph.close();
    const path = join(folder, 'kg_wal.log');
    const { crc32 } = await import('node:zlib');
    const head = '{"format":"daybook-kg","version":2';
    const sum = crc32(head).toString(16).padStart(8, '0');
    const text = `\n${head},"sum":"${sum}"}${readFileSync(path, 'utf8')}`;
    writeFileSync(path, text);
    const later = graphIn(folder);
    await expect(allOf(later)).rejects.toMatchObject({ code: 'FORMAT_TOO_NEW' });
    await expect(later.add([{ subject: 'a', predicate: 'b', object: 'c' }])).rejects.toMatchObject({
      code: 'FORMAT_TOO_NEW',
    });
    expect(readFileSync(path, 'utf8')).toBe(text);
    await later.close();
  });
});
