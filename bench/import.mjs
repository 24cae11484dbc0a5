/**
 * The speed and the memory of imports: a ChatGPT export, a Codex session whose history is repeated by
 * compactions, and many small conversations, compared with the minimum that the disk needs for them
 * (support/folders-floor.mjs). With a C compiler, the small conversations are also imported as on a slower
 * disk, whose fsync takes 1 or 3 ms longer.
 *
 * `npm run build && node bench/import.mjs [megabytes of the export] [of the session] [small conversations]`:
 * 1000, 5000 and 100000 are the sizes in docs/BENCHMARKS.md, and the defaults are a tenth of them.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const MAIN = resolve(import.meta.dirname, '../dist/cli/main.js');
const FLOOR = resolve(import.meta.dirname, 'support/folders-floor.mjs');
const SLOW_FSYNC = resolve(import.meta.dirname, 'support/slow-fsync.c');
const MB = 1024 * 1024;
const [exportMb = 100, sessionMb = 500, many = 10_000] = process.argv.slice(2).map(Number);
/** As many as `daybook import` uses. */
const THREADS = { UV_THREADPOOL_SIZE: '16' };
const folder = mkdtempSync(join(tmpdir(), 'daybook-bench-'));
const WORDS = 'garden shed larch plank door window roof nail hammer paint rain sun tree'.split(' ');
let seed = 1;
const random = () => {
  seed = (seed * 48271) % 2147483647;
  return seed;
};
const token = (length) => Array.from({ length }, () => (random() % 36).toString(36)).join('');
/** One word in fifty is an address with a long last part, which may look like a secret. */
const word = () =>
  random() % 50 === 0
    ? `https://example.org/${token(8)}/${token(24)}?page=${token(12)}`
    : `${WORDS[random() % WORDS.length]}${random() % 1000}`;
const text = (words) => Array.from({ length: words }, word).join(' ');

async function write(path, megabytes, pieces) {
  const file = createWriteStream(path);
  let bytes = 0;
  for (const piece of pieces(() => bytes < megabytes * MB)) {
    bytes += Buffer.byteLength(piece);
    if (!file.write(piece)) await once(file, 'drain');
  }
  file.end();
  await once(file, 'finish');
}

function* chatGpt(isShort) {
  yield '[';
  for (let i = 0; isShort(); i += 1) {
    const mapping = {};
    let parent = null;
    for (let m = 0; m < 20; m += 1) {
      const id = `message-${String(i).padStart(8, '0')}-${m}`;
      const author = { role: m % 2 === 0 ? 'user' : 'assistant' };
      const content = { content_type: 'text', parts: [text(80)] };
      mapping[id] = {
        id,
        parent,
        message: { id, author, create_time: 1.6e9 + i * 60 + m, content },
      };
      parent = id;
    }
    const head = { id: `conversation-${i}`, title: text(4), create_time: 1.6e9 + i * 60 };
    yield `${i === 0 ? '' : ','}${JSON.stringify({ ...head, mapping, current_node: parent })}`;
  }
  yield ']';
}

function* codex(isShort) {
  const line = (type, payload) =>
    `${JSON.stringify({ timestamp: '2026-01-02T10:00:00.000Z', type, payload })}\n`;
  const message = (role) => ({
    type: 'message',
    role,
    content: [{ type: 'input_text', text: text(60) }],
  });
  yield line('session_meta', { id: '55555555-ffff-4fff-8fff-000000000001', cwd: '/shed' });
  const history = Array.from({ length: 40_000 }, () => message('user'));
  while (isShort()) {
    yield line('response_item', message('user'));
    yield line('response_item', message('assistant'));
    yield line('compacted', { message: '', replacement_history: history });
  }
}

function* small() {
  for (let i = 0; i < many; i += 1) {
    const messages = ['user', 'assistant'].map((role) => ({ role, content: text(30) }));
    yield `${JSON.stringify({ id: `small-${i}`, createdAt: 1.6e9 + i * 60, messages })}\n`;
  }
}

