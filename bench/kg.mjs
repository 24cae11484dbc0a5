/**
 * The knowledge graph compared with `@modelcontextprotocol/server-memory` (its KnowledgeGraphManager is
 * called directly, which is its best case) and with better-sqlite3 with the usual table for triples
 * (subject, predicate, object, ts; one index, which is UNIQUE, because the graph stores each triple once).
 * Load, add (one by one and by 32 callers at once, without and with fsync), point query, facts of a
 * subject, neighbours. All take turns in one run on the same disk. Prints wall time, and the CPU time of
 * this process, in which SQLite works too.
 *
 * `npm --prefix bench ci && npm run build && node bench/kg.mjs [sizes]`, such as `node bench/kg.mjs 5000 100000 1000000`
 * (default 5000). The output shows whether the goals are reached, but the exit code is always 0, because a
 * machine can be busy.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KnowledgeGraph } from '../dist/stores/knowledge-graph/knowledge-graph.js';
import { Database } from './support/sqlite.mjs';

const sizes = process.argv.slice(2).map(Number);
if (sizes.length === 0) sizes.push(5_000);
const CALLERS = 32;
const ADDS = 4_000;
const SYNCED_ADDS = 640;
const QUERIES = 20_000;
/** server-memory reads and writes its whole file for each call. */
const MEMORY_ADDS = 20;
const MEMORY_LIMIT = 100_000;
const root = mkdtempSync(join(tmpdir(), 'daybook-bench-kg-'));

/** Ten facts a subject, a tenth of the objects are subjects: the facts of people, places and things. */
function tripleAt(index) {
  const subject = `person ${Math.floor(index / 10)}`;
  const isLink = index % 10 === 0;
  const object = isLink ? `person ${(index * 7919) % 100_003}` : `thing ${index} of some length`;
  return { subject, predicate: `relation ${index % 10}`, object };
}

async function timed(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  const result = await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000, result };
}

function graphAt(folder, syncsAppends = false) {
  return new KnowledgeGraph({
    snapshotPath: join(folder, 'kg_snapshot.json'),
    walPath: join(folder, 'kg_wal.log'),
    fsync: true,
    syncsAppends,
    maxTriples: 1e8,
    evict: 'off',
    ttlDays: Number.POSITIVE_INFINITY,
  });
}

function sqliteAt(folder, synchronous = 'NORMAL') {
  const db = new Database(join(folder, 'kg.db'));
  db.pragma('journal_mode = WAL');
  db.pragma(`synchronous = ${synchronous}`);
  db.exec(`CREATE TABLE IF NOT EXISTS triples(subject TEXT, predicate TEXT, object TEXT, ts INTEGER);
    CREATE UNIQUE INDEX IF NOT EXISTS spo ON triples(subject, predicate, object);
    CREATE INDEX IF NOT EXISTS obj ON triples(object);`);
  const insert = db.prepare('INSERT OR IGNORE INTO triples VALUES (?, ?, ?, ?)');
  return {
    db,
    add: ({ subject, predicate, object }) => insert.run(subject, predicate, object, Date.now()),
    all: db.prepare('SELECT subject, predicate, object, ts FROM triples ORDER BY ts'),
    point: db.prepare('SELECT * FROM triples WHERE subject = ? AND predicate = ? AND object = ?'),
    ofSubject: db.prepare('SELECT * FROM triples WHERE subject = ? ORDER BY ts, rowid LIMIT 50'),
    around: db.prepare(
      'SELECT * FROM (SELECT * FROM triples WHERE subject = ? UNION SELECT * FROM triples WHERE object = ?) ORDER BY ts LIMIT 50',
    ),
  };
}

