/**
 * What a start costs, compared with a start of Node alone: from the start of the process to the answers of
 * `initialize` and of `tools/list`, and whole commands on a small store. All take turns. Prints the medians of
 * the processor time (Linux) and of the wall time. Other builds are measured too if their `main.js` are given:
 * `npm run build && node bench/start.mjs [main.js …]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';

const ROUNDS = 9;
const MAINS = [resolve(import.meta.dirname, '../dist/cli/main.js'), ...process.argv.slice(2)];
const folder = mkdtempSync(join(tmpdir(), 'daybook-start-'));
const root = join(folder, 'root');
mkdirSync(root);
const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, NO_COLOR: '1' };
/** Of a process that ends by itself: it writes what it used. */
const USAGE = `data:text/javascript,import { writeSync } from 'node:fs';
process.on('exit', () => { const { user, system } = process.cpuUsage(); writeSync(3, String((user + system) / 1000)); });`;

const request = (id, method, params) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
const INITIALIZE = request(1, 'initialize', {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
});
const LIST = `${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n${request(2, 'tools/list', {})}`;

/** Milliseconds of processor time of all threads of a running process so far. */
function cpuOf(pid) {
  const of = (thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0];
  return readdirSync(`/proc/${pid}/task`).reduce(
    (sum, thread) => sum + Number(of(thread)) / 1e6,
    0,
  );
}

/** A server that is asked in turn, and what it had used when each answer came. */
async function server(main) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [main, '--root', root, '--toolsets', 'all'], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env,
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    output += part;
  });
  const answers = [];
  for (const lines of [INITIALIZE, LIST]) {
    child.stdin.write(lines);
    const id = `"id":${answers.length + 1}`;
    while (!(output.includes(id) && output.endsWith('\n'))) await once(child.stdout, 'data');
    answers.push({ cpu: cpuOf(child.pid), wall: performance.now() - startedAt });
  }
  child.stdin.end();
  await once(child, 'exit');
  return answers;
}

async function command(...args) {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', USAGE, ...args], {
    stdio: ['ignore', 'ignore', 'inherit', 'pipe'],
    env,
  });
  const [cpu] = await Promise.all([text(child.stdio[3]), once(child, 'exit')]);
  return { cpu: Number(cpu), wall: performance.now() - startedAt };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1];
const samples = new Map();
const add = (what, who, sample) => {
  const rows = samples.get(what) ?? samples.set(what, new Map()).get(what);
  if (!rows.has(who)) rows.set(who, []);
  rows.get(who).push(sample);
};

await command(MAINS[0], '--root', root, 'save', 'user', 'A first message');
const bare = [];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(await command('--eval', '0'));
  for (const main of MAINS) {
    const [initialize, tools] = await server(main);
    add('`initialize` answered', main, initialize);
    add('`tools/list` answered', main, tools);
    add('`daybook --version`', main, await command(main, '--version'));
    add('`daybook list`', main, await command(main, '--root', root, 'list'));
  }
}
rmSync(folder, { recursive: true, force: true });

const cpu = (list) => median(list.map((each) => each.cpu));
const wall = (list) => median(list.map((each) => each.wall));
console.log(`bare Node: ${cpu(bare).toFixed(0)} ms CPU, ${wall(bare).toFixed(0)} ms wall`);
for (const main of MAINS) {
  console.log(`\n${main}\n| | CPU ms | × bare Node | wall ms |\n|---|---|---|---|`);
  for (const [what, rows] of samples) {
    const list = rows.get(main);
    const ratio = median(list.map((each, round) => each.cpu / bare[round].cpu));
    console.log(
      `| ${what} | ${cpu(list).toFixed(0)} | ${ratio.toFixed(1)} | ${wall(list).toFixed(0)} |`,
    );
  }
}
