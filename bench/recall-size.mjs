/**
 * What recall costs in stores of different sizes, without vectors: the processor time to build its index, its
 * memory, the first question (which makes the postings), and later questions. The texts are natural
 * (support/natural-text.mjs), with 20 messages in each conversation. If this machine has too few texts, they
 * are repeated.
 *
 *   npm run build && node --expose-gc --max-old-space-size=8000 bench/recall-size.mjs [sizes…]
 */
import { RecallIndex } from '../dist/recall/recall-index.js';
import { naturalText, seeded } from './support/natural-text.mjs';

const IN_A_CONVERSATION = 20;
const MOST_TEXTS = 200_000;
const QUESTIONS = 40;
/** Of a question, taken from one message, so that there is an answer. */
const WORDS = 6;

const sizes = process.argv.slice(2).map(Number);
const wanted = sizes.length > 0 ? sizes : [10_000, 100_000, 1_000_000];
const { messages: texts } = naturalText(Math.min(MOST_TEXTS, Math.max(...wanted)));

const sorted = (values) => values.toSorted((a, b) => a - b);
const median = (values) => sorted(values)[values.length >> 1];

function used() {
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Milliseconds of processor time and of the clock. */
async function measured(work) {
  const [before, startedAt] = [process.cpuUsage(), performance.now()];
  await work();
  const { user, system } = process.cpuUsage(before);
  return { cpu: (user + system) / 1000, wall: performance.now() - startedAt };
}

function build(size) {
  const recall = new RecallIndex();
  for (let from = 0; from < size; from += IN_A_CONVERSATION) {
    const messages = Array.from({ length: IN_A_CONVERSATION }, (_, at) => ({
      role: at % 2 === 1 ? 'assistant' : 'user',
      content: texts[(from + at) % texts.length],
      time: (from + at) * 1e6,
    }));
    recall.put(`conversation ${from}`, messages);
  }
  return recall;
}

function drawQuestion(random) {
  const words = texts[Math.floor(random() * texts.length)].split(/\s+/);
  const from = Math.floor(random() * Math.max(1, words.length - WORDS));
  return words.slice(from, from + WORDS).join(' ');
}

for (const size of wanted) {
  const before = used();
  let recall;
  const { cpu } = await measured(() => {
    recall = build(size);
  });
  const random = seeded(5);
  const ask = () => {
    const question = drawQuestion(random);
    return measured(() => recall.ask(question));
  };
  const first = await ask();
  const memory = used() - before;
  for (let asked = 1; asked < QUESTIONS; asked += 1) await ask(); // compiles the code
  const times = [];
  for (let asked = 0; asked < QUESTIONS; asked += 1) times.push(await ask());
  const of = (unit) => times.map((each) => each[unit]);
  const { passages, stems } = recall.stats();
  console.log(
    `${size} messages, ${passages} passages, ${stems} stems: built in ${(cpu / 1000).toFixed(1)} s of processor time, ` +
      `${Math.round(memory / 1e6)} MB; the first question ${first.cpu.toFixed(0)} ms of processor time, a later one ${median(of('cpu')).toFixed(0)} ms of processor time, ` +
      `${median(of('wall')).toFixed(0)} ms by the clock, at most ${Math.max(...of('wall')).toFixed(0)}`,
  );
}
