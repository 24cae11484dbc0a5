/**
 * How the search engine compares with SQLite FTS5: the same messages, the same queries, alternating,
 * in one process. Install and build first:
 * npm --prefix bench ci && npm run build && node bench/search.mjs [sizes…] (1000 10000 100000).
 *
 * Messages are real English: the prose of every README, CHANGELOG and guide in node_modules, cut into
 * sentences; each message draws sentences by chance (fixed seed) until it has about 80 words.
 * FTS5 runs as an application would run it: external content, WAL, on a file, ORDER BY rank LIMIT 20
 * with snippet(). Its build is one transaction that inserts each message into its table and into the
 * FTS5 table, by two prepared statements (what triggers would do, without their cost); ours is `put`
 * of each message, which keeps no text. Times are CPU time of the process: of builds the median of
 * five, in turn, of queries that of many runs; both sides run every query sixty times before.
 * Stalls are the longest single calls, in CPU time: how long they keep the process from other work.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTextIndex } from '../dist/fts/text-index.js';
import { Database } from './support/sqlite.mjs';

const WORDS_A_MESSAGE = 80;
/** Enough for a query's code to be compiled; the compiler's threads count as CPU time too. */
const WARM_UP_RUNS = 60;
const LEAST_RUNS = 11;
const MOST_RUNS = 200;
const BUDGET_MS = 1_000;
const BUILDS = 5;

function seeded(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t ^= t + Math.imul(t ^ (t >>> 7), 61 | t);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

function englishSentences() {
  const root = new URL('../node_modules/', import.meta.url);
  const sentences = new Set();
  for (const path of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!path.endsWith('.md')) continue;
    const prose = readFileSync(new URL(path, root), 'utf8').replace(/```[\s\S]*?```/g, '\n');
    for (const line of prose.split(/\n{2,}|\n(?=[-*#|>])|(?<=[.!?])\s+/)) {
      const sentence = line.replace(/\s+/g, ' ').trim();
      const words = sentence.split(' ').length;
      if (words >= 4 && words <= 60) sentences.add(sentence);
    }
  }
  return [...sentences].sort();
}

function messagesFrom(sentences, count) {
  const random = seeded(7);
  return Array.from({ length: count }, () => {
    const chosen = [];
    for (let words = 0; words < WORDS_A_MESSAGE; ) {
      const sentence = sentences[Math.floor(random() * sentences.length)];
      chosen.push(sentence);
      words += sentence.split(' ').length;
    }
    return chosen.join(' ');
  });
}

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];

function measured(work) {
  const [cpu, wall] = [cpuMs(), performance.now()];
  const value = work();
  return { value, cpu: cpuMs() - cpu, wall: performance.now() - wall };
}

/** Runs both in turn, several times each, and gives the medians. */
function compare(ours, theirs) {
  for (let run = 0; run < WARM_UP_RUNS; run++) {
    ours();
    theirs();
  }
  const times = { ours: [], theirs: [], oursWall: [], theirsWall: [] };
  const started = performance.now();
  for (let run = 0; run < MOST_RUNS; run++) {
    if (run >= LEAST_RUNS && performance.now() - started > BUDGET_MS) break;
    // Short queries are timed in batches: the CPU clock is coarse.
    const a = measured(() => {
      for (let i = 0; i < 5; i++) ours();
    });
    const b = measured(() => {
      for (let i = 0; i < 5; i++) theirs();
    });
    times.ours.push(a.cpu / 5);
    times.theirs.push(b.cpu / 5);
    times.oursWall.push(a.wall / 5);
    times.theirsWall.push(b.wall / 5);
  }
  return Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)]));
}

function openFts5(folder, messages) {
  const db = new Database(join(folder, 'bench.db'));
  db.pragma('journal_mode = WAL');
  db.exec(`CREATE TABLE m(id INTEGER PRIMARY KEY, content TEXT);
    CREATE VIRTUAL TABLE f USING fts5(content, content='m', content_rowid='id')`);
  const row = db.prepare('INSERT INTO m VALUES (?, ?)');
  const indexed = db.prepare('INSERT INTO f(rowid, content) VALUES (?, ?)');
  const insert = db.transaction(() =>
    messages.forEach((text, id) => {
      row.run(id, text);
      indexed.run(id, text);
    }),
  );
  const build = measured(insert);
  const query =
    db.prepare(`SELECT rowid AS id, rank, snippet(f, 0, '<mark>', '</mark>', '...', 32) AS snippet
    FROM f WHERE f MATCH ? ORDER BY rank LIMIT 20`);
  return { db, build, search: (text) => query.all(text) };
}

function buildOurs(messages, options) {
  const index = createTextIndex({ columns: ['content'], ...options });
  const build = measured(() => {
    messages.forEach((content, id) => {
      index.put(id, { content });
    });
  });
  return { index, build };
}

function openOurs(messages) {
  const { index, build } = buildOurs(messages);
  const firstQuery = measured(() => index.search('the of')).cpu;
  const search = (text) => {
    const result = index.search(text, { limit: 20 });
    return result.hits.map(({ id, rank }) => ({
      id,
      rank,
      snippet: result.snippet(id, { content: messages[id] }),
    }));
  };
  return { index, build, search, firstQuery };
}

/** The longest put of a bulk load: one that freezes or merges. A load of its own, for the clock costs time. */
function longestPut(messages) {
  const index = createTextIndex({ columns: ['content'] });
  return messages.reduce(
    (most, content, id) => Math.max(most, measured(() => index.put(id, { content })).cpu),
    0,
  );
}

/**
 * Each build again, in turn, beside the first: one alone tells as much of the machine as of the engine.
 * Plain is ours without what FTS5 has not: CJK by pairs and words with symbols.
 */
