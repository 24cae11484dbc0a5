/**
 * Search by meaning with 10 000, 100 000 and 500 000 passages. It measures the comparison of a question with
 * all vectors, with the kernel and without; the whole question, with vectors and with words only; the passages
 * that the local model embeds in a second, and its memory; and the build of the recall index, compared with
 * the build of the search index of the same natural text.
 *
 *   npm run build && npm --prefix bench/model ci --ignore-scripts && node --expose-gc bench/semantic.mjs
 *
 * The vectors are random, because the time of a comparison does not depend on the values. Without the packages
 * of the model nothing is embedded. A whole question also needs the time of its own vector, which the last
 * lines print.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { openLocalEmbedder } from '../dist/embeddings/local-embedder.js';
import { createPackageLoader } from '../dist/embeddings/model/package-loader.js';
import { PassageRows } from '../dist/embeddings/passage-rows.js';
import { quantized, VectorTable } from '../dist/embeddings/vectors/vector-table.js';
import { createTextIndex } from '../dist/fts/text-index.js';
import { passagesOf } from '../dist/recall/passages.js';
import { RecallIndex } from '../dist/recall/recall-index.js';
import { naturalText, seeded } from './support/natural-text.mjs';

process.env.ORT_DISABLE_TELEMETRY = '1';

const WIDTH = 384;
const QUESTIONS = 11;
/** Of as many words, each taken from one message, so that there is an answer. */
const WHOLE_QUESTIONS = 40;
const WORDS = 6;
const IN_A_CONVERSATION = 20;
/** Beyond these the texts begin again. */
const MOST_TEXTS = 200_000;
/** Messages that both indexes are built over, so often: the first build also compiles the code. */
const BUILT = 40_000;
const ROUNDS = 3;
const SIZES = [10_000, 100_000, 500_000];
const PASSAGE =
  'The committee decided on Tuesday that the south wall gets a raised bed of larch boards, six metres long, with a membrane against the damp. Martin brings the boards on Saturday morning. '.repeat(
    3,
  );

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
const randomVector = () => Float32Array.from({ length: WIDTH }, () => Math.random() - 0.5);

const some = Array.from({ length: 4096 }, () => quantized(randomVector()));
const keyOf = (row) => row.toString(16).padStart(32, '0');

function randomTable(size, usesKernel) {
  const table = new VectorTable(WIDTH, { usesKernel });
  for (let row = 0; row < size; row += 1)
    table.add({ key: keyOf(row), ...some[row % some.length] });
  return table;
}

function scan(table) {
  const times = Array.from({ length: QUESTIONS }, () => {
    const question = randomVector();
    const startedAt = performance.now();
    table.cosines(question);
    return performance.now() - startedAt;
  });
  return median(times);
}

/** An index with so many passages of natural text, and the passages' rows in the table. */
function indexOf(texts, size, table) {
  const recall = new RecallIndex();
  const rows = new PassageRows();
  let passages = 0;
  for (let from = 0; passages < size; from += IN_A_CONVERSATION) {
    const messages = Array.from({ length: IN_A_CONVERSATION }, (_, at) =>
      source(texts[(from + at) % texts.length], from + at),
    );
    const id = `conversation ${from}`;
    recall.put(id, messages);
    const keys = messages.map(({ content }) =>
      passagesOf(content).map(() => keyOf(passages++ % size)),
    );
    rows.put(id, 0, keys, (key) => table.rowOf(key));
  }
  return { recall, rows };
}

const source = (content, at) => ({ role: at % 2 ? 'assistant' : 'user', content, time: at * 1e6 });

