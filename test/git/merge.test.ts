/**
 * Two clones of one memory bank, changed at random in both and merged both ways by the git of this
 * machine with nothing but the `.gitattributes` that the stores write. The graphs must be equal, and
 * equal to one that is given every operation of both histories in any order. Notes may conflict; then
 * git says so and the lines of both sides stand between its markers.
 * DAYBOOK_TEST_SEED=<n> repeats a run, DAYBOOK_TEST_ROUNDS=<n> makes it longer; the seed is printed.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/base/clock.js';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { KnowledgeGraph } from '../../src/stores/knowledge-graph/knowledge-graph.js';
import type { Triple } from '../../src/stores/knowledge-graph/model/triple.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { seededRandom } from '../support/seeded-random.js';
import { tempFolder } from '../support/temp-folder.js';

const SEED = Number(process.env['DAYBOOK_TEST_SEED'] ?? Date.now() % 1_000_000);
const ROUNDS = Number(process.env['DAYBOOK_TEST_ROUNDS'] ?? 12);
const GENERATIONS = 3;

/** Numbers from 0 to below `limit`, the same for one seed. */
function randomOf(seed: number) {
  const random = seededRandom(seed);
  return (limit: number): number => Math.floor(random() * limit);
}

type Random = ReturnType<typeof randomOf>;
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T;

