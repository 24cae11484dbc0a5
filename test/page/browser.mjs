/**
 * Opens the page of a store in a headless Chromium with playwright-core. It uses the browser of the system
 * (`apt-get install chromium` installs one) and downloads nothing.
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

/** How long a test waits for an element. The 30 s of playwright are too short on a busy machine. */
export const MAX_WAIT_MS = 120_000;

/** The start script of Debian reads the size of the memory. The flags prevent requests to the network. */
export async function launch() {
  const executablePath = BROWSERS.find((path) => path !== undefined && existsSync(path));
  if (executablePath === undefined) {
    throw new Error('No browser was found: install chromium, or name one in DAYBOOK_TEST_BROWSER.');
  }
  const args = ['--no-sandbox', '--disable-quic', '--disable-component-update', '--disable-sync'];
  return chromium.launch({ executablePath, args: [...args, '--disable-background-networking'] });
}

/** Makes a folder with a root and the settings of a user; `remove` removes it. */
export function newPlace() {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-page-'));
  const env = { ...process.env, HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder };
  const remove = () => rmSync(folder, { recursive: true, force: true });
  return { root: join(folder, 'root'), env: { ...env, DAYBOOK_FSYNC: '0', TZ: 'UTC' }, remove };
}

/** Runs a command to its end. Returns its standard output. */
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

/** Runs `daybook open --print`. Returns the link, and a function that ends the server. */
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
