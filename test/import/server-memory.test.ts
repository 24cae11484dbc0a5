/** The knowledge graph of the MCP memory server, with `daybook import`. */
import { describe, expect, it } from 'vitest';
import { fileWith, lines, openImportBench } from './bench.js';

const ADA = { type: 'entity', name: 'Ada', entityType: 'person', observations: ['writes', '計画'] };
const KNOWS = { type: 'relation', from: 'Ada', to: 'Charles', relationType: 'knows' };
const FACTS = ['Ada entity type person', 'Ada knows Charles', 'Ada observation writes'];

async function factsOf({ kg }: Awaited<ReturnType<typeof openImportBench>>): Promise<string[]> {
  const { triples } = await kg.query({}, { offset: 0, limit: 100, order: 'oldest' });
  return triples
    .map(({ subject, predicate, object }) => `${subject} ${predicate} ${object}`)
    .sort();
}

describe('memory.jsonl', () => {
  it('is imported once, with long observations as notes, and invalid lines are reported', async () => {
    const bench = await openImportBench();
    const long = { ...ADA, name: 'Charles', observations: ['very '.repeat(80)] };
    const path = fileWith(`${lines(ADA, KNOWS, long)}{ broken`, 'memory.jsonl');
    expect(await bench.import(path, { dryRun: true })).toMatchObject({ facts: 6, notes: 1 });
    expect(await factsOf(bench)).toEqual([]);
    const report = await bench.import(path);
    expect(report).toMatchObject({ sources: [{ kind: 'server-memory' }], facts: 6, notes: 1 });
    expect(report.problems).toMatchObject([{ path: 'memory.jsonl', record: 'line 4' }]);
    expect(await factsOf(bench)).toEqual(
      expect.arrayContaining([...FACTS, 'Ada observation 計画']),
    );
    const before = bench.hash();
    expect(await bench.import(path, { dryRun: true })).toMatchObject({ facts: 0, notes: 0 });
    expect(await bench.import(path)).toMatchObject({ facts: 0, notes: 0 });
    expect(bench.hash()).toBe(before);
  });

  it('can have unknown fields, which the report names', async () => {
    const bench = await openImportBench();
    const path = fileWith(
      lines({ ...ADA, id: 7 }, { ...KNOWS, since: 1833, id: 8 }),
      'memory.jsonl',
    );
    expect((await bench.import(path)).leftOut).toEqual({
      'the unknown field "id" of facts': 2,
      'the unknown field "since" of facts': 1,
    });
  });

  it('can have two objects in a line that lost its line break', async () => {
    const merged = JSON.stringify({ ...ADA, observations: ['a "}{" b\\'] }) + JSON.stringify(KNOWS);
    const bench = await openImportBench();
    const path = fileWith(`${merged}{"type":"ent\n{ broken`, 'memory.jsonl');
    const report = await bench.import(path);
    expect(report).toMatchObject({
      facts: 3,
      problems: [{ record: 'line 1' }, { record: 'line 2' }],
    });
    expect(await factsOf(bench)).toEqual([
      'Ada entity type person',
      'Ada knows Charles',
      'Ada observation a "}{" b\\',
    ]);
    const before = bench.hash();
    expect(await bench.import(path)).toMatchObject({ facts: 0 });
    expect(bench.hash()).toBe(before);
  });

  it('is counted in a dry run: only new facts, once each', async () => {
    const bench = await openImportBench();
    await bench.import(fileWith(lines(ADA), 'memory.jsonl'));
    const path = fileWith(lines(ADA, KNOWS, KNOWS), 'more.jsonl');
    expect(await bench.import(path, { dryRun: true })).toMatchObject({ facts: 1 });
    expect(await bench.import(path)).toMatchObject({ facts: 1 });
  });

  it.each([
    ['one document', { entities: [ADA], relations: [KNOWS] }],
    [
      'the names that forks use',
      lines(
        { type: 'entity', name: 'Ada', entity_type: 'person', observations: ['writes'] },
        { type: 'relation', from_id: 'Ada', to_id: 'Charles', relation_type: 'knows' },
      ),
    ],
    [
      'the names that forks use, in one line',
      lines(
        { type: 'entity', name: 'Ada', entity_type: 'person', observations: ['writes'] },
        { type: 'relation', from_id: 'Ada', to_id: 'Charles', relation_type: 'knows' },
      ).replaceAll('\n', ''),
    ],
    [
      'facts of an export',
      lines(
        { subject: 'Ada', predicate: 'entity type', object: 'person' },
        { subject: 'Ada', predicate: 'knows', object: 'Charles' },
        { subject: 'Ada', predicate: 'observation', object: 'writes' },
      ),
    ],
  ])('is read as %s', async (_form, content) => {
    const bench = await openImportBench();
    const report = await bench.importText(content, 'memory.json');
    expect([report.sources[0]?.kind, report.problems]).toEqual(['server-memory', []]);
    expect(await factsOf(bench)).toEqual(expect.arrayContaining(FACTS));
  });
});

it('a long observation with a secret is not written again after its note was renamed', async () => {
  const bench = await openImportBench();
  const secret = `sk-ant-api03-${'Ab3dE5fG7h'.repeat(9)}AA`;
  const observations = [`${'The key of the shed '.repeat(12)}is ${secret}`];
  const text = lines({ type: 'entity', name: 'Ada', entityType: 'person', observations });
  await bench.importText(text, 'memory.jsonl');
  await bench.memoryBank.refresh();
  const [path = ''] = bench.memoryBank.known().map((each) => each.path);
  await bench.memoryBank.rename(path, 'ada.md', undefined);
  expect(await bench.importText(text, 'memory.jsonl')).toMatchObject({ notes: 0, facts: 0 });
  await bench.memoryBank.refresh();
  expect(bench.memoryBank.known().map((each) => each.path)).toEqual(['ada.md']);
});