function compareBuilds(messages, folder, first) {
  const rounds = [{ ...first, plain: buildOurs(messages, { extended: false }).build }];
  while (rounds.length < BUILDS) {
    const ours = buildOurs(messages).build;
    const plain = buildOurs(messages, { extended: false }).build;
    const { db, build } = openFts5(mkdtempSync(join(folder, 'again-')), messages);
    db.close();
    rounds.push({ ours, plain, fts5: build });
  }
  const of = (who, unit) => median(rounds.map((round) => round[who][unit]));
  return (who) => ({ cpu: of(who, 'cpu'), wall: of(who, 'wall') });
}

/** Words by the share of messages that have them. */
function wordsByShare(messages) {
  const counts = new Map();
  const sample = messages.slice(0, 5_000);
  for (const text of sample)
    for (const word of new Set(text.toLowerCase().match(/\b[a-z]{3,}\b/g)))
      counts.set(word, (counts.get(word) ?? 0) + 1);
  const sorted = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const near = (share) =>
    sorted.reduce((best, entry) =>
      Math.abs(entry[1] / sample.length - share) < Math.abs(best[1] / sample.length - share)
        ? entry
        : best,
    )[0];
  return { most: sorted[0][0], second: sorted[1][0], near };
}

function queriesFor(messages) {
  const { most, second, near } = wordsByShare(messages);
  const [half, tenth, twentieth, hundredth] = [0.4, 0.1, 0.05, 0.01].map(near);
  const rare = near(0.0005);
  return [
    ['common word', 20, most],
    ['OR with a common word', 20, `${most} OR ${hundredth}`],
    ['NOT', 8, `${most} NOT ${tenth}`],
    ['prefix', 4, `${tenth.slice(0, 3)}*`],
    ['phrase', 4, `"${most} ${half}"`],
    ['phrase of common words', 4, '"of the"'],
    ['OR', 4, `${tenth} OR ${twentieth}`],
    ['AND', 2, `${tenth} ${twentieth}`],
    ['AND of common words', 2, `${most} AND ${second}`],
    ['NEAR', 2, `NEAR(${tenth} ${half}, 5)`],
    ['middling word', 2, hundredth],
    ['rare word', 1.2, rare],
  ];
}

function row(cells) {
  const widths = [7, 24, 22, 7, 9, 9, 9, 9, 8, 6];
  return cells
    .map((cell, i) =>
      i === 1 || i === 2 ? String(cell).padEnd(widths[i]) : String(cell).padStart(widths[i]),
    )
    .join(' ');
}

const sizes = process.argv.slice(2).map(Number);
const sentences = englishSentences();
const report = [
  row([
    'size',
    'query',
    'text',
    'hits',
    'ours ms',
    'FTS5 ms',
    'ours wall',
    'FTS5 wall',
    'speed',
    'bar',
  ]),
];
for (const size of sizes.length > 0 ? sizes : [1_000, 10_000, 100_000]) {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  const messages = messagesFrom(sentences, size);
  globalThis.gc?.();
  const before = process.memoryUsage();
  const ours = openOurs(messages);
  globalThis.gc?.();
  const after = process.memoryUsage();
  const fts5 = openFts5(folder, messages);
  const buildOf = compareBuilds(messages, folder, { ours: ours.build, fts5: fts5.build });
  const speedOf = (a, b) => `${(b / a).toFixed(1)}x`;
  for (const [name, who] of [
    ['build', 'ours'],
    ['build, FTS5 types only', 'plain'],
  ]) {
    const [a, b] = [buildOf(who), buildOf('fts5')];
    const times = [a.cpu, b.cpu, a.wall, b.wall].map((ms) => ms.toFixed(0));
    report.push(row([size, name, '', size, ...times, speedOf(a.cpu, b.cpu), '1.5x']));
  }
  for (const [name, bar, text] of queriesFor(messages)) {
    const [a, b] = [ours.search(text), fts5.search(text)];
    const differs = a.some((hit, i) => hit.rank !== b[i]?.rank);
    if (a.length !== b.length || differs)
      process.stderr.write(`${size} ${text}: ranks differ from FTS5\n`);
    const t = compare(
      () => ours.search(text),
      () => fts5.search(text),
    );
    report.push(
      row([
        size,
        name,
        text,
        ours.index.search(text).total,
        t.ours.toFixed(3),
        t.theirs.toFixed(3),
        t.oursWall.toFixed(3),
        t.theirsWall.toFixed(3),
        speedOf(t.ours, t.theirs),
        `${bar}x`,
      ]),
    );
  }
  const mb = (bytes) => `${(bytes / 2 ** 20).toFixed(0)} MB`;
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  const { terms, segments, frozenBytes } = ours.index.stats();
  report.push(
    `${String(size).padStart(7)} memory ${mb(grown)} (frozen segments ${mb(frozenBytes)}), ${terms} terms, ${segments} segments`,
  );
  const replaced = Array.from({ length: 2_000 }, (_, i) => {
    const id = i % messages.length;
    return measured(() => ours.index.put(id, { content: messages[id] })).cpu;
  });
  const encode = measured(() => ours.index.encode()).cpu;
  report.push(
    `${String(size).padStart(7)} stalls: put while loading ${longestPut(messages).toFixed(0)} ms (freezes and merges), ` +
      `first query ${ours.firstQuery.toFixed(0)} ms, replacing put ${Math.max(...replaced).toFixed(1)} ms, ` +
      `encode of all ${encode.toFixed(0)} ms`,
  );
  fts5.db.close();
  rmSync(folder, { recursive: true });
}
process.stdout.write(`${sentences.length} sentences\n${report.join('\n')}\n`);
