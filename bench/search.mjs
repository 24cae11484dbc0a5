/**
 * The search engine compared with SQLite FTS5 on natural text (support/natural-text.mjs): the same messages
 * and the same queries, in one process. Install and build first:
 * npm --prefix bench ci && npm run build && node bench/search.mjs [sizes…] (1000 10000 100000 500000).
 *
 * Queries are drawn at random from bands of document frequency, QUERIES of each kind, none twice in a row. A
 * round asks one query of each kind; before each round one message is replaced, as in normal use. First both
 * engines answer each query in turn, without and with snippets, and every answer is compared. In this part
 * the caches of the processor contain data of the other engine. Then each engine answers the same rounds
 * alone.
 * FTS5 runs as in an application: external content, WAL, on a file, ORDER BY rank LIMIT 20. Its build is one
 * transaction that inserts each message into its table and into the FTS5 table with two prepared statements
 * (as triggers would do, without their cost). The build of Daybook is `put` of each message, which keeps no
 * text. Times are the CPU time of the process, and the wall time.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTextIndex } from '../dist/fts/text-index.js';
import { naturalText, seeded } from './support/natural-text.mjs';
import { Database } from './support/sqlite.mjs';

const QUERIES = 200;
/** Enough for a query's code to be compiled; the compiler's threads count as CPU time too. */
const WARM_UP_ROUNDS = 400;
const BUILDS = 3;
const LIMIT = 20;
/** Least and greatest share of the messages that have a word of the band. */
const BANDS = { common: [0.1, 1], middling: [0.005, 0.02], rare: [0, 0.0005] };

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

function measured(work) {
  const [cpu, wall] = [cpuMs(), performance.now()];
  const value = work();
  return { value, cpu: cpuMs() - cpu, wall: performance.now() - wall };
}

const sorted = (values) => [...values].sort((a, b) => a - b);
const median = (values) => sorted(values)[values.length >> 1];
const p99 = (values) => sorted(values)[Math.floor(values.length * 0.99)];
const sum = (values) => values.reduce((total, value) => total + value, 0);

function openFts5(folder, messages) {
  const db = new Database(join(folder, 'bench.db'));
  db.pragma('journal_mode = WAL');
  db.exec(`CREATE TABLE m(id INTEGER PRIMARY KEY, content TEXT);
    CREATE VIRTUAL TABLE f USING fts5(content, content='m', content_rowid='id')`);
  const row = db.prepare('INSERT OR REPLACE INTO m VALUES (?, ?)');
  const indexed = db.prepare('INSERT INTO f(rowid, content) VALUES (?, ?)');
  const removed = db.prepare("INSERT INTO f(f, rowid, content) VALUES ('delete', ?, ?)");
  const build = measured(
    db.transaction(() =>
      messages.forEach((text, id) => {
        row.run(id, text);
        indexed.run(id, text);
      }),
    ),
  );
  const put = db.transaction((id, before, text) => {
    removed.run(id, before);
    row.run(id, text);
    indexed.run(id, text);
  });
  const plain = db.prepare(`SELECT rowid AS id, rank FROM f WHERE f MATCH ?
    ORDER BY rank LIMIT ${LIMIT}`);
  const quoting = db.prepare(`SELECT rowid AS id, rank,
    snippet(f, 0, '<mark>', '</mark>', '...', 32) AS snippet
    FROM f WHERE f MATCH ? ORDER BY rank LIMIT ${LIMIT}`);
  return {
    build,
    put,
    search: (text) => plain.all(text),
    quote: (text) => quoting.all(text),
    close: () => db.close(),
  };
}

function openOurs(messages, options) {
  const index = createTextIndex({ columns: ['content'], ...options });
  const build = measured(() => messages.forEach((content, id) => void index.put(id, { content })));
  return {
    index,
    build,
    put: (id, _before, content) => index.put(id, { content }),
    search: (text) => index.search(text, { limit: LIMIT }).hits,
    quote(text) {
      const result = index.search(text, { limit: LIMIT });
      return result.hits.map(({ id, rank }) => ({
        id,
        rank,
        snippet: result.snippet(id, { content: messages[id] }),
      }));
    },
  };
}

