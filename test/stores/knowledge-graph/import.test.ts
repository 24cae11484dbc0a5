/** Imported facts: those that were ended or deleted here since stay ended or deleted. */
import { expect, it } from 'vitest';
import { allOf, fact, openGraph } from './graph.js';

const T0 = Date.parse('2020-01-01T00:00:00Z');

it('an import neither reopens an ended fact nor adds a deleted one again', async () => {
  const { graph } = openGraph();
  const facts = [
    { ...fact('Ada', 'lives in', 'London'), ts: T0 },
    { ...fact('Bob', 'lives in', 'Paris'), ts: T0 },
  ];
  expect((await graph.add(facts, { isImport: true })).triples.map(({ added }) => added)).toEqual([
    true,
    true,
  ]);
  await graph.end([fact('Ada', 'lives in', 'London')]);
  await graph.delete([fact('Bob', 'lives in', 'Paris')]);
  const before = await allOf(graph);
  expect(await graph.countNew(facts, true)).toBe(0);
  expect(await graph.countNew(facts)).toBe(1);
  const fresh = { ...fact('Cy', 'lives in', 'Rome'), ts: T0 };
  const { triples } = await graph.add([...facts, fresh], {
    isImport: true,
    leavesDeleted: true,
  });
  expect(triples.map(({ subject, added }) => [subject, added])).toEqual([
    ['Ada', false],
    ['Bob', false],
    ['Cy', true],
  ]);
  const after = await allOf(graph);
  expect(after).toHaveLength(2);
  expect(after).toEqual(expect.arrayContaining(before));
  // An export that a person imports by name brings deleted facts back.
  const named = await graph.add(facts, { isImport: true });
  expect(named.triples.map(({ added }) => added)).toEqual([false, true]);
  await graph.delete([fact('Bob', 'lives in', 'Paris')]);
  // A person who adds a fact again wants it.
  const again = await graph.add(facts);
  expect(again.triples.map(({ added }) => added)).toEqual([true, true]);
});