/** The CPU time of the process so far, in seconds: Linux counts in hundredths. */
function cpuSeconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The seconds of the bare loop for the conversations of `root`. */
function floor(root, to, { syncsNames, env = {} }) {
  const args = [FLOOR, join(root, 'conversation-logs'), join(folder, to)];
  if (syncsNames) args.push('names');
  return Number(execFileSync(process.execPath, args, { env: { ...process.env, ...env } }));
}

/** Returns the library that makes fsync slower; `undefined` without a C compiler. */
function slowFsync() {
  const library = join(folder, 'slow-fsync.so');
  try {
    execFileSync('cc', ['-shared', '-fPIC', '-o', library, SLOW_FSYNC, '-ldl'], {
      stdio: 'ignore',
    });
    return library;
  } catch {
    return undefined;
  }
}

/** Peak memory in MB is what Linux says of the process before it ends. */
async function measure(name, path, env = {}) {
  const root = join(folder, `root-${name}`);
  mkdirSync(root, { recursive: true });
  const started = performance.now();
  const child = spawn(process.execPath, [MAIN, '--root', root, 'import', path, '--yes', '--json'], {
    env: { ...process.env, ...env, HOME: folder, DAYBOOK_FSYNC: '1' },
  });
  let out = '';
  let peak = 0;
  let cpu = 0;
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.pipe(process.stderr);
  const look = setInterval(() => {
    try {
      peak = Number(
        /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1] ?? peak,
      );
      cpu = cpuSeconds(child.pid);
    } catch {
      // It has just ended.
    }
  }, 50);
  await once(child, 'close');
  clearInterval(look);
  const seconds = (performance.now() - started) / 1000;
  const { added, messages } = JSON.parse(out);
  const rate = Math.round(messages / seconds);
  console.log(
    `${name}: ${Math.round(statSync(path).size / MB)} MB, ${added} conversations, ${messages} messages in ${seconds.toFixed(1)} s (${rate} a second), peak ${Math.round(peak / 1024)} MB, CPU ${(added === 0 ? 0 : (cpu * 1000) / added).toFixed(2)} ms a conversation`,
  );
  return seconds;
}

try {
  const [chats, session] = [join(folder, 'conversations.json'), join(folder, 'rollout-1.jsonl')];
  await write(session, sessionMb, codex);
  await measure('codex', session);
  await write(chats, exportMb, chatGpt);
  await measure('chatgpt', chats);
  await measure('chatgpt', chats);
  const lines = join(folder, 'small.jsonl');
  await write(lines, Infinity, small);
  const seconds = await measure('small', lines);
  const root = join(folder, 'root-small');
  for (const syncsNames of [false, true]) {
    const least = floor(root, `floor-${syncsNames}`, { syncsNames, env: THREADS });
    const promise = syncsNames
      ? 'files and names on the disk, as by the import'
      : 'only files on the disk';
    console.log(
      `floor: a bare loop, ${promise}: ${least.toFixed(1)} s; the import took ${(seconds / least).toFixed(2)} times as long`,
    );
  }
  const library = slowFsync();
  for (const ms of library === undefined ? [] : [1, 3]) {
    for (const threads of [4, 16]) {
      const env = {
        LD_PRELOAD: library,
        SLOW_FSYNC_US: String(ms * 1000),
        UV_THREADPOOL_SIZE: String(threads),
      };
      const name = `small-${ms}-${threads}`;
      const slow = await measure(name, lines, env);
      const least = floor(join(folder, `root-${name}`), `floor-${name}`, { syncsNames: true, env });
      console.log(
        `with ${ms} ms more for each fsync and ${threads} threads: the bare loop ${least.toFixed(1)} s; the import took ${(slow / least).toFixed(2)} times as long`,
      );
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