/** The words of each band, and texts to draw neighbouring words from. */
function drawingFrom(messages, random) {
  const sample = messages.slice(0, 20_000);
  const counts = new Map();
  for (const text of sample)
    for (const word of new Set(text.toLowerCase().match(/(?<![\w.-])[a-z]{3,12}(?![\w.-])/g)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const bandOf = ([least, most]) =>
    [...counts].flatMap(([word, count]) => {
      const share = count / sample.length;
      return share >= least && share <= most ? word : [];
    });
  const bands = Object.fromEntries(Object.entries(BANDS).map(([name, b]) => [name, bandOf(b)]));
  const pick = (list) => list[Math.floor(random() * list.length)];
  const word = (band) => pick(bands[band]);
  /** Two words that stand side by side somewhere. */
  const neighbours = () => {
    for (;;) {
      const words = pick(sample).split(' ');
      const at = Math.floor(random() * (words.length - 1));
      const pair = words.slice(at, at + 2);
      if (pair.every((each) => /^[a-z]{2,12}$/.test(each))) return pair;
    }
  };
  return { word, neighbours };
}

function kindsOf({ word, neighbours }) {
  return {
    'common word': () => word('common'),
    'common OR middling': () => `${word('common')} OR ${word('middling')}`,
    NOT: () => `${word('common')} NOT ${word('common')}`,
    'prefix of 3 letters': () => `${word('middling').slice(0, 3)}*`,
    phrase: () => `"${neighbours().join(' ')}"`,
    OR: () => `${word('middling')} OR ${word('middling')}`,
    AND: () => `${word('middling')} ${word('middling')}`,
    'AND of common words': () => `${word('common')} ${word('common')}`,
    NEAR: () => `NEAR(${neighbours().join(' ')}, 5)`,
    'middling word': () => word('middling'),
    'rare word': () => word('rare'),
  };
}

/** SQLite's logarithm is the C library's, whose last bit is wrong once in some thousands; ours is exact. */
const isSameRank = (a, b) => Math.abs(a - b) <= 4 * Number.EPSILON * Math.abs(b);

function requireSame(query, ours, theirs) {
  const isSame =
    ours.length === theirs.length &&
    ours.every(({ rank }, at) => isSameRank(rank, theirs[at].rank));
  if (!isSame) throw new Error(`${query}: the ranks differ from those of FTS5`);
}

/** The rounds, in order: the message that is replaced before the round, and one query of each kind. */
function* roundsOf(messages, kinds) {
  const random = seeded(11);
  const texts = [...messages];
  for (let round = -WARM_UP_ROUNDS; round < QUERIES; round += 1) {
    const id = Math.floor(random() * texts.length);
    const before = texts[id];
    texts[id] = texts[Math.floor(random() * texts.length)];
    const queries = Object.entries(kinds).map(([kind, draw]) => ({ kind, query: draw() }));
    yield { isCounted: round >= 0, put: [id, before, texts[id]], queries };
  }
}

const noTimes = (kinds) => Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));

/** Both sides in turn; replaces messages in `messages` too. Times by kind. */
function askInTurn(messages, [ours, theirs], kinds, how) {
  const times = noTimes(kinds);
  for (const { isCounted, put, queries } of roundsOf(messages, kinds)) {
    messages[put[0]] = put[2];
    for (const side of [ours, theirs]) side.put(...put);
    for (const { kind, query } of queries) {
      const [a, b] = [ours, theirs].map((side) => measured(() => side[how](query)));
      requireSame(query, a.value, b.value);
      // Without the hits: if they stayed in memory, garbage collections would copy them.
      if (isCounted)
        times[kind].push({ a: { cpu: a.cpu, wall: a.wall }, b: { cpu: b.cpu, wall: b.wall } });
    }
  }
  return times;
}

