/**
 * A server that runs while 100 000 messages are imported into its root: how long `initialize` and a search
 * take during the import, and the time from the end of the import until the server finds the last message.
 * `npm run build && node bench/import-live.mjs [conversations of twenty messages]`; 5000 by default.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const [conversations = 5_000] = process.argv.slice(2).map(Number);
const LIMIT_MS = 500;
const PAUSE_MS = 50;
const LONGEST_WAIT_MS = 60_000;
const WORDS = 'garden shed larch plank door window roof nail hammer paint rain sun tree'.split(' ');
const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
const folder = mkdtempSync(join(tmpdir(), 'daybook-import-live-'));
const env = { ...process.env, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder, HOME: folder };
const root = join(folder, 'root');
const pause = (ms) => new Promise((wake) => setTimeout(wake, ms));

function exportedConversation(index) {
  const messages = Array.from({ length: 20 }, (_, at) => ({
    role: at % 2 === 0 ? 'user' : 'assistant',
    content: Array.from(
      { length: 60 },
      (_, word) => `${WORDS[(word * at + index) % WORDS.length]}${(index + word) % 997}`,
    ).join(' '),
  }));
  messages[19].content += ` last${index}end`;
  return { id: `live-${index}`, createdAt: 1.6e9 + index * 60, messages };
}

async function startServer() {
  const args = [MAIN, '--root', root, '--http', '--port', '0'];
  const server = spawn(process.execPath, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  for await (const chunk of server.stderr) {
    said += chunk;
    const address = /http:\S+/.exec(said);
    if (address !== null) {
      server.stderr.resume();
      return { server, url: new URL(address[0]) };
    }
  }
  throw new Error(`the server ended: ${said}`);
}

const server = await startServer();
const connect = async () => {
  const client = new Client({ name: 'bench', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(server.url));
  return client;
};

async function hitsOf(client, query) {
  const { structuredContent } = await client.callTool({
    name: 'search_messages',
    arguments: { query, limit: 5, mode: 'keyword' },
  });
  return structuredContent.results?.length ?? 0;
}

const times = { initialize: [], search: [] };
async function timed(kind, work) {
  const start = performance.now();
  const result = await work();
  times[kind].push(performance.now() - start);
  return result;
}

function print(kind) {
  const sorted = times[kind].sort((a, b) => a - b);
  const at = (share) =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]);
  const late = sorted.filter((ms) => ms > LIMIT_MS).length;
  console.log(
    `${kind}: ${sorted.length} times, median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms, over ${LIMIT_MS} ms: ${late}`,
  );
}

try {
  const path = join(folder, 'export.jsonl');
  writeFileSync(
    path,
    Array.from({ length: conversations }, (_, index) =>
      JSON.stringify(exportedConversation(index)),
    ).join('\n'),
  );
  const asker = await connect();
  await hitsOf(asker, 'garden0');
  const started = performance.now();
  const importing = spawn(process.execPath, [MAIN, '--root', root, 'import', path, '--yes'], {
    env,
    stdio: 'ignore',
  });
  let isRunning = true;
  const ended = once(importing, 'close').then(() => (isRunning = false));
  while (isRunning) {
    const client = await timed('initialize', connect);
    await timed('search', () => hitsOf(client, `larch${times.search.length % 997}`));
    await client.transport.terminateSession();
    await client.close();
    await pause(PAUSE_MS);
  }
  await ended;
  const importMs = performance.now() - started;
  const query = `last${conversations - 1}end`;
  const waited = performance.now();
  while ((await hitsOf(asker, query)) === 0 && performance.now() - waited < LONGEST_WAIT_MS)
    await pause(20);
  console.log(
    `${conversations * 20} messages imported in ${(importMs / 1000).toFixed(1)} s; the last one was found ${Math.round(performance.now() - waited)} ms after the import ended`,
  );
  print('initialize');
  print('search');
  await asker.close();
} finally {
  server.server.kill('SIGTERM');
  await once(server.server, 'close');
  rmSync(folder, { recursive: true, force: true });
}
