/**
 * The knowledge graph as its callers use it: the tests of seed 004, facts with times, replacing, closing,
 * deleting, queries in all combinations, limits.
 */
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  stat,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SecretMasker } from '../../../src/privacy/secret-masker.js';
import { withSum } from '../../../src/stores/knowledge-graph/log/operation-line.js';
import { MAIN } from '../../e2e/harness.js';
import { tempFolder } from '../../support/temp-folder.js';
import { tickingClock } from '../../support/ticking-clock.js';
import { allOf, fact, graphIn, namesOf, openGraph, PAGE } from './graph.js';

describe('the tests of seed 004', () => {
  it('starts without files, and reading creates none', async () => {
    const { graph } = openGraph();
    expect(await graph.query({}, PAGE)).toEqual({ total: 0, triples: [] });
    expect(await allOf(graph)).toEqual([]);
  });

  it('reads the snapshot, then the log', async () => {
    const { graph, open, folder } = openGraph();
    await graph.add([fact('Ada'), fact('Grace')]);
    await graph.save();
    await graph.delete([fact('Grace')]);
    await graph.add([fact('Alan')]);
    const text = readFileSync(join(folder, 'kg_snapshot.json'), 'utf8');
    expect(JSON.parse(text)).toHaveLength(4);
    expect(namesOf(await allOf(open()))).toEqual(['Ada|knows|Charles', 'Alan|knows|Charles']);
  });

  it('skips and reports damaged lines of the log; the next change records them, reading writes nothing', async () => {
    const { graph, open, folder } = openGraph();
    await graph.add([fact('Ada'), fact('Grace'), fact('Alan')]);
    const path = join(folder, 'kg_wal.log');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Grace', 'Gracf').concat('\nrubbish\n'));
    const again = open();
    expect(namesOf(await allOf(again))).toEqual(['Ada|knows|Charles', 'Alan|knows|Charles']);
    const { damagedLines, notices } = await again.stats();
    expect(damagedLines).toBe(2);
    expect(notices.join()).toContain('kg_rejects.log');
    expect(existsSync(join(folder, 'kg_rejects.log'))).toBe(false);
    await again.add([fact('Kurt')]);
    const rejects = readFileSync(join(folder, 'kg_rejects.log'), 'utf8').trim().split('\n');
    expect(rejects.map((line) => JSON.parse(line).line)).toEqual([4, 6]);
    await open().add([fact('Haskell')]);
    expect(readFileSync(join(folder, 'kg_rejects.log'), 'utf8').trim().split('\n')).toHaveLength(2);
  });

  it('evicts nothing for facts with secrets that are stored already', async () => {
    const masker = new SecretMasker({ masksSecrets: true });
    const { graph } = openGraph({ masker, maxTriples: 2, evict: 'oldest' });
    const secret = fact('Ada', 'uses', `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO'}2xYzAb`);
    await graph.add([fact('Grace')]);
    expect((await graph.add([secret])).masked).toEqual(['GITHUB_TOKEN']);
    const again = await graph.add([secret]);
    expect(again.triples.map(({ added }) => added)).toEqual([false]);
    expect((await graph.query({}, PAGE)).total).toBe(2);
    await graph.add([secret], { isImport: true, mustFit: [secret, secret] });
    expect((await graph.query({}, PAGE)).total).toBe(2);
  });

  it('a value of the past that is stored already needs no room', async () => {
    const { graph } = openGraph({ maxTriples: 3 });
    const lived = (object: string, year: number) => [
      { ...fact('Ada', 'lives in', object), ts: Date.UTC(year, 0) },
    ];
    await graph.add(lived('London', 2000), { replaces: true });
    await graph.add(lived('Berlin', 2010), { replaces: true });
    const past = await graph.add(lived('Paris', 2005), { replaces: true });
    expect(past.triples).toMatchObject([{ added: true, validTo: Date.UTC(2010, 0) }]);
    const again = await graph.add(lived('Paris', 2005), { replaces: true });
    expect(again.triples).toMatchObject([{ added: false, validTo: Date.UTC(2010, 0) }]);
  });

  it('records the line number of damage that it reads later', async () => {
    const { graph, open, folder } = openGraph();
    const path = join(folder, 'kg_wal.log');
    const other = open();
    await graph.add([fact('Ada'), fact('Grace')]);
    expect(await allOf(other)).toHaveLength(2);
    await graph.add([fact('Alan')]);
    appendFileSync(path, '\nrubbish\n\nmore rubbish\n');
    await other.add([fact('Kurt')]);
    await graph.save();
    // Another process has compacted the log, and the new log has damage.
    appendFileSync(path, '\nlast rubbish\n');
    const lines = readFileSync(path, 'utf8').split('\n');
    await other.add([fact('Haskell')]);
    const rejects = readFileSync(join(folder, 'kg_rejects.log'), 'utf8').trim().split('\n');
    expect(rejects.map((line) => JSON.parse(line))).toMatchObject([
      { text: 'rubbish', line: 6 },
      { text: 'more rubbish', line: 8 },
      { text: 'last rubbish', line: lines.indexOf('last rubbish') + 1 },
    ]);
  });

  it('records a new damaged line although a long one was recorded before', async () => {
    const { graph, open, folder } = openGraph();
    await graph.add([fact('Ada')]);
    await graph.save();
    // The snapshot keeps it. A log of this size would become a new snapshot, without this line.
    const snapshot = join(folder, 'kg_snapshot.json');
    const text = readFileSync(snapshot, 'utf8');
    writeFileSync(snapshot, text.replace('[', `[\n${'x'.repeat(5_000_000)},`));
    await open().add([fact('Grace')]);
    appendFileSync(join(folder, 'kg_wal.log'), '\nrubbish\n');
    await open().add([fact('Alan')]);
    const rejects = readFileSync(join(folder, 'kg_rejects.log'), 'utf8').trim().split('\n');
    expect(rejects.map((line) => JSON.parse(line).text.slice(0, 7))).toEqual([
      'xxxxxxx',
      'rubbish',
    ]);
  });

  it.each([
    '{"toString": null}',
    `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
  ])('records a damaged line although an earlier entry has an odd text (%#)', async (text) => {
    const { graph, open, folder } = openGraph();
    await graph.add([fact('Ada')]);
    const path = join(folder, 'kg_rejects.log');
    writeFileSync(path, `{"file": "x", "line": 1, "text": ${text}}\n`);
    appendFileSync(join(folder, 'kg_wal.log'), '\nrubbish\n');
    await open().add([fact('Grace')]);
    const entries = readFileSync(path, 'utf8').trim().split('\n');
    expect(entries.map((line) => JSON.parse(line).line)).toEqual([1, 4]);
  });

  it.each([
    -1,
    Number.MAX_SAFE_INTEGER,
    1e308,
  ])('ignores a sidecar whose generation cannot be counted (%d)', async (generation) => {
    const { graph, open, folder } = openGraph();
    await graph.add([fact('Ada')]);
    await graph.save();
    const path = join(folder, 'kg_snapshot.sha256');
    const text = JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), generation });
    writeFileSync(path, withSum(text.replace(/,"sum":"[^"]*"\}$/, '')));
    const again = open();
    expect(await again.stats()).toMatchObject({ generation: 0, open: 1 });
    await again.add([fact('Grace')]);
    expect(await again.save()).toMatchObject({ generation: 1, triples: 2 });
  });

  it.each([
    ['null', undefined],
    ['a text', { start: '0' }],
    ['a huge number', { end: 1e308 }],
  ])('reads all files again after a compaction whose record has %s', async (_kind, odd) => {
    const { graph, open, folder } = openGraph();
    await graph.add([fact('Ada')]);
    await graph.save();
    const other = open();
    await other.add([fact('Grace')]);
    await other.save();
    const path = join(folder, 'kg_snapshot.sha256');
    const sidecar = JSON.parse(readFileSync(path, 'utf8'));
    const compaction = odd === undefined ? null : { ...sidecar.compaction, ...odd };
    const text = JSON.stringify({ ...sidecar, compaction });
    writeFileSync(path, withSum(text.replace(/,"sum":"[^"]*"\}$/, '')));
    expect(namesOf(await allOf(graph))).toEqual(['Ada|knows|Charles', 'Grace|knows|Charles']);
  });

  it('refuses facts beyond the limit before it writes', async () => {
    const { graph, open, folder } = openGraph({ maxTriples: 2 });
    await graph.add([fact('Ada')]);
    const before = readFileSync(join(folder, 'kg_wal.log'));
    const refused = graph.add([fact('Grace'), fact('Alan')]);
    await expect(refused).rejects.toMatchObject({ code: 'E_KG_FULL', number: 2400 });
    expect(readFileSync(join(folder, 'kg_wal.log'))).toEqual(before);
    await graph.add([fact('Ada'), fact('Grace')]);
    await expect(graph.add([fact('Alan')])).rejects.toMatchObject({ code: 'E_KG_FULL' });
    expect(namesOf(await allOf(open()))).toHaveLength(2);
  });

  it('compacts in the background when the log is long', async () => {
    const { graph, open } = openGraph({ maxTriples: 100_000 });
    const facts = Array.from({ length: 12_000 }, (_, n) => fact(`subject ${n}`));
    await graph.add(facts);
    await expect.poll(async () => (await graph.stats()).generation).toBe(1);
    const { walBytes, snapshotBytes } = await graph.stats();
    expect(walBytes).toBeLessThan(200);
    expect(snapshotBytes).toBeGreaterThan(1_000_000);
    expect((await allOf(open())).length).toBe(12_000);
  });

  it('gives the same list in the same order at every start', async () => {
    const { graph, open } = openGraph();
    for (const name of ['Grace', 'Ada', 'Élodie', 'Alan']) await graph.add([fact(name)]);
    await graph.save();
    await graph.add([fact('Barbara'), fact('日本')]);
    const list = await allOf(graph);
    expect(await allOf(open())).toEqual(list);
    await graph.save();
    expect(await allOf(open())).toEqual(list);
  });
});

describe('facts in time', () => {
  it('are stored once; adding one again is reported and changes nothing', async () => {
    const { graph, folder } = openGraph();
    const said = { conversationId: '20260301-1772323200000', messageId: 'm-1' };
    const first = await graph.add([{ ...fact('Ada'), ...said }]);
    const size = readFileSync(join(folder, 'kg_wal.log')).length;
    const again = await graph.add([fact('Ada'), fact('Ada')]);
    expect(again.triples.map(({ added }) => added)).toEqual([false, false]);
    expect(again.triples[0]).toEqual({ ...first.triples[0], added: false });
    expect(again.triples[0]).toMatchObject(said);
    expect(readFileSync(join(folder, 'kg_wal.log')).length).toBe(size);
  });

  it('a new value begins when the replaced one ends, however long the call takes', async () => {
    const { graph } = openGraph({ clock: tickingClock() });
    await graph.add([fact('Ada', 'lives in', 'London')]);
    const moved = await graph.add([fact('Ada', 'lives in', 'Ockham')], { replaces: true });
    expect(moved.triples[0]?.ts).toBe(moved.closed[0]?.validTo);
    const asOf = moved.closed[0]?.validTo ?? 0;
    const { triples } = await graph.query({ subject: 'Ada', asOf }, PAGE);
    expect(triples).toMatchObject([{ object: 'Ockham' }]);
  });

  it('end when they are replaced, and can still be queried as past', async () => {
    const clock = manualClock(1_000);
    const { graph, open } = openGraph({ clock });
    await graph.add([fact('Ada', 'lives in', 'London'), fact('Ada', 'knows', 'Mary')]);
    clock.set(2_000);
    const { closed } = await graph.add([fact('Ada', 'lives in', 'Ockham')], { replaces: true });
    expect(closed).toEqual([{ ...fact('Ada', 'lives in', 'London'), ts: 1_000, validTo: 2_000 }]);
    for (const each of [graph, open()]) {
      const home = { subject: 'Ada', predicate: 'lives in' };
      const now = await each.query(home, PAGE);
      expect(namesOf(now.triples)).toEqual(['Ada|lives in|Ockham']);
      const then = await each.query({ ...home, asOf: 1_999 }, PAGE);
      expect(namesOf(then.triples)).toEqual(['Ada|lives in|London']);
      expect((await each.query({ ...home, asOf: 2_000 }, PAGE)).total).toBe(1);
      expect((await each.query({ ...home, asOf: 999 }, PAGE)).total).toBe(0);
      expect((await each.query({ ...home, includeClosed: true }, PAGE)).total).toBe(2);
      expect((await each.stats()).closed).toBe(1);
    }
    clock.set(3_000);
    await graph.add([fact('Ada', 'lives in', 'London')], { replaces: true });
    const past = await graph.query({ object: 'London', includeClosed: true }, PAGE);
    expect(past.triples.map(({ ts, validTo }) => [ts, validTo])).toEqual([
      [1_000, 2_000],
      [3_000, undefined],
    ]);
  });

  it('replace facts from before the call, not each other', async () => {
    const { graph } = openGraph();
    await graph.add([fact('Ada', 'likes', 'maths')]);
    const both = [fact('Ada', 'likes', 'poetry'), fact('Ada', 'likes', 'machines')];
    expect((await graph.add(both, { replaces: true })).closed).toHaveLength(1);
    expect((await graph.query({ predicate: 'likes' }, PAGE)).total).toBe(2);
  });

  it('are deleted with all their operations, and can be added again', async () => {
    const { graph, open } = openGraph();
    await graph.add([fact('Ada')]);
    await graph.end([fact('Ada')]);
    await graph.add([fact('Ada')]);
    const [gone, never] = await graph.delete([fact('Ada'), fact('Grace')]);
    expect([gone?.removed, never?.removed]).toEqual([true, false]);
    expect(await allOf(open())).toEqual([]);
    await graph.add([fact('Ada')]);
    expect(await allOf(open())).toHaveLength(1);
  });

  it('can be imported again any number of times and keep their times', async () => {
    const { graph, open } = openGraph();
    const past = [
      { ...fact('Ada', 'lives in', 'London'), ts: 10, validTo: 20 },
      { ...fact('Ada', 'lives in', 'Ockham'), ts: 20 },
      { ...fact('Ada', 'lives in', 'London'), ts: 30 },
    ];
    expect((await graph.add(past)).triples.every(({ added }) => added)).toBe(true);
    expect((await graph.add(past)).triples.some(({ added }) => added)).toBe(false);
    expect(await allOf(open())).toEqual(past);
    await graph.save();
    expect(await allOf(open())).toEqual(past);
  });

  it('keep the decomposed names that an import stored, whichever form is given', async () => {
    const clock = manualClock(1_000);
    const { graph } = openGraph({ clock });
    const home = (form: string, city = 'Zürich') =>
      fact('Zoë'.normalize(form), 'lives in', city.normalize(form));
    await graph.add([home('NFD')], { isImport: true });
    const again = await graph.add([home('NFC')]);
    expect(again.triples).toEqual([{ ...home('NFD'), ts: 1_000, added: false }]);
    clock.set(2_000);
    const moved = await graph.add([home('NFC', 'Köln')], { replaces: true });
    expect(moved.closed).toMatchObject([home('NFD')]);
    const { triples } = await graph.query({}, PAGE);
    expect(namesOf(triples)).toEqual(['Zoe\u0308|lives in|K\u00f6ln']);
  });

  it('are valid until an end in the future', async () => {
    const clock = manualClock(1_000);
    const { graph, open } = openGraph({ clock });
    const now = async (each = graph) => namesOf((await each.query({}, PAGE)).triples);
    const name = 'Ada|knows|Charles';
    await graph.add([fact('Ada')]);
    expect(await graph.end([fact('Ada')], { validTo: 5_000 })).toMatchObject([
      { removed: true, validTo: 5_000 },
    ]);
    expect(await now()).toEqual([name]);
    expect((await graph.stats()).open).toBe(1);
    expect((await graph.subjects({}, PAGE)).total).toBe(1);
    expect((await graph.neighbors('Ada', { depth: 1, direction: 'out' }, PAGE)).total).toBe(1);
    expect((await graph.add([fact('Ada')])).triples).toMatchObject([
      { added: false, validTo: 5_000 },
    ]);
    await graph.save();
    expect(await now(open())).toEqual([name]);
    clock.set(5_000);
    expect(await now()).toEqual([]);
    expect((await graph.stats()).open).toBe(0);
    expect(await graph.end([fact('Ada')])).toMatchObject([{ removed: false }]);
    expect((await graph.add([fact('Ada')])).triples).toMatchObject([{ added: true }]);
  });

  it('can be ended earlier than their stored end, also by replacing them', async () => {
    const clock = manualClock(1_000);
    const { graph, open } = openGraph({ clock });
    const home = (place: string) => fact('Ada', 'lives in', place);
    await graph.add([home('London'), home('Ockham'), home('Paris')]);
    await graph.end([home('London'), home('Ockham'), home('Paris')], { validTo: 5_000 });
    clock.set(2_000);
    expect(await graph.end([home('London')])).toMatchObject([{ removed: true, validTo: 2_000 }]);
    const later = await graph.add([{ ...home('Rome'), ts: 9_000 }], { replaces: true });
    expect(later.closed).toEqual([]);
    const { closed } = await graph.add([home('Paris')], { replaces: true });
    expect(namesOf(closed)).toEqual(['Ada|lives in|Ockham']);
    for (const each of [graph, open()]) {
      const { triples } = await each.query({ asOf: 2_000 }, PAGE);
      expect(namesOf(triples)).toEqual(['Ada|lives in|Paris']);
    }
    clock.set(5_000);
    expect((await graph.query({ asOf: 5_000 }, PAGE)).total).toBe(0);
    expect((await graph.query({ asOf: 9_000 }, PAGE)).total).toBe(1);
  });

  it('of an older time do not end a newer one: they end when the next one begins', async () => {
    const clock = manualClock(9_000);
    const { graph, open } = openGraph({ clock });
    const job = (name: string, ts: number) => ({ ...fact('Tom', 'job', name), ts });
    await graph.add([job('cook', 4_000)]);
    await graph.add([job('pilot', 5_000)], { replaces: true });
    const { closed } = await graph.add([job('baker', 3_000)], { replaces: true });
    expect(closed).toEqual([]);
    const jobAt = async (each: typeof graph, asOf: number) =>
      (await each.query({ subject: 'Tom', asOf }, PAGE)).triples.map(({ object }) => object);
    for (const each of [graph, open()]) {
      expect(await jobAt(each, 3_500)).toEqual(['baker']);
      expect(await jobAt(each, 4_500)).toEqual(['cook']);
      expect(await jobAt(each, 9_000)).toEqual(['pilot']);
    }
    const [again] = (await graph.add([job('baker', 3_000)], { replaces: true })).triples;
    expect(again?.added).toBe(false);
    // A future fact ends the present one when it begins, and is not ended by it.
    await graph.add([job('captain', 20_000)], { replaces: true });
    await graph.add([job('navigator', 10_000)], { replaces: true });
    expect(await jobAt(graph, 15_000)).toEqual(['navigator']);
    expect(await jobAt(graph, 20_000)).toEqual(['captain']);
  });

  it('replace the facts of a clock that was ahead, but not planned ones', async () => {
    const clock = manualClock(5_000);
    const { graph, open } = openGraph({ clock });
    const home = (place: string) => fact('Ada', 'lives in', place);
    await graph.add([home('London')]);
    clock.set(3_000);
    for (const place of ['Ockham', 'Paris']) {
      const { triples, closed } = await graph.add([home(place)], { replaces: true });
      expect(triples).toEqual([{ ...home(place), ts: clock.now(), added: true }]);
      expect(closed).toHaveLength(1);
      for (const each of [graph, open()]) {
        expect(namesOf((await each.query({}, PAGE)).triples)).toEqual([`Ada|lives in|${place}`]);
      }
      clock.set(3_500);
    }
    await graph.add([{ ...home('Rome'), ts: 9_000 }]);
    await graph.add([home('Oslo')], { replaces: true });
    clock.set(9_500);
    const { triples } = await graph.query({ asOf: 9_500 }, PAGE);
    expect(namesOf(triples)).toEqual(['Ada|lives in|Rome']);
  });

  it.each([
    2_000, 20_000,
  ])('of one call end a stored fact once, at the earliest time', async (start) => {
    const { graph } = openGraph({ clock: manualClock(9_000) });
    const home = (place: string, ts: number) => ({ ...fact('Pat', 'lives in', place), ts });
    await graph.add([home('Lima', 1_000)]);
    const both = [home('Oslo', start + 1_000), home('Rome', start)];
    const { closed } = await graph.add(both, { replaces: true });
    expect(closed).toEqual([{ ...home('Lima', 1_000), validTo: start }]);
    const { triples } = await graph.query({ asOf: start }, PAGE);
    expect(namesOf(triples)).toEqual(['Pat|lives in|Rome']);
  });

  it('of one call with two times follow each other', async () => {
    const { graph } = openGraph({ clock: manualClock(9_000) });
    const home = (place: string, ts: number) => ({ ...fact('Pat', 'lives in', place), ts });
    for (let run = 0; run < 2; run += 1) {
      await graph.add([home('Rome', 2_000), home('Oslo', 3_000)], { replaces: true });
      const { triples } = await graph.query({ includeClosed: true }, PAGE);
      expect(triples.map(({ object, validTo }) => [object, validTo])).toEqual([
        ['Rome', 3_000],
        ['Oslo', undefined],
      ]);
    }
  });

  it('follow each other even if the clock stands still or is set back', async () => {
    const clock = manualClock(5_000);
    const { open, graph } = openGraph({ clock });
    const other = open();
    for (let turn = 0; turn < 10; turn += 1) {
      await (turn % 2 === 0 ? graph : other).add([fact('Ada')]);
      clock.set(5_000 - turn);
      const [gone] = await (turn % 3 === 0 ? graph : other).delete([fact('Ada')]);
      expect(gone?.removed).toBe(true);
      expect(await allOf(open())).toEqual([]);
    }
  });

  it('lose the lines of deletions after thirty days', async () => {
    const clock = manualClock(0);
    const { graph, folder } = openGraph({ clock });
    await graph.add([fact('Ada')]);
    await graph.delete([fact('Ada')]);
    await graph.save();
    expect((await graph.stats()).deletions).toBe(1);
    clock.set(29 * 86_400_000);
    await graph.save();
    expect(readFileSync(join(folder, 'kg_snapshot.json'), 'utf8')).toContain('delete');
    clock.set(31 * 86_400_000);
    await graph.save();
    expect(readFileSync(join(folder, 'kg_snapshot.json'), 'utf8')).not.toContain('delete');
  });
});

describe('queries', () => {
  async function library() {
    const { graph } = openGraph();
    await graph.add([
      { ...fact('Ada', 'knows', 'Charles'), ts: 1 },
      { ...fact('Ada', 'knows', 'Mary'), ts: 2 },
      { ...fact('Charles', 'built', 'Difference Engine'), ts: 3 },
      { ...fact('Mary', 'knows', 'Ada'), ts: 4 },
      { ...fact('Ádám', 'knows', 'ada'), ts: 5 },
    ]);
    return graph;
  }

  it.each([
    [{ subject: 'Ada' }, 2],
    [{ subject: 'Ada', object: 'Mary' }, 1],
    [{ subject: 'Ada', predicate: 'knows', object: 'Mary' }, 1],
    [{ subject: 'Ada', predicate: 'built', object: 'Mary' }, 0],
    [{ predicate: 'knows' }, 4],
    [{ object: 'Ada' }, 1],
    [{ object: 'nobody' }, 0],
    [{ subject: 'A', prefix: true }, 2],
    [{ predicate: 'kn', object: 'A', prefix: true }, 1],
    [{ text: 'ada' }, 4],
    [{ text: 'DIFF charles' }, 1],
    [{ text: 'charles mary' }, 0],
    [{ predicate: 'knows', since: 2, until: 4 }, 2],
    [{ text: 'ada', subject: 'Mary' }, 1],
    [{}, 5],
  ])('%j', async (filter, total) => {
    const graph = await library();
    const found = await graph.query(filter, PAGE);
    expect(found.total).toBe(total);
    expect(found.triples).toHaveLength(total);
  });

  it('find words in any case and form, like a test of each text', async () => {
    const text = fc.string({
      unit: fc.constantFrom(...'aAzZ ßſKkſéÉﬁİi@[`{1'),
      minLength: 1,
      maxLength: 5,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 12 }),
        text,
        async (names, word) => {
          const { graph } = openGraph();
          await graph.add(names.map((name) => fact(name, '-', '-')));
          const fold = (each: string) =>
            each
              .normalize('NFKC')
              .toLowerCase()
              .normalize('NFD')
              .replace(/[\u0300-\u036f]/g, '')
              .normalize('NFC')
              .replaceAll('ß', 'ss');
          const words = fold(word).split(/\s+/);
          const expected = [...new Set(names)].filter((name) =>
            words.every((each) => fold(name).includes(each)),
          );
          const { triples } = await graph.query({ text: word }, PAGE);
          expect(triples.map(({ subject }) => subject).sort()).toEqual(expected.sort());
          await graph.close();
        },
      ),
      { numRuns: 40 },
    );
  });

  it('are found by words without their accents, but not by another kana', async () => {
    const { graph } = openGraph();
    await graph.add([fact('München', 'liegt an', 'der Straße'), fact('ガラス', 'は', '透明')]);
    const totalOf = async (text: string) => (await graph.query({ text }, PAGE)).total;
    expect(await totalOf('munchen STRASSE')).toBe(1);
    expect(await totalOf('MÜNCHEN straße')).toBe(1);
    expect(await totalOf('ガラス')).toBe(1);
    expect(await totalOf('カラス')).toBe(0);
    await graph.close();
  });

  it('come in pages, oldest or newest first', async () => {
    const graph = await library();
    const times = async (page: object) =>
      (await graph.query({}, { offset: 0, limit: 2, ...page })).triples.map(({ ts }) => ts);
    expect(await times({})).toEqual([1, 2]);
    expect(await times({ offset: 2 })).toEqual([3, 4]);
    expect(await times({ offset: 4 })).toEqual([5]);
    expect(await times({ order: 'newest' })).toEqual([5, 4]);
    expect(await times({ offset: 9 })).toEqual([]);
  });

  it('return the first of many facts in the same order as all of them', async () => {
    const { graph } = openGraph();
    await graph.add(
      Array.from({ length: 2_000 }, (_, n) => ({ ...fact(`s${n}`), ts: (n * 7919) % 1000 })),
    );
    const all = (await graph.query({}, PAGE)).triples;
    for (const offset of [0, 1, 99, 500]) {
      const page = await graph.query({}, { offset, limit: 100 });
      expect(page.triples).toEqual(all.slice(offset, offset + 100));
    }
  });

  it('walk from a node, nearest facts first', async () => {
    const graph = await library();
    const walk = async (node: string, depth: number, direction: 'in' | 'out' | 'both') =>
      namesOf((await graph.neighbors(node, { depth, direction }, PAGE)).triples);
    expect(await walk('Charles', 1, 'out')).toEqual(['Charles|built|Difference Engine']);
    expect(await walk('Charles', 1, 'in')).toEqual(['Ada|knows|Charles']);
    expect(await walk('Difference Engine', 2, 'both')).toEqual([
      'Charles|built|Difference Engine',
      'Ada|knows|Charles',
    ]);
    expect(await walk('Difference Engine', 6, 'both')).toHaveLength(4);
    expect(await walk('nobody', 3, 'both')).toEqual([]);
    const { nodes, total } = await graph.neighbors('Ada', { depth: 2, direction: 'both' }, PAGE);
    expect(total).toBe(4);
    expect(nodes).toContainEqual({ node: 'Difference Engine', depth: 2 });
  });

  it('walk along a predicate, whichever form of it is stored', async () => {
    const { graph } = openGraph();
    await graph.add([fact('Zo\u00eb', 'k\u00e9rt'), fact('Zo\u00eb', 'knows')]);
    for (const predicate of ['k\u00e9rt', 'ke\u0301rt', ' k\u00e9rt ']) {
      const asked = { subject: 'Zo\u00eb', predicate };
      expect((await graph.query(asked, PAGE)).total).toBe(1);
      const walk = { depth: 1, direction: 'out', predicate } as const;
      expect((await graph.neighbors('Zo\u00eb', walk, PAGE)).total).toBe(1);
    }
  });

  it('list subjects with the numbers of their facts', async () => {
    const graph = await library();
    const { total, subjects } = await graph.subjects({}, PAGE);
    expect(total).toBe(4);
    expect(subjects.map(({ subject, facts }) => [subject, facts])).toEqual([
      ['Ada', 2],
      ['Charles', 1],
      ['Mary', 1],
      ['Ádám', 1],
    ]);
    expect((await graph.subjects({ prefix: 'M' }, PAGE)).total).toBe(1);
  });
});

