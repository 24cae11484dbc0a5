/**
 * What encryption at rest costs. The same store, plain and encrypted: one more message, a start without a
 * cache, and queries. Both take turns in one run. The figures are processor time, and the ratio is that of
 * the medians. Goals: search at most 1.2×, append 1.5×, cold start 2×.
 *
 * `npm run build && node bench/encrypt.mjs [messages] [conversations]` (20000 1000). The output shows whether
 * the goals are reached, but the exit code is always 0, because a machine can be busy.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { convertEncryption } from '../dist/app/services/encryption.js';
import { createApp } from '../dist/app.js';
import { loadConfig } from '../dist/config/config.js';
import { naturalText } from './support/natural-text.mjs';

const STARTS = 7;
const TURNS = 60;
const SEARCH_ROUNDS = 15;
const FIRST_MS = Date.parse('2025-01-01T00:00:00Z');
const GOALS = { 'cold start': 2, append: 1.5, search: 1.2 };
/** Large ones cost more to seal and to open: each append reads and writes the whole file. */
const APPEND_TO = [10, 1_000];

function configOf(scratch, root, keyFile) {
  const env = { XDG_CACHE_HOME: join(scratch, 'cache'), DAYBOOK_INDEX_CACHE: '0' };
  if (keyFile) env.DAYBOOK_KEY_FILE = keyFile;
  const places = { cwd: root, home: scratch, knownToolsets: [], readFile: () => undefined };
  return loadConfig({ env, flags: { root }, ...places });
}

async function cpuOf(work) {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function conversation(n, texts) {
  const ms = FIRST_MS + n * 60_000;
  const createdAt = new Date(ms).toISOString();
  const conversationId = `${createdAt.slice(0, 10).replaceAll('-', '')}-${ms}`;
  const messages = texts.map((content, seq) => ({
    id: `${n}-${seq}`,
    role: seq % 2 === 0 ? 'user' : 'assistant',
    content,
    createdAt,
  }));
  const head = { conversationId, createdAt, updatedAt: createdAt, messageCount: texts.length };
  return { ...head, formatVersion: 1, title: `Conversation ${n}`, messages };
}

function writeStore(root, texts, conversations) {
  const each = Math.ceil(texts.length / conversations);
  const put = (document) => {
    const folder = join(root, 'conversation-logs', document.conversationId);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'conversation.json'), `${JSON.stringify(document, null, 2)}\n`);
    return document.conversationId;
  };
  for (let n = 0; n < conversations; n += 1) {
    put(conversation(n, texts.slice(n * each, (n + 1) * each)));
  }
  return APPEND_TO.map((count, at) =>
    put(
      conversation(
        conversations + at,
        Array.from({ length: count }, (_, n) => texts[n % texts.length]),
      ),
    ),
  );
}

/** In a process of its own: what it takes until everything can be searched. */
async function start(scratch, root, keyFile) {
  const cpuMs = await cpuOf(async () => {
    const app = await createApp(configOf(scratch, root, keyFile));
    app.start();
    await app.search.built();
    await app.search.search(queryOf('the'));
    await app.close();
  });
  console.log(JSON.stringify({ cpuMs }));
}

const queryOf = (query) => ({ query, matchType: 'auto', filters: {}, limit: 20, offset: 0 });
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const rows = [];

/** Each side in turn, so that neither always finds the machine as the other left it. */
async function inTurn(what, turns, sides) {
  const samples = { plain: [], sealed: [] };
  for (let turn = -2; turn < turns; turn += 1) {
    const order = turn % 2 === 0 ? ['plain', 'sealed'] : ['sealed', 'plain'];
    for (const side of order) {
      const cpuMs = await sides[side](turn);
      if (turn >= 0) samples[side].push(cpuMs);
    }
  }
  const [plain, sealed] = [median(samples.plain), median(samples.sealed)];
  const goal = GOALS[Object.keys(GOALS).find((name) => what.startsWith(name))];
  const ratio = sealed / plain;
  const shown = [plain, sealed].map((ms) => ms.toFixed(ms < 10 ? 2 : 0));
  const verdict = ratio <= goal ? 'met' : 'missed';
  rows.push(
    `| ${what} | ${shown[0]} | ${shown[1]} | ${ratio.toFixed(2)}× | ${goal}× | ${verdict} |`,
  );
}

function wordsOf(texts) {
  const counts = new Map();
  for (const text of texts) {
    for (const word of new Set(text.toLowerCase().match(/[a-z]{4,}/g) ?? [])) {
      counts.set(word, (counts.get(word) ?? 0) + 1);
    }
  }
  const sorted = [...counts].sort((a, b) => b[1] - a[1]).map(([word]) => word);
  return { common: sorted.slice(20, 60), middling: sorted.slice(1_000, 1_040) };
}

async function run(messageCount, conversations) {
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-encrypt-'));
  try {
    const roots = { plain: join(scratch, 'plain'), sealed: join(scratch, 'sealed') };
    const keyFile = join(scratch, 'key');
    writeFileSync(keyFile, 'a1'.repeat(32), { mode: 0o600 });
    const { messages: texts } = naturalText(messageCount);
    const appendTo = writeStore(roots.plain, texts, conversations);
    cpSync(roots.plain, roots.sealed, { recursive: true });
    await convertEncryption(configOf(scratch, roots.sealed), { keyFile }, () => undefined);
    const keys = { plain: '', sealed: keyFile };
    const eachSide = (work) => ({ plain: work('plain'), sealed: work('sealed') });
    const starting = (side) => () => {
      const args = [fileURLToPath(import.meta.url), '--start', scratch, roots[side], keys[side]];
      return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })).cpuMs;
    };
    await inTurn('cold start', STARTS, eachSide(starting));
    const open = (side) => createApp(configOf(scratch, roots[side], keys[side]));
    const apps = { plain: await open('plain'), sealed: await open('sealed') };
    for (const [at, count] of APPEND_TO.entries()) {
      const appending = (side) => (turn) =>
        cpuOf(() =>
          apps[side].conversations.append(appendTo[at], [
            { role: 'user', content: texts[(turn + 2) % texts.length] },
          ]),
        );
      await inTurn(`append to ${count} messages`, TURNS, eachSide(appending));
    }
    for (const app of Object.values(apps)) {
      app.start();
      await app.search.built();
    }
    for (const [kind, words] of Object.entries(wordsOf(texts))) {
      const searching = (side) => () =>
        cpuOf(async () => {
          for (const word of words) await apps[side].search.search(queryOf(word));
        });
      await inTurn(`search, ${words.length} ${kind} words`, SEARCH_ROUNDS, eachSide(searching));
    }
    for (const app of Object.values(apps)) await app.close();
    console.log(`${texts.length} messages in ${conversations} conversations; processor time\n`);
    console.log('| | in the clear, ms | encrypted, ms | | goal | |\n|---|---|---|---|---|---|');
    console.log(rows.join('\n'));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--start') await start(...rest);
else await run(Number(first ?? 20_000), Number(rest[0] ?? 1_000));
