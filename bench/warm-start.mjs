/**
 * What the index cache saves: the time from opening a store to the complete, searchable index, built from the
 * files (cold), or loaded from the cache, with every entry compared with its file (warm). Each start is its own
 * process. Both take turns, and the median of several starts is printed. The first search comes at once; in one
 * more start, of a server, it comes after some seconds without a call. Build first:
 * npm run build && node bench/warm-start.mjs [messages] [conversations] [rounds] (100000 5000 5).
 *
 * A message has about 80 of 60 000 invented words, with the frequencies of Zipf's law, from a fixed seed. The
 * files are in the page cache in both cases.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { seeded } from './support/natural-text.mjs';

const WORDS_A_MESSAGE = 80;
const VOCABULARY = 60_000;
const IDLE_MS = 4_000;
const FIRST_MS = Date.parse('2025-01-01T00:00:00Z');

function writeStore(logsFolder, messageCount, conversationCount) {
  const random = seeded(7);
  const syllables = ['ka', 'lo', 'mi', 'ren', 'tas', 'u', 'vel', 'or', 'shi', 'on', 'da', 'pe'];
  const wordOf = (n) => {
    let word = '';
    for (let rest = n + 12; rest > 0; rest = Math.floor(rest / 12)) word += syllables[rest % 12];
    return word;
  };
  const words = Array.from({ length: VOCABULARY }, (_, n) => wordOf(n));
  const text = () =>
    Array.from(
      { length: WORDS_A_MESSAGE },
      () => words[Math.floor(VOCABULARY ** random()) - 1],
    ).join(' ');
  const each = Math.ceil(messageCount / conversationCount);
  for (let made = 0, n = 0; made < messageCount; n += 1) {
    const ms = FIRST_MS + n * 60_000;
    const createdAt = new Date(ms).toISOString();
    const id = `${createdAt.slice(0, 10).replaceAll('-', '')}-${ms}`;
    const messages = Array.from({ length: Math.min(each, messageCount - made) }, (_, seq) => ({
      id: `${n}-${seq}`,
      role: seq % 2 === 0 ? 'user' : 'assistant',
      content: text(),
      createdAt,
    }));
    made += messages.length;
    const head = { conversationId: id, createdAt, updatedAt: createdAt };
    mkdirSync(join(logsFolder, id), { recursive: true });
    writeFileSync(
      join(logsFolder, id, 'conversation.json'),
      `${JSON.stringify({ ...head, messageCount: messages.length, title: `Conversation ${n}`, messages }, null, 2)}\n`,
    );
  }
}

/** In a process of its own: one start, one search, a save if the cache is missing; figures as JSON. */
async function start(logsFolder, cachePath, mode) {
  const { openConversationStore } = await import('../dist/stores/conversations/conversations.js');
  const { KeywordSearch } = await import('../dist/search/messages/keyword-search.js');
  const { systemClock } = await import('../dist/base/clock.js');
  const { silentLog } = await import('../dist/base/log.js');
  const [cpu, wall] = [process.cpuUsage(), performance.now()];
  const store = await openConversationStore({ logsFolder, maxMessages: 10_000, fsync: false });
  const clock = systemClock;
  const search = new KeywordSearch({ store, cachePath, clock, log: silentLog });
  const stalls = monitorEventLoopDelay({ resolution: 10 });
  stalls.enable();
  search.start(mode);
  const request = { query: 'kalo', matchType: 'auto', filters: {}, limit: 20, offset: 0 };
  await search.built();
  const wallMs = performance.now() - wall;
  const { user, system } = process.cpuUsage(cpu);
  if (mode === 'live') await delay(IDLE_MS);
  const searchedAt = performance.now();
  const found = await search.search(request);
  const firstSearchMs = performance.now() - searchedAt;
  const stallMs = stalls.max / 1e6;
  stalls.reset();
  const savedAt = performance.now();
  await delay(20);
  await search.close();
  const saveMs = performance.now() - savedAt - 20;
  const saveStallMs = stalls.max / 1e6;
  await store.close();
  const { messages } = search.status();
  const rssMb = process.memoryUsage().rss / 2 ** 20;
  const peakMb = process.resourceUsage().maxRSS / 2 ** 10;
  const cpuMs = (user + system) / 1000;
  const facts = {
    messages,
    total: found.total,
    wallMs,
    cpuMs,
    firstSearchMs,
    stallMs,
    rssMb,
    peakMb,
  };
  console.log(JSON.stringify({ ...facts, saveMs, saveStallMs }));
}

const sizeOf = (folder) =>
  readdirSync(folder).reduce(
    (sum, name) => sum + statSync(join(folder, name, 'conversation.json')).size,
    0,
  );

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function measure(messageCount, conversationCount, roundCount) {
  const scratch = mkdtempSync(join(tmpdir(), 'daybook-warm-'));
  try {
    const logsFolder = join(scratch, 'logs');
    const cachePath = join(scratch, 'cache', 'index.bin');
    writeStore(logsFolder, messageCount, conversationCount);
    const storeMb = sizeOf(logsFolder) / 2 ** 20;
    const run = (path, mode = 'once') => {
      const args = [fileURLToPath(import.meta.url), '--start', logsFolder, path, mode];
      return JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' }));
    };
    const rounds = [];
    for (let round = 0; round < roundCount; round += 1) {
      rmSync(cachePath, { force: true });
      const cold = run(cachePath);
      rounds.push({ cold, warm: run(cachePath), server: run(cachePath, 'live') });
    }
    const cacheMb = (statSync(cachePath, { throwIfNoEntry: false })?.size ?? 0) / 2 ** 20;
    return { rounds, storeMb, cacheMb };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function report(messageCount, conversationCount, roundCount) {
  const { rounds, storeMb, cacheMb } = measure(messageCount, conversationCount, roundCount);
  const of = (kind, name) => median(rounds.map((round) => round[kind][name]));
  const rows = [
    ['wall', 'wallMs', 'ms'],
    ['CPU', 'cpuMs', 'ms'],
    ['first search, a word nearly everywhere', 'firstSearchMs', 'ms'],
    ['longest stall', 'stallMs', 'ms'],
    ['memory at the end', 'rssMb', 'MB'],
    ['memory at the most', 'peakMb', 'MB'],
  ];
  const [{ cold, warm }] = rounds;
  console.log(
    `${messageCount} messages in ${conversationCount} conversations (${storeMb.toFixed(0)} MB of JSON), median of ${roundCount}`,
  );
  console.log(`found by the search: ${cold.total} cold, ${warm.total} warm\n`);
  console.log('|  | cold | warm | cold / warm |\n|---|---|---|---|');
  for (const [name, key, unit] of rows) {
    const [a, b] = [of('cold', key), of('warm', key)];
    console.log(
      `| ${name} | ${a.toFixed(0)} ${unit} | ${b.toFixed(0)} ${unit} | ${(a / b).toFixed(1)} |`,
    );
  }
  console.log(
    `\nfirst search of a server ${IDLE_MS / 1000} s after a warm start: ${of('server', 'firstSearchMs').toFixed(0)} ms`,
  );
  const [saveMs, stallMs] = [of('cold', 'saveMs'), of('cold', 'saveStallMs')];
  console.log(
    `\nsaving the cache (${cacheMb.toFixed(0)} MB): ${saveMs.toFixed(0)} ms, longest stall ${stallMs.toFixed(0)} ms`,
  );
}

const [first, ...others] = process.argv.slice(2);
if (first === '--start') await start(...others);
else report(Number(first ?? 100_000), Number(others[0] ?? 5_000), Number(others[1] ?? 5));