async function wholeQuestions(texts, size, table) {
  const { recall, rows } = indexOf(texts, size, table);
  const random = seeded(5);
  const question = () => {
    const words = texts[Math.floor(random() * texts.length)].split(/\s+/);
    const from = Math.floor(random() * Math.max(1, words.length - WORDS));
    return words.slice(from, from + WORDS).join(' ');
  };
  const ask = async (usesVectors) => {
    const [text, vector] = [question(), randomVector()];
    const [before, startedAt] = [process.cpuUsage(), performance.now()];
    const cosines = usesVectors ? table.cosines(vector) : undefined;
    const vectors = cosines && {
      best: (id, seq) => rows.best(id, seq, cosines),
      highest: (id, from, to) => rows.highest(id, from, to, cosines),
      nearest: (limit, accepts) => rows.nearest(limit, accepts, cosines),
    };
    await recall.ask(text, { vectors });
    const { user, system } = process.cpuUsage(before);
    return { cpu: (user + system) / 1000, wall: performance.now() - startedAt };
  };
  const medians = async (usesVectors) => {
    const times = [];
    for (let asked = 0; asked < 2 * WHOLE_QUESTIONS; asked += 1) {
      const time = await ask(usesVectors);
      // The first half also compiles the code.
      if (asked >= WHOLE_QUESTIONS) times.push(time);
    }
    const of = (unit) => median(times.map((each) => each[unit])).toFixed(0);
    return `${of('wall')} ms (${of('cpu')} ms of processor time)`;
  };
  return { withVectors: await medians(true), byWords: await medians(false) };
}

const { messages: someTexts } = naturalText(MOST_TEXTS);
for (const size of SIZES) {
  const table = randomTable(size, true);
  const [kernel, plain] = [scan(table), scan(randomTable(size, false))];
  console.log(
    `${size} passages: ${kernel.toFixed(1)} ms to compare a question with all vectors, ${plain.toFixed(1)} ms without SIMD`,
  );
  const { withVectors, byWords } = await wholeQuestions(someTexts, size, table);
  console.log(`  the whole question: ${withVectors} with vectors, ${byWords} by words`);
}
console.log(`memory after the scans: ${megabytes(process.memoryUsage().rss)}`);

/** Garbage of earlier work is collected first, so that it is not counted here. */
async function cpuMs(work) {
  globalThis.gc?.();
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

const { messages } = naturalText(BUILT);
for (let round = 1; round <= ROUNDS; round += 1) {
  const search = createTextIndex({ columns: ['content'] });
  const recall = new RecallIndex();
  const ofSearch = await cpuMs(() =>
    messages.forEach((content, id) => void search.put(id, { content })),
  );
  const ofRecall = await cpuMs(() => {
    for (let at = 0; at < messages.length; at += 20) {
      recall.put(`conversation ${at}`, messages.slice(at, at + 20).map(source));
    }
  });
  // The first question makes the postings. No message has its word.
  const ofPostings = await cpuMs(() => recall.ask('qqzzqq'));
  const times = (ms) => (ms / ofSearch).toFixed(1);
  console.log(
    `build over ${messages.length} messages, CPU: search index ${Math.round(ofSearch)} ms, recall index ${Math.round(ofRecall)} ms, ${times(ofRecall)} times as much; with the postings ${Math.round(ofRecall + ofPostings)} ms, ${times(ofRecall + ofPostings)} times`,
  );
}

const packages = resolve(import.meta.dirname, 'model');
if (existsSync(join(packages, 'node_modules'))) {
  const cacheFolder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
  try {
    await embedding(cacheFolder);
  } finally {
    rmSync(cacheFolder, { recursive: true, force: true });
  }
} else console.log('The packages of the model are not installed: nothing was embedded.');

async function embedding(cacheFolder) {
  const openings = [];
  let embedder;
  for (let tries = 0; tries < 2; tries += 1) {
    const startedAt = performance.now();
    await embedder?.close();
    embedder = await openLocalEmbedder({ packages: createPackageLoader(packages), cacheFolder });
    openings.push(Math.round(performance.now() - startedAt));
  }
  console.log(
    `model opened in ${openings[1]} ms, written and opened in ${openings[0]} ms the first time`,
  );
  await embedder.embed([PASSAGE]);
  const startedAt = performance.now();
  for (let batch = 0; batch < 8; batch += 1) await embedder.embed(Array(16).fill(PASSAGE));
  const passages = (8 * 16 * 1000) / (performance.now() - startedAt);
  const times = [];
  for (let tries = 0; tries < 30; tries += 1) {
    const askedAt = performance.now();
    await embedder.embed(['what did we decide about the south wall?']);
    times.push(performance.now() - askedAt);
  }
  console.log(
    `${passages.toFixed(0)} passages of ${PASSAGE.split(' ').length - 1} words a second, ${median(times).toFixed(1)} ms a question`,
  );
  console.log(`memory with the model: ${megabytes(process.memoryUsage().rss)}`);
  await embedder.close();
}
