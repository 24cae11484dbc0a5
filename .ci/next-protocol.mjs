/**
 * Tests the built server with the newest official tools: the conformance suite and the Inspector of the
 * revision 2026-07-28. They need Node 22, so `.ci/run` starts this file on Node 24; npx installs exact
 * versions. The other scenarios of the suite need fixtures of the suite, which Daybook does not have.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const CONFORMANCE = '@modelcontextprotocol/conformance@0.2.0-alpha.12';
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0';
const VERSION = '2026-07-28';
const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
const run = promisify(execFile);

/** Scenarios that a server can satisfy without fixtures, and how many checks each must pass. */
const SCENARIOS = {
  'server-stateless': 24,
  'tools-list': 4,
  'server-sse-multiple-streams': 1,
  'resources-list': 2,
  'sep-2164-resource-not-found': 4,
  'prompts-list': 2,
  'dns-rebinding-protection': 2,
  caching: 7,
  'http-header-validation': 14,
};

async function checkConformance(url, folder) {
  const options = ['--url', url, '--spec-version', VERSION, '--suite', 'all', '-o', folder];
  // The suite ends with 1, because some scenarios have no fixtures. Its files show which checks failed.
  const command = ['--yes', '-p', CONFORMANCE, '--', 'conformance', 'server', ...options];
  await run('npx', command).catch(() => undefined);
  const results = await readdir(folder);
  for (const [scenario, expected] of Object.entries(SCENARIOS)) {
    const name = results.find((each) =>
      each.startsWith(`server-${scenario}-${new Date().getUTCFullYear()}`),
    );
    if (name === undefined) throw new Error(`${scenario} did not run`);
    const checks = JSON.parse(await readFile(join(folder, name, 'checks.json'), 'utf8'));
    const passed = checks.filter(({ status }) => status === 'SUCCESS').length;
    const failed = checks.filter(
      ({ status, errorMessage }) =>
        status === 'FAILURE' && !String(errorMessage).startsWith('Not testable'),
    );
    process.stdout.write(`${scenario}: ${passed} passed, ${failed.length} failed\n`);
    if (failed.length > 0) throw new Error(JSON.stringify(failed, null, 2));
    if (passed < expected) throw new Error(`${scenario}: only ${passed} of ${expected} passed`);
  }
}

async function checkInspector(folder) {
  const server = [process.execPath, MAIN, '--root', join(folder, 'root')];
  const command = ['--yes', '-p', INSPECTOR, '--', 'mcp-inspector', '--cli', ...server];
  const { stdout } = await run('npx', [...command, '--method', 'tools/list']);
  const { tools } = JSON.parse(stdout);
  if (!tools.some(({ name }) => name === 'save_message')) throw new Error('no tools are listed');
  process.stdout.write(`${INSPECTOR}: ${tools.length} tools\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'daybook-ci-'));
const args = [MAIN, '--root', join(folder, 'root'), '--http', '--port', '0'];
const server = spawn(process.execPath, args);
let log = '';
server.stderr.on('data', (chunk) => {
  log += String(chunk);
});
try {
  while (!/ at (http\S+)\n/.test(log)) {
    if (server.exitCode !== null) throw new Error(log);
    await Promise.race([once(server.stderr, 'data'), once(server, 'exit')]);
  }
  await checkConformance(/ at (http\S+)\n/.exec(log)[1], await mkdtemp(join(folder, 'results-')));
  await checkInspector(folder);
} finally {
  server.kill('SIGTERM');
  if (server.exitCode === null) await once(server, 'exit');
  await rm(folder, { recursive: true, force: true });
}
