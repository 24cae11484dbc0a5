/**
 * How long a client waits: from the start of the process to the answer of `initialize`,
 * beside what Node alone takes to run nothing. `npm run build && node bench/start.mjs`
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const ROUNDS = 20;
const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
const root = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const params = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'bench', version: '1' },
};
const request = `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`;
const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

const alone = [];
const answered = [];
for (let round = 0; round < ROUNDS; round++) {
  const aloneAt = performance.now();
  execFileSync(process.execPath, ['-e', '0']);
  const startedAt = performance.now();
  alone.push(startedAt - aloneAt);
  const server = spawn(process.execPath, [MAIN, '--root', root], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  server.stdin.write(request);
  await once(server.stdout, 'data');
  answered.push(performance.now() - startedAt);
  server.stdin.end();
  await once(server, 'exit');
}
rmSync(root, { recursive: true, force: true });
console.log(`node alone:            ${Math.round(median(alone))} ms (median of ${ROUNDS})`);
console.log(`initialize answered:   ${Math.round(median(answered))} ms`);