/** Git as it comes: no configuration of this machine or its user. */
function git(folder: string, ...args: string[]): string {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: folder,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@localhost',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@localhost',
  };
  try {
    return execFileSync('git', args, { cwd: folder, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(`git ${args.join(' ')}: ${stdout}${stderr}`, { cause: error });
  }
}

/** One clone: a repository, and the stores as a server in it would have them. */
class Clone {
  readonly bank: string;
  /** Lines of operations that this clone ever had in its files. */
  readonly lines = new Set<string>();
  /** Lines that were written into notes here, by path. */
  readonly written: { path: string; line: string }[] = [];
  kg!: KnowledgeGraph;
  notes!: MemoryBank;
  #count = 0;

  readonly folder: string;
  readonly name: string;
  readonly random: Random;
  readonly skewMs: number;

  constructor(folder: string, name: string, random: Random, skewMs: number) {
    this.folder = folder;
    this.name = name;
    this.random = random;
    this.skewMs = skewMs;
    this.bank = join(folder, 'memory-bank');
    this.open();
  }

  open(): void {
    const clock = { now: () => Date.now() + this.skewMs, monotonic: systemClock.monotonic };
    this.kg = new KnowledgeGraph({
      snapshotPath: join(this.bank, 'kg_snapshot.json'),
      walPath: join(this.bank, 'kg_wal.log'),
      fsync: false,
      syncsAppends: false,
      maxTriples: 5000,
      evict: 'off',
      ttlDays: Number.POSITIVE_INFINITY,
      clock,
    });
    this.notes = new MemoryBank({ folder: this.bank, maxFiles: 1000, fsync: false });
  }

  async close(): Promise<void> {
    await this.kg.close();
    await this.notes.close();
  }

  collect(): void {
    for (const file of ['kg_wal.log', 'kg_snapshot.json']) {
      const path = join(this.bank, file);
      if (!existsSync(path)) continue;
      for (const line of readFileSync(path, 'utf8').split('\n')) {
        const text = line.replace(/,$/, '');
        if (text.startsWith('{"s"')) this.lines.add(text);
      }
    }
  }

  async step(): Promise<void> {
    const { random } = this;
    const key = () => ({
      subject: `s${random(6)}`,
      predicate: `p${random(3)}`,
      object: `o${random(5)}`,
    });
    const keys = Array.from({ length: 1 + random(3) }, key);
    const what = random(20);
    if (what < 7) await this.kg.add(keys);
    else if (what < 9) await this.kg.add(keys.slice(0, 1), { replaces: true });
    else if (what < 12) await this.kg.delete(keys);
    else if (what < 14) await this.kg.end(keys);
    else if (what < 15) await this.kg.save();
    else if (what < 16) {
      await this.close();
      this.open();
    } else if (what < 17) await this.deleteOwnNote();
    else await this.writeNote();
    this.collect();
  }

  async writeNote(): Promise<void> {
    this.#count += 1;
    const line = `${this.name}-${this.#count}`;
    const own = `${this.name}/${this.#count}.md`;
    const path = pick(this.random, ['shared.md', 'begun/together.md', own]);
    this.written.push({ path, line });
    if (!existsSync(join(this.bank, path))) {
      await this.notes.add(path, `# Note\n\n${line}\n`);
      return;
    }
    await this.notes.edit(path, undefined, (content) => {
      const lines = content.trimEnd().split('\n');
      lines.splice(this.random(lines.length + 1), 0, line);
      return `${lines.join('\n')}\n`;
    });
  }

  /** One that the other side never edits: git itself cannot merge an edit with a deletion. */
  async deleteOwnNote(): Promise<void> {
    const at = this.written.findIndex(({ path }) => path.startsWith(`${this.name}/`));
    const [gone] = at < 0 ? [] : this.written.splice(at, 1);
    if (gone !== undefined) await this.notes.delete(gone.path);
  }

  async triples(): Promise<Triple[]> {
    const all: Triple[] = [];
    for await (const triple of this.kg.all()) all.push(triple);
    return all;
  }

  commit(): void {
    git(this.folder, 'add', '-A');
    git(this.folder, 'commit', '-q', '--allow-empty', '-m', this.name);
  }

  noteTexts(): Record<string, string> {
    const found: Record<string, string> = {};
    if (!existsSync(this.bank)) return found; // where no step has written anything
    for (const entry of readdirSync(this.bank, { recursive: true, encoding: 'utf8' }))
      if (entry.endsWith('.md') && !entry.startsWith('.trash'))
        found[entry] = readFileSync(join(this.bank, entry), 'utf8');
    return found;
  }
}

/** What a graph comes to that reads these lines, in an order of its own. */
async function replayed(lines: Iterable<string>, random: Random): Promise<Triple[]> {
  const folder = tempFolder();
  mkdirSync(join(folder, 'memory-bank'));
  const shuffled = [...lines]
    .map((line) => ({ line, at: random(1_000_000) }))
    .sort((a, b) => a.at - b.at)
    .map(({ line }) => `${line}\n`);
  writeFileSync(join(folder, 'memory-bank', 'kg_wal.log'), shuffled.join(''));
  const clone = new Clone(folder, 'replay', random, 0);
  const triples = await clone.triples();
  await clone.close();
  return triples;
}

async function newPair(random: Random, isBaseEmpty: boolean): Promise<[Clone, Clone]> {
  const folder = tempFolder();
  const origin = join(folder, 'origin');
  mkdirSync(origin);
  git(origin, 'init', '-q', '-b', 'main');
  writeFileSync(join(origin, 'README'), 'A repository of a person\n');
  const base = new Clone(origin, 'base', random, 0);
  if (!isBaseEmpty) for (let n = 0; n < 10; n += 1) await base.step();
  await base.close();
  base.commit();
  const clones = ['left', 'right'].map((name, index) => {
    git(folder, 'clone', '-q', origin, name);
    const skewMs = index === 0 ? 0 : random(5) * 1000 - 2000;
    const clone = new Clone(join(folder, name), name, random, skewMs);
    for (const line of base.lines) clone.lines.add(line);
    clone.written.push(...base.written);
    return clone;
  });
  return clones as [Clone, Clone];
}

/** Each side merges what the other had before. */
async function mergeBothWays([left, right]: [Clone, Clone]): Promise<void> {
  for (const clone of [left, right]) {
    await clone.close();
    clone.commit();
  }
  git(left.folder, 'fetch', '-q', right.folder, 'main:theirs');
  git(right.folder, 'fetch', '-q', left.folder, 'main:theirs');
  for (const clone of [left, right]) {
    if (!isMerged(clone)) resolveNotes(clone);
    git(clone.folder, 'branch', '-q', '-D', 'theirs');
    clone.open();
  }
}

function isMerged({ folder }: Clone): boolean {
  try {
    git(folder, 'merge', '-q', '--no-edit', 'theirs');
    return true;
  } catch {
    return false;
  }
}

let conflicts = 0;

/** What a person does with a conflict: keeps the lines of both sides, without the markers. */
function resolveNotes({ folder }: Clone): void {
  const paths = git(folder, 'diff', '--name-only', '--diff-filter=U').trim().split('\n');
  expect(paths.filter((path) => !path.endsWith('.md'))).toEqual([]);
  for (const path of paths) {
    const text = readFileSync(join(folder, path), 'utf8');
    expect(text).toMatch(/^<{7} /m);
    const lines = text.split('\n').filter((line) => !/^(<{7} |={7}$|>{7} )/.test(line));
    writeFileSync(join(folder, path), lines.join('\n'));
    conflicts += 1;
  }
  git(folder, 'add', '-A');
  git(folder, 'commit', '-q', '--no-edit');
}

async function checkMerged(pair: [Clone, Clone], random: Random): Promise<void> {
  const [left, right] = pair;
  const lines = new Set([...left.lines, ...right.lines]);
  const expected = await replayed(lines, random);
  for (const clone of pair) {
    expect(await clone.triples()).toEqual(expected);
    const { damagedLines } = await clone.kg.stats();
    expect(damagedLines).toBe(0);
    for (const line of lines) clone.lines.add(line);
  }
  const written = [...left.written, ...right.written];
  const notes = written.map(({ path }) => path);
  for (const clone of pair) {
    const texts = clone.noteTexts();
    expect(new Set(Object.keys(texts))).toEqual(new Set(notes));
    for (const { path, line } of written) expect(texts[path]?.split('\n')).toContain(line);
    for (const text of Object.values(texts))
      expect(text).not.toMatch(/^(<<<<<<<|=======|>>>>>>>)/m);
    expect(git(clone.folder, 'status', '--porcelain')).toBe('');
  }
}

describe('two clones, changed and merged both ways by stock git', () => {
  console.info(`git merges: DAYBOOK_TEST_SEED=${SEED}, ${ROUNDS} rounds`);
  it.each(
    Array.from({ length: ROUNDS }, (_, round) => round),
  )('round %i: have one graph, that of both histories, and all that was noted', async (round) => {
    const random = randomOf(SEED + round);
    const pair = await newPair(random, round % 3 === 0);
    for (let generation = 0; generation < GENERATIONS; generation += 1) {
      for (const clone of pair) {
        const steps = random(25);
        for (let n = 0; n < steps; n += 1) await clone.step();
      }
      await mergeBothWays(pair);
      await checkMerged(pair, random);
    }
    for (const clone of pair) await clone.close();
  });

  it('saw conflicts in notes, and none elsewhere', () => {
    expect(conflicts).toBeGreaterThan(0);
  });
});

describe('an insight that was edited on two branches', () => {
  const ID = '0b6ad1f5-6e4b-4f5c-8a2e-3b1c2d4e5f60';

  it('is read with the texts of both while git has a conflict, and stored so by the next write', async () => {
    const folder = tempFolder();
    git(folder, 'init', '-q', '-b', 'main');
    const path = join(folder, 'memory-bank', 'insights', `${ID}.json`);
    const open = () => new InsightStore({ folder: join(folder, 'memory-bank'), fsync: false });
    const edit = async (content: string, tag: string) => {
      const store = open();
      await store.update(ID, { content, tags: [tag] });
      await store.close();
      git(folder, 'commit', '-qam', tag);
    };
    mkdirSync(dirname(path), { recursive: true });
    const first = { id: ID, content: 'Clay soil', context: 'global', created_at: 1, updated_at: 1 };
    writeFileSync(path, `${JSON.stringify(first, null, 2)}\n`);
    git(folder, 'add', '-A');
    git(folder, 'commit', '-qm', 'first');
    git(folder, 'checkout', '-qb', 'theirs');
    await edit('Clay soil needs sand', 'theirs');
    git(folder, 'checkout', '-q', 'main');
    await edit('Clay soil needs compost', 'ours');
    expect(() => git(folder, 'merge', '-q', 'theirs')).toThrow(/CONFLICT/);
    expect(readFileSync(path, 'utf8')).toMatch(/^<{7} /m);

    const store = open();
    const joined = await store.get(ID);
    expect(joined?.content).toContain('needs sand');
    expect(joined?.content).toContain('needs compost');
    expect(new Set(joined?.tags)).toEqual(new Set(['ours', 'theirs']));
    expect(store.damaged()).toEqual([]);
    await store.update(ID, { content: 'Clay soil needs sand and compost' });
    await store.close();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({
      content: 'Clay soil needs sand and compost',
    });
  });
});

it('branches that both begin a graph merge, although a checkout removed the rules of the first', async () => {
  const folder = tempFolder();
  git(folder, 'init', '-q', '-b', 'main');
  git(folder, 'commit', '-q', '--allow-empty', '-m', 'before the graph');
  const clone = new Clone(folder, 'one server', randomOf(SEED), 0);
  for (const [branch, object] of [
    ['left', 'Redis'],
    ['right', 'Postgres'],
  ] as const) {
    git(folder, 'checkout', '-q', '-b', branch, 'main');
    await clone.kg.add([{ subject: 'api', predicate: 'uses', object }]);
    clone.commit();
  }
  git(folder, 'merge', '-q', '--no-edit', 'left');
  expect((await clone.triples()).map(({ object }) => object).sort()).toEqual(['Postgres', 'Redis']);
  await clone.close();
});
