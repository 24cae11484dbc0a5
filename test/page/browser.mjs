/**
 * A headless Chromium on the page of a store: the system's own browser, driven by playwright-core.
 * Nothing is downloaded; `apt-get install chromium` brings one.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { chromium } from 'playwright-core';

const MAIN = resolve(import.meta.dirname, '../../dist/cli/main.js');
const BROWSERS = [
  process.env['DAYBOOK_TEST_BROWSER'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** For what the page shall show: the 30 s of playwright are short on a loaded machine. */
export const MAX_WAIT_MS = 120_000;

/** Debian's start script reads the size of the memory from the shell; the flags keep it off the network. */
export async function launch() {
  const executablePath = BROWSERS.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    throw new Error('No browser was found: install chromium, or name one in DAYBOOK_TEST_BROWSER.');
  }
  const args = ['--no-sandbox', '--disable-quic', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args: [...args, '--disable-background-networking'] });
}

/** A folder for a root and the settings of a user, removed by `remove`. */
export function newPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-page-'));
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { root: join(folder, 'root'), env: { ...env, DAYBOOK_FSYNC: '0', TZ: 'UTC' }, remove };
}

/** Runs a command to its end; its standard output. */
export function run({ root, env }, args) {
  return new Promise((done, failed) => {
    const child = spawn(process.execPath, [MAIN, '--root', root, ...args], { env });
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    child.on('close', (code) => (code === 0 ? done(output) : failed(new Error(errors))));
  });
}

/** `daybook open --print`: the link, and how to end it. */
export async function servePage({ root, env }, port = '0') {
  const args = [MAIN, '--root', root, 'open', '--print', '--port', port];
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise((done) => child.on('exit', done));
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const link = await new Promise((done, failed) => {
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('\n')) done(output.trim());
    });
    void exited.then(() => failed(new Error(`the page is not served: ${errors}`)));
  });
  const stop = () => {
    child.kill('SIGTERM');
    return exited;
  };
  const signal = (name) => child.kill(name);
  return { link, origin: new URL(link).origin, port: new URL(link).port, signal, stop };
}
