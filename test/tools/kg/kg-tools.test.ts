/** The tools of the knowledge graph through the official client, on real files. */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from '../../../src/tools/answers/answer-budget.js';
import { useToolSession } from '../../support/tool-session.js';

const opened = useToolSession();
const call = (name: string, args: Record<string, unknown> = {}) => opened.session.call(name, args);
const failure = (name: string, args: Record<string, unknown>) => opened.session.failure(name, args);
const ada = { subject: 'Ada', predicate: 'lives in', object: 'London' };

interface Triple {
  subject: string;
  predicate: string;
  object: string;
  ts: string;
  validTo?: string;
  added?: boolean;
  deleted?: boolean;
}
const triplesOf = (result: Record<string, unknown>) => result['triples'] as Triple[];

describe('kg_add and kg_query', () => {
  it('store one or several facts, also under their old names', async () => {
    expect(await call('kg/add', ada)).toMatchObject({
      added: 1,
      triples: [{ ...ada, added: true }],
    });
    const triples = [ada, { ...ada, subject: 'Mary', conversationId: 'c-1', messageId: 'm-1' }];
    const second = await call('kg_add', { triples });
    expect(second).toMatchObject({ added: 1, closed: [] });
    expect(triplesOf(second).map(({ added }) => added)).toEqual([false, true]);
    const found = await call('kg/query', { object: 'London' });
    expect(found).toMatchObject({ total: 2, hasMore: false });
    expect(triplesOf(found)[1]).toMatchObject({ subject: 'Mary', messageId: 'm-1' });
    const wal = readFileSync(join(opened.place.root, 'memory-bank', 'kg_wal.log'), 'utf8');
    expect(wal.match(/^\{"s":/gm)).toHaveLength(2);
  });

  it('refuse a part that is too long only after a mark replaced its private part', async () => {
    const subject = `${'a'.repeat(180)}<private>b</private>`;
    expect((await failure('kg_add', { ...ada, subject })).code).toBe('E_KG_INVALID_TRIPLE');
    const lines = [ada, { ...ada, subject }, { ...ada, subject: 'Mary' }];
    const text = lines.map((line) => JSON.stringify(line)).join('\n');
    expect(await call('kg_import', { text })).toMatchObject({
      added: 2,
      refused: [{ line: 2, code: 'E_KG_INVALID_TRIPLE' }],
    });
    expect((await call('kg_query'))['total']).toBe(2);
  });

  it('say what was not stored, also after an import', async () => {
    const secret = { ...ada, object: 'a <private>b</private>' };
    const note = 'Not stored: 1 part (private part). A mark replaces each of them.';
    expect((await call('kg_add', secret))['note']).toBe(note);
    const line = JSON.stringify({ ...secret, subject: 'Mary' });
    expect((await call('kg_import', { text: line }))['note']).toBe(note);
    expect(await call('kg_import', { text: JSON.stringify(ada) })).not.toHaveProperty('note');
  });

  it('replace and end facts, and show past ones', async () => {
    await call('kg_add', { triples: [{ ...ada, ts: '1820-01-01' }] });
    const moved = await call('kg_add', { ...ada, object: 'Ockham', replaces: true });
    expect(moved['closed']).toMatchObject([{ ...ada, ts: '1820-01-01T00:00:00.000Z' }]);
    expect((await call('kg_query', { subject: 'Ada' }))['total']).toBe(1);
    expect((await failure('kg_query', { asOf: '1830' })).code).toBe('VALIDATION_ERROR');
    const then = triplesOf(await call('kg_query', { subject: 'Ada', asOf: '1830-01-01' }));
    expect(then.map(({ object }) => object)).toEqual(['London']);
    const ended = await call('kg_delete', {
      ...ada,
      object: 'Ockham',
      close: true,
      validTo: '2999-01-01',
    });
    expect(ended).toMatchObject({ deleted: 1, triples: [{ validTo: '2999-01-01T00:00:00.000Z' }] });
    const until = (await call('kg_query', { subject: 'Ada' }))['triples'];
    expect(until).toMatchObject([{ object: 'Ockham', validTo: '2999-01-01T00:00:00.000Z' }]);
    await call('kg_delete', { ...ada, object: 'Ockham', close: true });
    const note = (await call('kg_query', { subject: 'Ada' }))['note'];
    expect(note).toContain('2 facts match at another time');
  });

  it('remove outer spaces from names, and find a name in either form of Unicode', async () => {
    const composed = { subject: 'caf\u00e9', predicate: 'is in', object: 'Rome' };
    await call('kg_add', { ...composed, subject: ' cafe\u0301 ', object: 'Rome ' });
    expect(triplesOf(await call('kg_query'))).toMatchObject([composed]);
    await call('kg_add', { triples: [{ ...composed, predicate: ' is in' }] });
    const path = join(opened.place.root, 'memory-bank', 'kg_wal.log');
    const hand = { s: 'cafe\u0301', p: 'serves', o: ' tea ', ts: 1_700_000_000_000 };
    writeFileSync(path, `${readFileSync(path, 'utf8')}${JSON.stringify(hand)}\n`);
    for (const subject of ['caf\u00e9', 'cafe\u0301', ' cafe\u0301']) {
      expect(await call('kg_query', { subject })).toMatchObject({ total: 2 });
      expect(await call('kg_neighbors', { node: subject })).toMatchObject({ total: 2 });
    }
    const whole = { subject: 'caf\u00e9', predicate: 'serves', object: ' tea ' };
    expect(await call('kg_query', whole)).toMatchObject({ total: 1 });
    expect(triplesOf(await call('kg_query', { subject: 'caf\u00e9', prefix: true }))).toHaveLength(
      2,
    );
    expect(await call('kg_delete', whole)).toMatchObject({ deleted: 1, total: 1 });
    expect(triplesOf(await call('kg_query'))).toMatchObject([composed]);
  });

  it('name the fields of a fact if one was given at the wrong place', async () => {
    const outside = await failure('kg_add', { ...ada, ts: '1840-01-01' });
    expect(outside).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(outside.message).toContain('inside "triples"');
    const inside = await failure('kg_add', { triples: [{ ...ada, validFrom: '1840-01-01' }] });
    expect(inside.message).toContain('subject, predicate, object, ts');
  });

  it('ask for another time if an invalid one was given', async () => {
    await call('kg_add', ada);
    const { note } = await call('kg_query', { ...ada, asOf: '1840-01-01' });
    expect(note).toContain('another `asOf`');
  });

  it('refuse an end before the beginning', async () => {
    await call('kg_add', ada);
    const end = { ...ada, close: true, validTo: '1852-11-27' };
    const { code, message } = await failure('kg_delete', end);
    expect(code).toBe('VALIDATION_ERROR');
    expect(message).toContain('stored as true since');
    expect(triplesOf(await call('kg_query', ada))).toMatchObject([ada]);
  });

  it('explain why nothing was found', async () => {
    expect((await call('kg_query', { subject: 'Ada' }))['note']).toContain('kg_add');
    await call('kg_add', ada);
    expect((await call('kg_query', { subject: 'ada' }))['note']).toContain(
      'subject "ada". Similar names: "Ada".',
    );
    for (const predicate of ['lives_in', 'livesIn', 'LIVES-IN', 'lives in'])
      await call('kg_add', { ...ada, subject: 'Mary', predicate });
    await call('kg_delete', { ...ada, subject: 'Mary', predicate: 'livesIn' });
    expect((await call('kg_query', { predicate: 'livesIn' }))['note']).toMatch(
      /predicate "livesIn"\. Similar names: (?=.*"lives_in")(?=.*"LIVES-IN").*"lives in"/,
    );
    for (const predicate of ['lives_in', 'LIVES-IN', 'lives in'])
      await call('kg_delete', { ...ada, subject: 'Mary', predicate });
    for (const subject of ['Bob', ''])
      expect((await call('kg_query', { subject }))['note']).not.toContain('Similar');
    expect((await call('kg_query', { text: 'Paris' }))['note']).toContain('the text "Paris"');
    await call('kg_add', { ...ada, subject: 'Mary', object: 'Paris' });
    expect((await call('kg_query', { subject: 'Ada', text: 'Paris' }))['note']).toContain(
      'no fact matches all',
    );
    await call('kg_delete', { ...ada, subject: 'Mary', object: 'Paris' });
    expect((await call('kg_neighbors', { node: 'ada' }))['note']).toContain(
      'No fact has "ada" as subject or object. Similar names: "Ada".',
    );
    expect((await call('kg_neighbors', { node: 'Ada', direction: 'in' }))['note']).toContain(
      '1 fact has this node as subject and 0 as object',
    );
    expect(await call('kg_neighbors', { node: 'Ada' })).not.toHaveProperty('note');
    const long = 'x'.repeat(100_000);
    const calls = ['subject', 'text'].map((part) => call('kg_query', { [part]: long }));
    for (const { note } of await Promise.all([...calls, call('kg_subjects', { prefix: long })]))
      expect(String(note).length).toBeLessThan(1_000);
  });

  it('have pages, and do not exceed the requested size', async () => {
    const triples = Array.from({ length: 300 }, (_, n) => ({ ...ada, object: `place ${n}` }));
    await call('kg_add', { triples });
    const page = await call('kg_query', { limit: 100, offset: 250 });
    expect(page).toMatchObject({ total: 300, hasMore: false });
    expect(triplesOf(page)).toHaveLength(50);
    const small = await call('kg_query', { limit: 1000, maxTokens: 1000 });
    const count = triplesOf(small).length;
    expect(count).toBeLessThan(60);
    expect(small).toMatchObject({ hasMore: true, nextOffset: count });
  });

  it('report a large change within the limit, with totals, and first the facts that were not changed', async () => {
    const long = (n: number) => `${n} ${'長'.repeat(190)}`;
    const triples = Array.from({ length: 300 }, (_, n) => ({ ...ada, object: long(n) }));
    await call('kg_add', { triples: triples.slice(298) });
    const added = await call('kg_add', { triples });
    expect(added).toMatchObject({ added: 298, total: 300, closedTotal: 0, closed: [] });
    expect(
      triplesOf(added)
        .slice(0, 3)
        .map(({ added: isNew }) => isNew),
    ).toEqual([false, false, true]);
    const moved = await call('kg_add', { ...ada, replaces: true });
    expect(moved).toMatchObject({ added: 1, total: 1, closedTotal: 300 });
    const gone = await call('kg_delete', { triples: [...triples, { ...ada, object: 'Rome' }] });
    expect(gone).toMatchObject({ deleted: 300, total: 301 });
    expect(triplesOf(gone)[0]).toMatchObject({ object: 'Rome', deleted: false });
    for (const answer of [added, moved, gone]) {
      expect(estimateTokens(answer)).toBeLessThan(8_000);
    }
    const short = Array.from({ length: 60 }, (_, n) => ({ ...ada, object: `place ${n}` }));
    expect(triplesOf(await call('kg_add', { triples: short }))).toHaveLength(50);
  });

  it('refuse facts that are too long, ambiguous or too many, each with its code', async () => {
    const long = { ...ada, object: 'x'.repeat(201) };
    expect(await failure('kg_add', long)).toMatchObject({ code: 'E_KG_INVALID_TRIPLE' });
    expect(await failure('kg_add', { subject: 'Ada' })).toMatchObject({ code: 'VALIDATION_ERROR' });
    const fact = { subject: 'Ada', predicate: 'a', object: 'b' };
    for (const ts of ['9999-12-31T23:59:59-14:00', '0000-01-01T00:00:00+14:00']) {
      const refused = await failure('kg_add', { triples: [{ ...fact, ts }] });
      expect(refused.message).toContain('four digits');
    }
    expect(await failure('kg_add', { ...ada, triples: [ada] })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await failure('kg_add', { triples: [{ ...ada, ts: 'soon' }] })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    for (let start = 0; start < 5_000; start += 1_000) {
      const triples = Array.from({ length: 1_000 }, (_, n) => ({ ...ada, object: `${start + n}` }));
      await call('kg_add', { triples });
    }
    expect(await failure('kg_add', ada)).toMatchObject({
      code: 'E_KG_FULL',
      number: 2400,
      details: { stored: 5_000, needed: 1, limit: 5_000 },
    });
  });
});

describe('the other tools of the graph', () => {
  it('delete facts, and report those that did not exist', async () => {
    await call('kg_add', ada);
    const result = await call('kg_delete', { triples: [ada, { ...ada, subject: 'Mary' }] });
    expect(result['deleted']).toBe(1);
    expect(triplesOf(result).map(({ deleted }) => deleted)).toEqual([true, false]);
    expect((await call('kg_query'))['total']).toBe(0);
  });

  it('return neighbours, subjects and statistics, and save a snapshot', async () => {
    await call('kg_add', {
      triples: [ada, { subject: 'Charles', predicate: 'knows', object: 'Ada' }],
    });
    const around = await call('kg_neighbors', { node: 'London', depth: 2 });
    expect(triplesOf(around).map(({ subject }) => subject)).toEqual(['Ada', 'Charles']);
    expect(around['nodes']).toContainEqual({ node: 'Charles', depth: 2 });
    expect(await call('kg_subjects')).toMatchObject({
      total: 2,
      subjects: [
        { subject: 'Ada', facts: 1 },
        { subject: 'Charles', facts: 1 },
      ],
    });
    expect(await call('kg_subjects', { prefix: 'ada' })).toMatchObject({
      total: 0,
      note: expect.stringContaining('begins with "ada"'),
    });
    expect(await call('kg/save')).toMatchObject({ saved: true, generation: 1, triples: 2 });
    expect(await call('kg_stats')).toMatchObject({
      open: 2,
      closed: 0,
      limit: 5_000,
      generation: 1,
      damagedLines: 0,
      notices: [],
      predicates: [{ predicate: 'knows' }, { predicate: 'lives in' }],
    });
  });
});