/** One side after the other, with the same rounds. Times by kind. */
function askEach(messages, sides, kindsOf) {
  const [a, b] = sides.map((side) => {
    const kinds = kindsOf();
    const times = noTimes(kinds);
    for (const { isCounted, put, queries } of roundsOf(messages, kinds)) {
      side.put(...put);
      for (const { kind, query } of queries) {
        const { cpu, wall } = measured(() => side.search(query));
        if (isCounted) times[kind].push({ cpu, wall });
      }
    }
    return times;
  });
  const pairs = (kind) => a[kind].map((each, at) => ({ a: each, b: b[kind][at] }));
  return Object.fromEntries(Object.keys(a).map((kind) => [kind, pairs(kind)]));
}

const row = (cells) =>
  cells
    .map((cell, at) => (at === 1 ? String(cell).padEnd(38) : String(cell).padStart(10)))
    .join('');

function report(size, suffix, times) {
  for (const [kind, list] of Object.entries(times)) {
    const of = (side, unit) => list.map((each) => each[side][unit]);
    const [ours, theirs] = [of('a', 'cpu'), of('b', 'cpu')];
    const ratio = `${(sum(theirs) / sum(ours)).toFixed(1)}x`;
    const cells = [median(ours), median(theirs), p99(ours), p99(theirs)];
    const walls = [median(of('a', 'wall')), median(of('b', 'wall'))];
    const name = `${kind}${suffix}`;
    console.log(row([size, name, ...[...cells, ...walls].map((ms) => ms.toFixed(3)), ratio]));
  }
}

function reportBuilds(size, messages, folder, first) {
  const rounds = [first];
  while (rounds.length < BUILDS) {
    const ours = openOurs(messages).build;
    const plain = openOurs(messages, { extended: false }).build;
    const fts5 = openFts5(mkdtempSync(join(folder, 'again-')), messages);
    fts5.close();
    rounds.push({ ours, plain, fts5: fts5.build });
  }
  const of = (who, unit) => median(rounds.map((round) => round[who][unit]));
  for (const [name, who] of [
    ['build', 'ours'],
    ['build, only what FTS5 has too', 'plain'],
  ]) {
    const [a, b] = [of(who, 'cpu'), of('fts5', 'cpu')];
    const walls = [of(who, 'wall'), of('fts5', 'wall')];
    const ms = [a, b, '', '', ...walls].map((each) => (each === '' ? '' : each.toFixed(0)));
    console.log(row([size, name, ...ms, `${(b / a).toFixed(1)}x`]));
  }
}

function benchOf(all, size) {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const messages = all.slice(0, size);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const ours = openOurs(messages);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const fts5 = openFts5(folder, messages);
  const plain = openOurs(messages, { extended: false }).build;
  reportBuilds(size, messages, folder, { ours: ours.build, plain, fts5: fts5.build });
  const first = measured(() => ours.search('the of')).cpu;
  const sides = [ours, fts5];
  const kinds = () => kindsOf(drawingFrom(messages, seeded(3)));
  report(size, '', askInTurn(messages, sides, kinds(), 'search'));
  report(size, ', snippets', askInTurn(messages, sides, kinds(), 'quote'));
  report(size, ', by itself', askEach(messages, sides, kinds));
  const mb = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  const { terms, segments } = ours.index.stats();
  console.log(
    `${size} messages: ${globalThis.gc ? `${mb(grown)} of memory, ` : ''}${terms} terms, ${segments} segments, ` +
      `the first query ${first.toFixed(0)} ms`,
  );
  fts5.close();
  rmSync(folder, { recursive: true });
}

const sizes = process.argv.slice(2).map(Number);
const wanted = sizes.length > 0 ? sizes : [1_000, 10_000, 100_000, 500_000];
const { messages, kinds } = naturalText(Math.max(...wanted));
console.log(
  Object.entries(kinds)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', '),
);
const titles = [
  'ours ms',
  'FTS5 ms',
  'ours p99',
  'FTS5 p99',
  'ours wall',
  'FTS5 wall',
  'FTS5/ours',
];
console.log(row(['messages', 'query', ...titles]));
for (const size of wanted) benchOf(messages, Math.min(size, messages.length));