describe('limits and checks', () => {
  it.each([
    ['', 'p', 'o'],
    ['s', 'x'.repeat(201), 'o'],
    ['s', 'p', 'half \ud83d'],
  ])('refuse %j %j %j with its own code', async (subject, predicate, object) => {
    const { graph } = openGraph();
    const wrong = { code: 'E_KG_INVALID_TRIPLE', number: 2401 };
    const triple = { subject, predicate, object };
    await expect(graph.add([fact('Ada'), triple])).rejects.toMatchObject({
      ...wrong,
      message: expect.stringContaining('Fact 2 of 2: '),
      details: { index: 1, part: expect.any(String), value: expect.any(String) },
    });
    await expect(graph.delete([triple])).rejects.toMatchObject(wrong);
    expect(await allOf(graph)).toEqual([]);
  });

  it('accept 200 characters, however many bytes they have', async () => {
    const { graph, open } = openGraph();
    const long = { subject: '🙂'.repeat(200), predicate: 'é'.repeat(200), object: '"'.repeat(200) };
    await graph.add([long]);
    await graph.save();
    expect(await allOf(open())).toMatchObject([long]);
  });

  it('evict the oldest facts if that is configured', async () => {
    const { graph, open } = openGraph({ maxTriples: 3, evict: 'oldest' });
    for (const [ts, name] of ['Ada', 'Grace', 'Alan', 'Barbara'].entries()) {
      await graph.add([{ ...fact(name), ts }]);
    }
    await graph.add([{ ...fact('Grace'), ts: 9 }, fact('Katherine')]);
    expect(namesOf(await allOf(open()))).toEqual([
      'Grace|knows|Charles',
      'Barbara|knows|Charles',
      'Katherine|knows|Charles',
    ]);
    const four = ['a', 'b', 'c', 'd'].map((name) => fact(name));
    await expect(graph.add(four)).rejects.toMatchObject({ code: 'E_KG_FULL' });
    expect(await allOf(graph)).toHaveLength(3);
  });

  it('let facts expire if that is configured', async () => {
    const clock = manualClock(10 * 86_400_000);
    const { graph, open } = openGraph({ clock, ttlDays: 5, maxTriples: 2 });
    await graph.add([{ ...fact('Ada'), ts: 5.5 * 86_400_000 }, fact('Grace')]);
    expect((await graph.query({}, PAGE)).total).toBe(2);
    clock.set(11 * 86_400_000);
    expect(namesOf((await graph.query({}, PAGE)).triples)).toEqual(['Grace|knows|Charles']);
    expect(await graph.stats()).toMatchObject({ open: 1, closed: 0 });
    await graph.add([fact('Alan')]);
    expect((await graph.stats()).open).toBe(2);
    clock.set(40 * 86_400_000);
    await graph.save();
    expect((await open({ ttlDays: Number.POSITIVE_INFINITY }).stats()).open).toBe(0);
  });

  it('never let a fact without a time, from a line written by hand, expire', async () => {
    const clock = manualClock(10 * 86_400_000);
    const { graph, folder } = openGraph({ clock, ttlDays: 1 });
    const line = '{"s":"Ada","p":"knows","o":"Charles"}';
    writeFileSync(join(folder, 'kg_wal.log'), `\n${line}\n`);
    expect((await graph.query({}, PAGE)).total).toBe(1);
    await graph.add([{ ...fact('Ada'), ts: 1, validTo: 2 }]);
    expect((await graph.add([fact('Ada')])).triples).toMatchObject([{ added: false }]);
    await graph.save();
    expect((await graph.query({}, PAGE)).total).toBe(1);
  });

  it('add a fact again that has expired', async () => {
    const clock = manualClock(10 * 86_400_000);
    const { graph } = openGraph({ clock, ttlDays: 1 });
    await graph.add([{ ...fact('Ada'), ts: 1 }]);
    const { triples } = await graph.add([fact('Ada')]);
    expect(triples).toMatchObject([{ added: true }]);
    expect((await graph.query({}, PAGE)).total).toBe(1);
  });

  it('evict no more facts than necessary', async () => {
    const { graph } = openGraph({ maxTriples: 20, evict: 'oldest' });
    const past = Array.from({ length: 10 }, (_, n) => {
      return { ...fact('Ada'), ts: n * 10, validTo: n * 10 + 5 };
    });
    await graph.add(past);
    await graph.add(Array.from({ length: 10 }, (_, n) => ({ ...fact(`old ${n}`), ts: 1000 + n })));
    await graph.add(Array.from({ length: 5 }, (_, n) => fact(`new ${n}`)));
    const open = namesOf((await graph.query({}, { ...PAGE, limit: 100 })).triples);
    expect(open.filter((name) => name.startsWith('old'))).toHaveLength(10);
  });

  it('add a fact with an end once if it is given twice without its beginning', async () => {
    const { graph } = openGraph();
    const closed = { ...fact('Ada'), validTo: Date.UTC(2099, 0, 1) };
    expect((await graph.add([closed])).triples).toMatchObject([{ added: true }]);
    expect((await graph.add([closed])).triples).toMatchObject([{ added: false }]);
  });

  it('read more facts than the limit if git added them, but accept no further ones', async () => {
    const { graph, open } = openGraph();
    await graph.add(['Ada', 'Grace', 'Alan'].map((name) => fact(name)));
    const small = open({ maxTriples: 2 });
    expect(await allOf(small)).toHaveLength(3);
    await expect(small.add([fact('Barbara')])).rejects.toMatchObject({ code: 'E_KG_FULL' });
    await small.delete([fact('Ada'), fact('Grace')]);
    await small.add([fact('Barbara')]);
  });

  it('write .gitignore and .gitattributes for the graph and keep lines that a person added', async () => {
    const { graph, folder } = openGraph();
    writeFileSync(join(folder, '.gitignore'), 'drafts/\n*.sha256');
    await graph.add([fact('Ada')]);
    const ignored = readFileSync(join(folder, '.gitignore'), 'utf8').split('\n');
    expect(ignored.slice(0, 2)).toEqual(['drafts/', '*.sha256']);
    expect(ignored).toContain('kg_snapshot.previous.json');
    expect(ignored).toContain('.locks/');
    const attributes = readFileSync(join(folder, '.gitattributes'), 'utf8');
    expect(attributes).toContain('kg_wal.log text eol=lf merge=union');
    await openGraph({}, folder).graph.add([fact('Grace')]);
    expect(readFileSync(join(folder, '.gitattributes'), 'utf8')).toBe(attributes);
  });

  it('write .gitattributes into the folder of a log outside the memory bank', async () => {
    const folder = tempFolder();
    const elsewhere = join(folder, 'logs');
    const graph = graphIn(folder, { walPath: join(elsewhere, 'kg_wal.log') });
    await graph.add([fact('Ada')]);
    await graph.close();
    const linesOf = (path: string) => readFileSync(join(folder, path), 'utf8').split('\n');
    expect(linesOf('logs/.gitattributes')).toContain('kg_wal.log text eol=lf merge=union');
    expect(linesOf('logs/.gitignore')).toContain('kg_wal.previous.log');
    expect(linesOf('.gitattributes')).toContain('kg_snapshot.json text eol=lf merge=union');
    expect(linesOf('.gitattributes').join()).not.toContain('kg_wal');
    expect(linesOf('.gitignore')).not.toContain('kg_wal.previous.log');
  });

  it('keep separate rejects files for the graphs in a folder', async () => {
    const folder = tempFolder();
    const names = ['kg', 'work'].map((name) => {
      writeFileSync(join(folder, `${name}_wal.log`), `\nrubbish of ${name}\n`);
      return {
        snapshotPath: join(folder, `${name}_snapshot.json`),
        walPath: join(folder, `${name}_wal.log`),
      };
    });
    for (const paths of names) await graphIn(folder, paths).add([fact('Ada')]);
    const rejects = ['kg_rejects.log', 'work_snapshot.rejects.log'];
    expect(
      rejects.map((name) => readFileSync(join(folder, name), 'utf8').split('\n').length),
    ).toEqual([2, 2]);
  });

  it('report no addition if only expired facts were removed', async () => {
    const clock = manualClock(10 * 86_400_000);
    const { graph, open } = openGraph({ clock, ttlDays: 1, maxTriples: 2 });
    await graph.add([{ ...fact('Ada'), ts: 1 }, fact('Grace')]);
    const full = graph.add(['a', 'b', 'c'].map((name) => fact(name)));
    await expect(full).rejects.toMatchObject({ code: 'E_KG_FULL', details: { stored: 1 } });
    await expect(full).rejects.toThrow('No fact was added');
    for (const each of [graph, open()]) expect(await allOf(each)).toHaveLength(1);
  });

  it('notify subscribers of changes of this and of other processes', async () => {
    const { graph, open } = openGraph();
    await allOf(graph);
    const heard: string[] = [];
    const stop = graph.subscribe((subjects) => heard.push([...(subjects ?? ['?'])].join()));
    graph.start();
    await graph.add([fact('Ada')]);
    expect(heard).toEqual(['Ada']);
    await open().add([fact('Grace'), fact('Alan')]);
    await expect.poll(() => heard).toEqual(['Ada', 'Grace,Alan']);
    const other = open();
    await other.save();
    await other.add([fact('Barbara')]);
    await expect.poll(() => heard).toEqual(['Ada', 'Grace,Alan', 'Barbara']);
    stop();
    await graph.add([fact('Ada', 'knows', 'Mary')]);
    expect(heard).toHaveLength(3);
  });

  it('include what another process wrote before a request that comes in the same turn', async () => {
    const { graph, folder } = openGraph();
    await graph.add([fact('Ada')]);
    const path = join(folder, 'kg_wal.log');
    const total = await new Promise<number>((resolve) => {
      const request = async () => {
        appendFileSync(path, `\n${JSON.stringify({ s: 'Alan', p: 'knows', o: 'Ada' })}`);
        resolve((await graph.query({}, PAGE)).total);
      };
      setTimeout(() => {
        void graph.query({}, PAGE);
        stat(path, () => void request());
        // The thread of `stat` ends meanwhile, so its callback comes in this turn of the event loop.
        execFileSync(process.execPath, ['--version']);
      });
    });
    expect(total).toBe(2);
  });

  it('include what a person changed in the files meanwhile', async () => {
    const { graph, folder } = openGraph();
    await graph.add([fact('Ada'), fact('Grace')]);
    const path = join(folder, 'kg_wal.log');
    const lines = readFileSync(path, 'utf8').split('\n');
    const kept = lines.filter((line) => !line.includes('Grace'));
    writeFileSync(path, `${kept.join('\n')}\n{"s":"Alan","p":"knows","o":"Joan"}\n`);
    await new Promise((resolve) => setImmediate(resolve));
    expect(namesOf(await allOf(graph))).toEqual(['Alan|knows|Joan', 'Ada|knows|Charles']);
    await graph.add([fact('Barbara')]);
    expect(namesOf(await allOf(openGraph({}, folder).graph))).toHaveLength(3);
  });
});

