/**
 * What one more message costs. Appends to conversations of 10, 1 000 and 10 000 messages (about 500 bytes
 * each), with and without fsync, compared with the minimum: the same bytes to a temporary file, fsync,
 * rename, fsync of the folder. Both take turns in one run on the same disk. Also compares 1 000 appends at
 * once to a conversation of 1 000 messages with 1 000 appends one after the other.
 *
 * `npm run build && node bench/append.mjs`; with `DAYBOOK_SOAK=5` each takes five times as many turns. The
 * output shows whether the goals are reached, but the exit code is always 0, because a machine can be busy.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConversationStore } from '../dist/stores/conversations/conversations.js';
import { replaceFloor } from './support/replace-floor.mjs';

const SIZES = [10, 1_000, 10_000];
const TURNS = 60 * Number(process.env.DAYBOOK_SOAK ?? 1);
const TEXT = 'The quick brown fox jumps over the lazy dog. '.repeat(8); // with id and times: 500 bytes
const BAR_RATIO = 1.5;
const BAR_EXTRA_MS = 1.5;
const GROUP = 1_000;
const ONE_BY_ONE = 200;
const GROUP_BAR = 50;
const MAX_MESSAGES = 1e6;

const root = mkdtempSync(join(tmpdir(), 'daybook-bench-'));

function message(index) {
  return { role: index % 2 === 0 ? 'user' : 'assistant', content: `${index} ${TEXT}` };
}

async function conversationOf(count, isSynced, name) {
  const logsFolder = join(root, name);
  mkdirSync(logsFolder, { recursive: true });
  const store = await openConversationStore({
    logsFolder,
    maxMessages: MAX_MESSAGES,
    fsync: isSynced,
  });
  const messages = Array.from({ length: count }, (_, index) => message(index));
  const { conversationId: id } = await store.create({ messages });
  return { store, id, path: join(logsFolder, id, 'conversation.json') };
}

async function timed(work) {
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { ms, cpuMs: (user + system) / 1000 };
}

function at(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function summary(samples) {
  const ms = samples.map((sample) => sample.ms);
  const cpuMs = at(
    samples.map((sample) => sample.cpuMs),
    0.5,
  );
  return { median: at(ms, 0.5), p90: at(ms, 0.9), cpuMs };
}

async function compare(count, isSynced) {
  const { store, id, path } = await conversationOf(count, isSynced, `${count}-${isSynced}`);
  const folder = join(root, `floor-${count}-${isSynced}`);
  mkdirSync(folder);
  const samples = { store: [], floor: [] };
  for (let turn = -5; turn < TURNS; turn += 1) {
    const bytes = readFileSync(path);
    const runs = {
      store: () => store.append(id, [message(turn)]),
      floor: () => replaceFloor(folder, bytes, isSynced),
    };
    // Whoever comes second would always find the disk busy with the other's work.
    const order = turn % 2 === 0 ? ['store', 'floor'] : ['floor', 'store'];
    for (const who of order) {
      const sample = await timed(runs[who]);
      if (turn >= 0) samples[who].push(sample);
    }
  }
  await store.close();
  return { store: summary(samples.store), floor: summary(samples.floor) };
}

/** Both from a fresh conversation; one by one is timed on fewer and scaled, which favours it. */
async function groupAgainstOneByOne() {
  const one = await conversationOf(1_000, true, 'one-by-one');
  const each = await timed(async () => {
    for (let index = 0; index < ONE_BY_ONE; index += 1) {
      await one.store.append(one.id, [message(index)]);
    }
  });
  const group = await conversationOf(1_000, true, 'group');
  await group.store.append(group.id, [message(0)]); // in memory, as the other is
  const together = await timed(() =>
    Promise.all(
      Array.from({ length: GROUP }, (_, index) => group.store.append(group.id, [message(index)])),
    ),
  );
  const { messageCount } = await group.store.load(group.id);
  if (messageCount !== 1_001 + GROUP) throw new Error(`${messageCount} messages are there`);
  return { oneByOneMs: (each.ms / ONE_BY_ONE) * GROUP, togetherMs: together.ms };
}

const cell = (value, width = 8) => value.toFixed(2).padStart(width);
const judged = (isMet) => (isMet ? 'pass' : 'FAIL');

try {
  writeFileSync(join(root, 'warm'), 'up');
  console.log(`${TURNS} turns each; milliseconds; bar: floor × ${BAR_RATIO} + ${BAR_EXTRA_MS} ms`);
  console.log('messages  fsync    store      p90      cpu    floor      p90      cpu  ratio   bar');
  for (const isSynced of [true, false]) {
    for (const count of SIZES) {
      const { store, floor } = await compare(count, isSynced);
      const isMet = store.median <= floor.median * BAR_RATIO + BAR_EXTRA_MS;
      console.log(
        `${String(count).padStart(8)}  ${isSynced ? ' yes' : '  no'}  ` +
          `${cell(store.median, 7)} ${cell(store.p90)} ${cell(store.cpuMs)} ` +
          `${cell(floor.median)} ${cell(floor.p90)} ${cell(floor.cpuMs)} ` +
          `${cell(store.median / floor.median, 6)}   ${judged(isMet)}`,
      );
    }
  }
  const { oneByOneMs, togetherMs } = await groupAgainstOneByOne();
  const ratio = oneByOneMs / togetherMs;
  console.log(
    `${GROUP} appends to 1000 messages: one by one ${oneByOneMs.toFixed(0)} ms, ` +
      `at once ${togetherMs.toFixed(1)} ms: ${ratio.toFixed(0)}× faster; ` +
      `bar ${GROUP_BAR}×: ${judged(ratio >= GROUP_BAR)}`,
  );
} finally {
  rmSync(root, { recursive: true, force: true });
}
