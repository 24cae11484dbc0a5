/**
 * Many HTTP clients of one built server: half of the calls write, the other half read in several ways.
 * Prints the time of the calls, the processor time of the server, and whether every write is in the store.
 * `npm run build && node bench/http.mjs [clients] [calls] [--stateless]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const flags = process.argv.slice(2).filter((word) => word.startsWith('--'));
const [clientCount = 50, callCount = 200] = process.argv
  .slice(2)
  .filter((word) => !word.startsWith('--'))
  .map(Number);
const SHARED = 10;
const folder = mkdtempSync(join(tmpdir(), 'daybook-http-'));
const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
const main = resolve(import.meta.dirname, '../dist/cli/main.js');
const args = [main, '--root', join(folder, 'root'), '--http', '--port', '0', ...flags];
const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
const url = await addressOf(server.stderr);
server.stderr.on('data', (text) => process.stderr.write(text));

/** The address that the server prints, after what it may say before. */
async function addressOf(output) {
  for (let text = ''; ; ) {
    const [part] = await once(output, 'data');
    text += part;
    const found = /http:\S+\/mcp/.exec(text);
    if (found !== null) return new URL(found[0]);
  }
}

/** Milliseconds of CPU, user and system, and megabytes resident. */
function usage() {
  const stat = readFileSync(`/proc/${server.pid}/stat`, 'utf8');
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  const status = readFileSync(`/proc/${server.pid}/status`, 'utf8');
  const residentMb = Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024;
  return { cpuMs: (Number(user) + Number(system)) * 10, residentMb };
}

async function connect() {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(url));
  return client;
}

const times = new Map();
let errors = 0;
async function timed(client, name, args) {
  const start = performance.now();
  const { isError, structuredContent } = await client.callTool({ name, arguments: args });
  if (isError) errors += 1;
  if (!times.has(name)) times.set(name, []);
  times.get(name).push(performance.now() - start);
  return structuredContent;
}

const readers = [
  (client, id) => timed(client, 'get_conversation', { conversationId: id, messageLimit: 5 }),
  (client) => timed(client, 'get_conversations', { limit: 10 }),
  (client) => timed(client, 'history_messages_recent', { limit: 10 }),
  (client) => timed(client, 'search_messages', { query: 'says', limit: 10 }),
];

async function work(client, n) {
  const id = `shared-${n % SHARED}`;
  for (let turn = 0; turn < callCount / 2; turn += 1) {
    const content = `client ${n} says ${turn}`;
    await timed(client, 'save_message', { conversationId: id, role: 'user', content });
    await readers[turn % readers.length](client, id);
  }
}

const idle = usage();
const clients = await Promise.all(Array.from({ length: clientCount }, connect));
const connected = usage();
const start = performance.now();
await Promise.all(clients.map(work));
const wallMs = performance.now() - start;
const worked = usage();

let messages = 0;
for (let n = 0; n < Math.min(SHARED, clientCount); n += 1) {
  const args = { conversationId: `shared-${n}`, messageLimit: 1 };
  const found = await clients[0].callTool({ name: 'get_conversation', arguments: args });
  messages += found.structuredContent.total;
}
const total = [...times.values()].flat().length;
const written = times.get('save_message').length;
const cpuMs = worked.cpuMs - connected.cpuMs;
console.log(`${clientCount} clients, ${total} calls, ${errors} errors, ${written - messages} lost`);
console.log(
  `${Math.round(total / (wallMs / 1000))} calls/s, ${(cpuMs / total).toFixed(2)} ms CPU a call, ` +
    `${(cpuMs / wallMs).toFixed(2)} cores; ` +
    `${((connected.residentMb - idle.residentMb) / clientCount).toFixed(2)} MB a client, ` +
    `${Math.round(worked.residentMb)} MB at the end`,
);
console.log('| call | number | p50 ms | p99 ms | most ms |\n|---|---|---|---|---|');
for (const [name, all] of [['all', [...times.values()].flat()], ...times]) {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
  const [p50, p99, most] = [at(0.5), at(0.99), at(1)].map((ms) => ms.toFixed(1));
  console.log(`| ${name} | ${sorted.length} | ${p50} | ${p99} | ${most} |`);
}

await Promise.all(clients.map((client) => client.close()));
server.kill('SIGTERM');
await once(server, 'exit');
rmSync(folder, { recursive: true });
process.exitCode = errors > 0 || written !== messages ? 1 : 0;