describe('a compaction', () => {
  it('blocks no call, and neither loses nor doubles a change that is made meanwhile', async () => {
    const { graph, open } = openGraph({ maxTriples: 1e6 });
    const names = Array.from({ length: 40_000 }, (_, n) => `subject ${n}`);
    await graph.add(names.map((name) => fact(name)));
    await graph.save();
    let isSaving = true;
    let answered = 0;
    const saving = graph.save().finally(() => {
      isSaving = false;
    });
    for (let turn = 0; isSaving; turn += 1) {
      // Queries read even numbers while odd ones are deleted, so no number is both, however long the save
      // takes.
      const at = (turn * 2) % names.length;
      const [name = '', other = ''] = [names[at], names[names.length - 1 - at]];
      const { total } = await graph.query({ subject: name }, PAGE);
      expect(total).toBeGreaterThan(0);
      answered += 1;
      if (turn % 3 === 0) await graph.add([fact(name, 'lives in', 'London')]);
      if (turn % 3 === 1) await graph.delete([fact(other)]);
      if (turn % 3 === 2) await graph.end([fact(other)]);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await saving;
    expect(answered).toBeGreaterThan(1); // a save that blocks would let only the first one through
    const list = await allOf(graph);
    expect(await allOf(open())).toEqual(list);
    await graph.save();
    expect(await allOf(open())).toEqual(list);
  });

  it('does not replace a damaged snapshot while another process may be saving it', async () => {
    const { graph, open, folder } = openGraph();
    await graph.add(['Ada', 'Grace', 'Alan'].map((name) => fact(name)));
    await graph.save();
    await graph.save();
    const path = join(folder, 'kg_snapshot.json');
    const half = readFileSync(path).subarray(0, 200);
    writeFileSync(path, half);
    const change = async (name: string) => {
      const next = open();
      await next.add([fact(name)]);
      expect((await allOf(next)).map(({ subject }) => subject)).toContain('Alan');
      await next.close();
    };
    await change('Barbara');
    expect(readFileSync(path)).toEqual(half);
    utimesSync(path, 1, 1);
    await change('Katherine');
    expect(JSON.parse(readFileSync(path, 'utf8'))).toHaveLength(7);
  });

  it('is done for each of several calls at the same time', async () => {
    const { graph } = openGraph();
    await graph.add([fact('Ada')]);
    const saved = await Promise.all([graph.save(), graph.save(), graph.save()]);
    expect(saved.map((each) => each?.triples)).toEqual([1, 1, 1]);
  });

  it('is not repeated if another process did it meanwhile', async () => {
    const root = tempFolder();
    const folder = join(root, 'memory-bank');
    const { graph: writer, open } = openGraph({ maxTriples: 1e6 }, folder);
    // Long enough to read the progress, too short for another compaction.
    await writer.add(Array.from({ length: 10_500 }, (_, n) => fact(`${n}`, 'p', 'o')));
    await writer.close(); // otherwise it would keep the lock for a moment and not notice the waiting process
    const graph = open();
    const env = { ...process.env, DAYBOOK_FSYNC: '0' };
    const onProgress = () =>
      execFileSync(process.execPath, [MAIN, '--root', root, 'kg', 'save'], { env });
    expect(await graph.save({ onProgress })).toBeUndefined();
    const { generation, triples } = { ...(await graph.stats()), triples: await allOf(graph) };
    expect([generation, triples.length]).toEqual([1, 10_500]);
    expect(await allOf(open())).toEqual(triples);
  });

  it('reports progress, and leaves no files if it is cancelled', async () => {
    const { graph, open, folder } = openGraph({ maxTriples: 1e6 });
    await graph.add(Array.from({ length: 25_000 }, (_, n) => fact(`subject ${n}`)));
    const seen: number[][] = [];
    await graph.save({ onProgress: (...counts) => seen.push(counts) });
    expect(seen).toEqual([
      [10_000, 25_000],
      [20_000, 25_000],
    ]);
    await graph.add([fact('Ada')]);
    const filesNow = () =>
      readdirSync(folder)
        .filter((name) => name !== '.locks')
        .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]);
    const before = filesNow();
    const cancelling = new AbortController();
    const onProgress = () => cancelling.abort(new Error('enough'));
    await expect(graph.save({ signal: cancelling.signal, onProgress })).rejects.toThrow('enough');
    expect(filesNow()).toEqual(before);
    await graph.save();
    expect(await allOf(open())).toHaveLength(25_001);
  });

  it('lets other work run meanwhile, and so does a load', async () => {
    const { graph, open } = openGraph({ maxTriples: 1e6 });
    await graph.add(Array.from({ length: 60_000 }, (_, n) => fact(`subject ${n}`)));
    await graph.save();
    let turns = 0;
    let isLoading = true;
    const count = () => {
      turns += 1;
      if (isLoading) setImmediate(count);
    };
    setImmediate(count);
    await open().stats();
    isLoading = false;
    expect(turns).toBeGreaterThan(3);
  });

  it('by two processes at the same time results in one graph', async () => {
    const { graph, open, folder } = openGraph();
    const other = open();
    await graph.add(['Ada', 'Grace', 'Alan'].map((name) => fact(name)));
    await Promise.all([graph.save(), other.save(), other.add([fact('Barbara')]), graph.save()]);
    const { notices, damagedLines } = await open().stats();
    expect([notices, damagedLines]).toEqual([[], 0]);
    for (const each of [graph, other, open()]) expect(await allOf(each)).toHaveLength(4);
    expect(readFileSync(join(folder, 'kg_snapshot.json'), 'utf8')).toContain('Ada');
  });
});

function manualClock(start: number) {
  let now = start;
  return {
    now: () => now,
    monotonic: () => performance.now(),
    set(time: number) {
      now = time;
    },
  };
}
