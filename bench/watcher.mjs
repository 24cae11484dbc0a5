/**
 * What watching 10 000 conversation folders costs, and how long it takes until a change is noticed.
 * Run: npm run build && node --expose-gc bench/watcher.mjs [folders]
 */
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { silentLog } from '../dist/base/log.js';
import { Watcher } from '../dist/files/watcher/watcher.js';

const FOLDERS = Number(process.argv[2] ?? 10_000);
const ROUNDS = 12;
const folderName = (i) => `20250124-${1_706_000_000_000 + i}`;
const megabytes = async () => {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await delay(20);
  }
  return process.memoryUsage().rss / 1e6;
};
const cpuMs = (since) => {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
};
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const ms = (value) => `${value.toFixed(value < 100 ? 1 : 0)} ms`;
/** The longest time that nothing else could run, by a monitor that costs CPU itself. */
const holdMs = async (work) => {
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  await work();
  await delay(10);
  loop.disable();
  return `, event loop held ${ms(loop.max / 1e6)} at most`;
};
const say = (what, value) => console.log(`${what.padEnd(58)} ${value}`);

const root = mkdtempSync(join(tmpdir(), 'daybook-bench-watcher-'));
for (let i = 0; i < FOLDERS; i++) {
  mkdirSync(join(root, folderName(i)));
  writeFileSync(join(root, folderName(i), 'conversation.json'), `{"n":${i}}\n`);
}
await delay(3500);

const open = (options) => {
  const heard = new Map();
  const watcher = new Watcher({
    root,
    match: (path) => path.endsWith('/conversation.json'),
    onlyFiles: (folder) => (folder === '' ? undefined : ['conversation.json']),
    log: silentLog,
    onChange: (changes) => {
      for (const { path } of changes) heard.get(path)?.();
    },
    ...options,
  });
  return { watcher, heard };
};

async function latency({ heard }, indexes) {
  const times = [];
  for (const i of indexes) {
    const path = `${folderName(i)}/conversation.json`;
    const told = new Promise((resolve) => heard.set(path, resolve));
    const startedAt = performance.now();
    writeFileSync(join(root, folderName(i), '.tmp-bench'), `{"edited":${Math.trunc(startedAt)}}\n`);
    renameSync(join(root, folderName(i), '.tmp-bench'), join(root, path));
    await told;
    times.push(performance.now() - startedAt);
    heard.delete(path);
  }
  return `median ${median(times).toFixed(0)} ms, slowest ${Math.max(...times).toFixed(0)} ms`;
}

console.log(`${FOLDERS} conversation folders, Node ${process.version}, ${process.platform}\n`);
const before = await megabytes();

// Scanning first, so that its memory does not sit on chokidar's.
let startedAt = performance.now();
const scanning = open({ usePolling: true });
const firstHold = await holdMs(() => scanning.watcher.ready);
say('first look: snapshot complete after', `${ms(performance.now() - startedAt)}${firstHold}`);
startedAt = performance.now();
const files = scanning.watcher.snapshot().size;
say('snapshot()', `${ms(performance.now() - startedAt)}, ${files} files`);
const scanned = await megabytes();
say('memory of the view, not watching', `+${(scanned - before).toFixed(1)} MB`);
const few = Array.from({ length: 6 }, (_, i) => FOLDERS - 1 - i * 37);
say('edit to report, scanning, recent folders', await latency(scanning, few));
await scanning.watcher.close();

startedAt = performance.now();
const watching = open();
const isOpen = () => watching.watcher.status().watchedFolders > Math.min(1000, FOLDERS - 1);
const openHold = await holdMs(async () => {
  while (!isOpen()) await delay(5);
});
say('first look and 1001 watches open after', `${ms(performance.now() - startedAt)}${openHold}`);
await delay(500);
say('memory, watching more than not', `+${((await megabytes()) - scanned).toFixed(1)} MB`);

const passes = [];
const passHold = await holdMs(async () => {
  for (let i = 0; i < ROUNDS; i++) {
    await watching.watcher.reconcile();
    passes.push(watching.watcher.status().lastReconcile);
  }
});
const busy = passes.map((pass) => pass.busyMs);
const elapsed = passes.map((pass) => pass.elapsedMs);
say('a full pass, CPU (least, median)', `${ms(Math.min(...busy))}, ${ms(median(busy))}`);
say('a full pass, begin to end, median', `${ms(median(elapsed))}${passHold}`);
const since = process.cpuUsage();
await delay(12_600);
say('CPU while nothing happens', `${(cpuMs(since) / 126).toFixed(2)} %`);
const hot = Array.from({ length: ROUNDS }, (_, i) => FOLDERS - 1 - i * 61);
say('edit to report, watched folders', await latency(watching, hot));
const cold = Array.from({ length: 5 }, (_, i) => 3 + i * 11);
say('edit to report, cold folders', await latency(watching, cold));
say('edit to report, the same folders again', await latency(watching, cold));
startedAt = performance.now();
await watching.watcher.close();
say('close()', ms(performance.now() - startedAt));
rmSync(root, { recursive: true });
