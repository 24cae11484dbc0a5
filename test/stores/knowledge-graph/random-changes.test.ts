/**
 * Three stores of one graph, whose clock jumps, carry out random changes, while the log is cut, one bit of
 * the snapshot is damaged, and a person adds lines. After each step all stores, and one that has just
 * started, must have the same facts, and only the facts of that step may have changed.
 */
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { memoryFolder } from '../../support/memory-folder.js';
import { printedRandom, rounds, timeLimitMs } from '../../support/rounds.js';
import { tempFolder } from '../../support/temp-folder.js';
import { allOf, graphIn } from './graph.js';

const STEPS = 40;
const YEAR_MS = 365 * 86_400_000;
const JUMPS = [0, YEAR_MS, -YEAR_MS, 3_000_000];
const SUBJECTS = ['Ada', 'Zoë', 'x"y\\z', '日本'];
const PREDICATES = ['is', 'a\nb'];
const OBJECTS = ['1', '"q"', 'é'];

type Triple = { subject: string; predicate: string; object: string };
type Facts = ReadonlyMap<string, string>;

const nameOf = ({ subject, predicate, object }: Triple) => `${subject}|${predicate}|${object}`;

class Place {
  readonly snapshot: string;
  readonly wal: string;
  readonly random: () => number;
  shift = 0;
  readonly open: () => ReturnType<typeof graphIn>;
  readonly graphs: readonly ReturnType<typeof graphIn>[];
  /** The facts after the last step: their times, by the name of the triple. */
  facts: Facts = new Map();

  constructor(folder: string, random: () => number) {
    mkdirSync(join(folder, 'log'));
    this.random = random;
    this.snapshot = join(folder, 'kg_snapshot.json');
    this.wal = join(folder, 'log', 'kg_wal.log');
    const clock = { now: () => Date.now() + this.shift, monotonic: () => performance.now() };
    this.open = () => graphIn(folder, { walPath: this.wal, clock });
    this.graphs = [this.open(), this.open(), this.open()];
  }

  below(limit: number): number {
    return Math.floor(this.random() * limit);
  }

  any<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  triple(): Triple {
    const [subject, predicate, object] = [SUBJECTS, PREDICATES, OBJECTS].map((each) =>
      this.any(each),
    );
    return { subject, predicate, object } as Triple;
  }

  /** What a store that has just started reads; all others must read the same. */
  async read(what: string): Promise<Facts> {
    // A store compares its files only once in a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    const fresh = this.open();
    const [now, ...others] = await Promise.all([fresh, ...this.graphs].map(factsOf));
    await fresh.close();
    for (const other of others) expect([...other], what).toEqual([...(now as Facts)]);
    return now as Facts;
  }

  /** Compares with the last step: only `changed` may differ. */
  async check(what: string, changed: readonly Triple[] = []): Promise<void> {
    const names = new Set(changed.map(nameOf));
    const others = (facts: Facts) => [...facts].filter(([name]) => !names.has(name));
    const now = await this.read(what);
    expect(others(now), what).toEqual(others(this.facts));
    this.facts = now;
  }
}

async function factsOf(graph: ReturnType<typeof graphIn>): Promise<Facts> {
  const facts = new Map<string, string>();
  for (const fact of await allOf(graph)) {
    const name = nameOf(fact);
    facts.set(name, `${facts.get(name) ?? ''}${fact.ts}-${fact.validTo ?? ''} `);
  }
  return new Map([...facts].sort());
}

async function change(place: Place, step: string): Promise<void> {
  const [graph, triple] = [place.any(place.graphs), place.triple()];
  const way = place.below(5);
  const end = place.below(2) === 0 ? {} : { validTo: Date.now() + place.shift + 1000 };
  if (way < 2) await graph.add([{ ...triple, ...end }]);
  else if (way === 2) await graph.delete([triple]);
  else if (way === 3) await graph.end([triple], end);
  else appendFileSync(place.wal, byHand(place, triple));
  await place.check(`${step} change ${way}`, [triple]);
  if (way < 2) expect(place.facts.has(nameOf(triple)), step).toBe(true);
  if (way === 2) expect(place.facts.has(nameOf(triple)), step).toBe(false);
}

/** As `echo` appends it, or as Daybook does. */
function byHand(place: Place, { subject: s, predicate: p, object: o }: Triple): string {
  const line = JSON.stringify({ s, p, o, at: Date.now() });
  return place.below(2) === 0 ? `\n${line}` : `${line}\n`;
}

/** Compactions of one store while all of them add facts. */
async function compact(place: Place, step: string): Promise<void> {
  const triples = place.graphs.map(() => place.triple());
  const adding = place.graphs.map((graph, at) => graph.add([triples[at] as Triple]));
  await Promise.all([place.any(place.graphs).save(), ...adding]);
  await place.check(`${step} compaction`, triples);
  for (const triple of triples) expect(place.facts.has(nameOf(triple)), step).toBe(true);
}

function flipBit(place: Place, path: string): void {
  const bytes = readFileSync(path);
  const at = place.below(bytes.length);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << place.below(8));
  writeFileSync(path, bytes);
}

/** The previous generation has every fact of a damaged snapshot, and the next compaction repairs it. */
async function damageSnapshot(place: Place, step: string): Promise<void> {
  flipBit(place, place.snapshot);
  await place.check(`${step} damaged snapshot`);
  await place.any(place.graphs).save();
  await place.check(`${step} repaired snapshot`);
}

/** A log that was cut off loses the facts after the cut, until the bytes are back. */
async function cutLog(place: Place, step: string): Promise<void> {
  const [bytes, before] = [readFileSync(place.wal), place.facts];
  const at = place.below(bytes.length + 1);
  writeFileSync(place.wal, bytes.subarray(0, at));
  place.facts = await place.read(`${step} cut at ${at}`);
  const triple = place.triple();
  await place.any(place.graphs).add([triple]);
  await place.check(`${step} change after the cut at ${at}`, [triple]);
  expect(place.facts.has(nameOf(triple)), step).toBe(true);
  const added = readFileSync(place.wal).subarray(at);
  writeFileSync(`${place.wal}~`, Buffer.concat([bytes, added]));
  renameSync(`${place.wal}~`, place.wal);
  place.facts = before;
  await place.check(`${step} whole again`, [triple]);
}

it(
  'random changes keep every fact that no step changed',
  async () => {
    const random = printedRandom('changes of the graph');
    for (let round = 0; round < rounds(2); round += 1) {
      const place = new Place(tempFolder(memoryFolder()), random);
      onTestFinished(async () => {
        for (const graph of place.graphs) await graph.close();
      });
      for (let number = 0; number < STEPS; number += 1) {
        const step = `round ${round}, step ${number},`;
        const way = place.below(10);
        if (way === 0) place.shift = place.any(JUMPS);
        else if (way === 1) await compact(place, step);
        else if (way === 2 && existsSync(place.snapshot)) await damageSnapshot(place, step);
        else if (way === 3 && existsSync(place.wal)) await cutLog(place, step);
        else await change(place, step);
      }
    }
  },
  timeLimitMs(300_000),
);