/** One by one, or by many callers of whom each waits for its own answer. */
async function inTurns(count, callers, add) {
  let next = 0;
  const caller = async () => {
    while (next < count) {
      next += 1;
      await add(next - 1);
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
}

const medianOf = (samples) => samples.sort((a, b) => a.ms - b.ms)[samples.length >> 1];

const rows = [];
function report(size, what, count, ours, others) {
  const perCall = ({ ms, cpuMs }) => ({ us: (ms * 1000) / count, cpuUs: (cpuMs * 1000) / count });
  const own = perCall(ours);
  for (const { name, sample, calls = count, bar } of others) {
    const us = (sample.ms * 1000) / calls;
    const cpuUs = (sample.cpuMs * 1000) / calls;
    const ratio = us / own.us;
    const verdict = bar === undefined ? '' : ratio >= bar ? `ok (≥ ${bar})` : `BELOW ${bar}`;
    rows.push({ size, what, ours: own.us, oursCpu: own.cpuUs, name, us, cpuUs, ratio, verdict });
  }
}

const add = (graph, triple) => graph.add([triple]);
const beyond = (size, index) => ({
  subject: `new ${size}`,
  predicate: 'has',
  object: `number ${index}`,
});

async function prepare(folder, size) {
  const graph = graphAt(folder);
  for (let start = 0; start < size; start += 10_000) {
    const count = Math.min(10_000, size - start);
    await graph.add(Array.from({ length: count }, (_, index) => tripleAt(start + index)));
  }
  await graph.save();
  await graph.close();
  const { db, add: insert } = sqliteAt(folder);
  db.transaction(() => {
    for (let index = 0; index < size; index += 1) insert(tripleAt(index));
  })();
  db.close();
}

/** The graph in server-memory's own form: an entity a subject, a relation a fact. */
async function memoryAt(folder, size) {
  // Importing it starts its server on stdin, which nobody speaks to here.
  const { KnowledgeGraphManager } = await import(
    '@modelcontextprotocol/server-memory/dist/index.js'
  );
  const path = join(folder, 'memory.jsonl');
  const lines = [];
  for (let index = 0; index < size; index += 1) {
    const { subject, predicate, object } = tripleAt(index);
    if (index % 10 === 0)
      lines.push({ type: 'entity', name: subject, entityType: 'person', observations: [] });
    lines.push({ type: 'relation', from: subject, to: object, relationType: predicate });
  }
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join('\n'));
  return new KnowledgeGraphManager(path);
}

async function benchLoad(folder, size) {
  const bars = { graph: [], sqlite: [] };
  for (let turn = 0; turn < (size > 100_000 ? 2 : 5); turn += 1) {
    globalThis.gc?.();
    const graph = graphAt(folder);
    bars.graph.push(
      await timed(() => graph.query({ subject: 'person 1' }, { offset: 0, limit: 10 })),
    );
    await graph.close();
    bars.sqlite.push(
      await timed(() => {
        const { db, all } = sqliteAt(folder);
        const count = all.all().length;
        db.close();
        return count;
      }),
    );
  }
  const best = (samples) => samples.reduce((a, b) => (b.ms < a.ms ? b : a));
  report(size, 'load all', 1, best(bars.graph), [
    { name: 'SQLite, all rows', sample: best(bars.sqlite) },
  ]);
  return best(bars.graph).ms;
}

async function benchAdds(folder, size) {
  const { add: insert, db } = sqliteAt(folder);
  const graph = graphAt(folder);
  const memory = size <= MEMORY_LIMIT ? await memoryAt(folder, size) : undefined;
  for (let index = 0; index < 200; index += 1) await add(graph, beyond('warm', index));
  for (let index = 0; index < 200; index += 1) insert(beyond('warm', index));
  const measured = {};
  for (const callers of [1, CALLERS]) {
    const ours = await timed(() => inTurns(ADDS, callers, (n) => add(graph, beyond(callers, n))));
    const sqlite = await timed(() =>
      inTurns(ADDS, callers, async (n) => insert(beyond(callers, n))),
    );
    measured[callers] = { ours, sqlite };
  }
  const one = [{ name: 'SQLite NORMAL', sample: measured[1].sqlite, bar: 1 / 3 }];
  if (memory !== undefined) {
    const sample = await timed(() =>
      inTurns(MEMORY_ADDS, 1, (n) =>
        memory.createRelations([{ from: 'person 1', to: `new ${n}`, relationType: 'has' }]),
      ),
    );
    one.push({
      name: 'server-memory',
      sample,
      calls: MEMORY_ADDS,
      bar: size === 5_000 ? 100 : undefined,
    });
  }
  report(size, 'add, one by one', ADDS, measured[1].ours, one);
  report(size, `add, ${CALLERS} callers`, ADDS, measured[CALLERS].ours, [
    { name: 'SQLite NORMAL', sample: measured[CALLERS].sqlite, bar: 1 },
  ]);
  db.close();
  await graph.close();
}

async function benchSyncedAdds(folder, size) {
  const { add: insert, db } = sqliteAt(folder, 'FULL');
  const graph = graphAt(folder, true);
  await add(graph, beyond('synced', -1));
  insert(beyond('synced', -1));
  // One by one, in turn with SQLite: the disk needs more or less time from one second to the next.
  const [own, sqlite] = [[], []];
  for (let n = 0; n < SYNCED_ADDS; n += 1) {
    own.push(await timed(() => add(graph, beyond('synced 1', n))));
    sqlite.push(await timed(() => insert(beyond('synced 1', n))));
  }
  const one = { name: 'SQLite FULL', sample: medianOf(sqlite), calls: 1, bar: 1 / 1.5 };
  report(size, 'add with fsync, one by one, median', 1, medianOf(own), [one]);
  const name = `synced ${CALLERS}`;
  const ours = await timed(() => inTurns(SYNCED_ADDS, CALLERS, (n) => add(graph, beyond(name, n))));
  const sample = await timed(() => inTurns(SYNCED_ADDS, 1, async (n) => insert(beyond(name, n))));
  const what = `add with fsync, ${CALLERS} callers`;
  report(size, what, SYNCED_ADDS, ours, [{ name: 'SQLite FULL', sample, bar: 1 }]);
  db.close();
  await graph.close();
}

async function benchQueries(folder, size) {
  const { point, ofSubject, around, db } = sqliteAt(folder);
  const graph = graphAt(folder);
  const page = { offset: 0, limit: 50 };
  const at = (n) => tripleAt((n * 7919) % size);
  const kinds = [
    {
      what: 'point query',
      ours: (t) => graph.query(t, page),
      theirs: ({ subject, predicate, object }) => point.all(subject, predicate, object),
      bar: 2,
    },
    {
      what: 'facts of a subject',
      ours: ({ subject }) => graph.query({ subject }, page),
      theirs: ({ subject }) => ofSubject.all(subject),
    },
    {
      what: 'neighbours, 1 step',
      ours: ({ subject }) => graph.neighbors(subject, { depth: 1, direction: 'both' }, page),
      theirs: ({ subject }) => around.all(subject, subject),
    },
  ];
  for (const { what, ours, theirs, bar } of kinds) {
    const count = what === 'point query' ? QUERIES : QUERIES / 4;
    const samples = { ours: [], theirs: [] };
    for (let turn = 0; turn < 4; turn += 1) {
      samples.ours.push(await timed(() => inTurns(count, 1, (n) => ours(at(n)))));
      samples.theirs.push(await timed(() => inTurns(count, 1, async (n) => theirs(at(n)))));
    }
    const best = (list) => list.slice(1).reduce((a, b) => (b.cpuMs < a.cpuMs ? b : a));
    report(size, what, count, best(samples.ours), [
      { name: 'SQLite', sample: best(samples.theirs), bar },
    ]);
  }
  db.close();
  await graph.close();
}

console.log(`Node ${process.version}, ${root}`);
for (const size of sizes) {
  const folder = join(root, String(size));
  mkdirSync(folder);
  const made = await timed(() => prepare(folder, size));
  console.log(`${size} triples made in ${(made.ms / 1000).toFixed(1)} s`);
  const loadMs = await benchLoad(folder, size);
  if (size === 5_000) console.log(`load of 5000: ${loadMs.toFixed(1)} ms (bar 50 ms)`);
  if (size === 1_000_000) console.log(`load of 1000000: ${(loadMs / 1000).toFixed(2)} s (bar 3 s)`);
  await benchQueries(folder, size);
  await benchAdds(folder, size);
  await benchSyncedAdds(folder, size);
  rmSync(folder, { recursive: true });
}
rmSync(root, { recursive: true });

const cell = (value) => (value >= 100 ? value.toFixed(0) : value.toFixed(value >= 10 ? 1 : 2));
console.log('\n| triples | what | Daybook µs (CPU) | other | µs (CPU) | times faster | bar |');
console.log('|---|---|---|---|---|---|---|');
for (const { size, what, ours, oursCpu, name, us, cpuUs, ratio, verdict } of rows) {
  console.log(
    `| ${size} | ${what} | ${cell(ours)} (${cell(oursCpu)}) | ${name} | ${cell(us)} (${cell(cpuUs)}) | ${ratio.toFixed(2)} | ${verdict} |`,
  );
}
process.exit(0); // server-memory listens on stdin
