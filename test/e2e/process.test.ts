/** The built command as a process: its output, its end and its exit code, and its start. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { BareServer, MAIN, type Place, withPlace } from './harness.js';

const LOCK_USER = resolve(import.meta.dirname, '../support/lock-user.mjs');
const ID = '20250124-1706102400123';

const save = (server: BareServer, content: string, conversationId = 'process-test') =>
  server.send('tools/call', {
    name: 'save_message',
    arguments: { conversationId, role: 'user', content },
  });

async function savedContents(root: string): Promise<string[]> {
  const logs = join(root, 'conversation-logs');
  const folders = (await readdir(logs)).filter((name) => /^\d{8}-/.test(name));
  const texts = await Promise.all(
    folders.map((name) => readFile(join(logs, name, 'conversation.json'), 'utf8')),
  );
  return texts.flatMap((text) =>
    (JSON.parse(text) as { messages: { content: string }[] }).messages.map((m) => m.content),
  );
}

describe('the stdout of a server', () => {
  it('has only JSON-RPC, also after wrong lines and with the most detailed log', async () => {
    await withPlace(async (place) => {
      const env = { ...place.env, DAYBOOK_LOG_LEVEL: 'debug', PERSISTENCE_DB_PATH: '/old.db' };
      const server = new BareServer({ ...place, env });
      await server.initialize();
      server.process.stdin.write('this is not JSON\n{"jsonrpc":"2.0"}\n\n');
      await server.answer(save(server, 'one'));
      await server.answer(server.send('tools/call', { name: 'nope', arguments: {} }));
      await server.answer(server.send('no/such/method', {}));
      server.process.stdin.end();
      expect(await server.exit()).toEqual([0, null]);
      expect(server.lines.length).toBeGreaterThanOrEqual(4);
      for (const line of server.lines) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
      expect(server.stderr).toContain('Daybook stores plain files');
    });
  });
});

describe('the end of a server', () => {
  it('has code 0 if stdin closes before or after the handshake', async () => {
    await withPlace(async (place) => {
      const early = new BareServer(place);
      early.process.stdin.end();
      expect(await early.exit()).toEqual([0, null]);
      const late = new BareServer(place);
      await late.initialize();
      late.process.stdin.end();
      expect(await late.exit()).toEqual([0, null]);
    });
  });

  it('comes after the answers to all requests that were sent before stdin closed', async () => {
    await withPlace(async (place) => {
      const server = new BareServer(place);
      await server.initialize();
      const asked = Array.from({ length: 20 }, (_, index) => save(server, `line ${index}`));
      server.process.stdin.end();
      expect(await server.exit()).toEqual([0, null]);
      for (const id of asked) {
        const { result } = await server.answer(id);
        expect(result).toBeDefined();
        expect(result?.['isError']).toBeFalsy();
      }
      expect(await savedContents(place.root)).toHaveLength(20);
    });
  });

  it.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('by %s comes after all accepted writes', async (signal) => {
    await withPlace(async (place) => {
      const server = new BareServer({ ...place, env: { ...place.env, DAYBOOK_FSYNC: '1' } });
      await server.initialize();
      await server.answer(save(server, 'first'));
      const asked = Array.from({ length: 50 }, (_, index) => save(server, `line ${index}`));
      await server.answer(asked[0] ?? 0);
      server.process.kill(signal);
      expect(await server.exit()).toEqual([0, null]);
      const answered = server.lines
        .map((line) => JSON.parse(line))
        .filter(({ result }) => result?.structuredContent?.messageId);
      const saved = await savedContents(place.root);
      expect(answered.length).toBe(saved.length);
      expect(new Set(saved).size).toBe(saved.length);
    });
  });

  it.each([
    'SIGTERM',
    'SIGINT',
    'the end of stdin',
  ] as const)('comes by %s within seconds while a call hangs on a file that never opens', async (how) => {
    await withPlace(async (place) => {
      const server = new BareServer(place);
      await server.initialize();
      await server.answer(save(server, 'one'));
      const logs = join(place.root, 'conversation-logs');
      const [folder = ''] = (await readdir(logs)).filter((name) => /^\d{8}-/.test(name));
      const file = join(logs, folder, 'conversation.json');
      await rm(file);
      await promisify(execFile)('mkfifo', [file]);
      server.send('tools/call', {
        name: 'get_conversation',
        arguments: { conversationId: 'process-test' },
      });
      await server.answer(server.send('ping', {}));
      if (how === 'the end of stdin') server.process.stdin.end();
      else server.process.kill(how);
      const [code, signal] = await server.exit();
      expect(code === 0 || signal === 'SIGKILL').toBe(true);
    });
  }, 60_000);

  it('has code 0 if the client stops reading, and the accepted messages are saved', async () => {
    await withPlace(async (place) => {
      const server = new BareServer(place);
      await server.initialize();
      server.process.stdout.destroy();
      save(server, 'nobody hears the answer');
      save(server, 'nor this one');
      expect(await server.exit()).toEqual([0, null]);
      expect(await savedContents(place.root)).toContain('nobody hears the answer');
    });
  });

  it('has no warning in the log if the client reads late, and all answers arrive', async () => {
    await withPlace(async (place) => {
      const server = new BareServer(place);
      await server.initialize();
      server.process.stdout.pause();
      const ids = Array.from({ length: 40 }, () => server.send('tools/list', {}));
      await new Promise((resolve) => setTimeout(resolve, 500));
      server.process.stdout.resume();
      for (const id of ids) expect((await server.answer(id)).result).toBeDefined();
      server.process.stdin.end();
      expect(await server.exit()).toEqual([0, null]);
      expect(server.stderr).toBe('');
    });
  });
});

/** The number of bytes that a process has read. */
const bytesRead = (pid = 0) =>
  Number(/^rchar: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);

async function until(check: () => boolean): Promise<void> {
  while (!check()) await new Promise((resolve) => setTimeout(resolve, 2));
}

describe.runIf(process.platform === 'linux')('Ctrl-C', () => {
  it.each([
    ['list'],
    ['stats'],
    ['search', 'tea'],
  ])('ends %s at once, in the middle of a large store', async (...args) => {
    await withPlace(async (place) => {
      const messages = [{ role: 'user', content: 'word '.repeat(2_000_000) }];
      for (let day = 10; day < 22; day += 1) {
        const folder = join(place.root, `conversation-logs/202501${day}-17061024001${day}`);
        mkdirSync(folder, { recursive: true });
        writeFileSync(join(folder, 'conversation.json'), JSON.stringify({ messages }));
      }
      const { process: child, exit } = startOf(place, ...args);
      await until(() => bytesRead(child.pid) > 20_000_000);
      child.kill('SIGINT');
      expect(await exit()).toEqual({ code: null, signal: 'SIGINT', stdout: '' });
    });
  });

  it('ends a command that waits for a lock, with 130', async () => {
    await withPlace(async (place) => {
      const locks = join(place.root, 'conversation-logs/.locks');
      const args = [LOCK_USER, join(MAIN, '../..'), locks, ID, 'hold'];
      const owner = spawn(process.execPath, args);
      onTestFinished(() => void owner.kill('SIGKILL'));
      await once(owner.stdout, 'data');
      const folder = join(place.root, 'conversation-logs', ID);
      mkdirSync(folder);
      writeFileSync(join(folder, 'conversation.json'), '{"messages": []}');
      const { process: child, exit } = startOf(place, 'rename', ID, 'Another title');
      const lock = join(locks, ID);
      await until(() => readdirSync(lock).some((name) => readdirSync(join(lock, name)).length > 0));
      child.kill('SIGINT');
      expect(await exit()).toEqual({ code: 130, signal: null, stdout: '' });
    });
  });
});

function startOf({ root, env }: Place, ...args: string[]) {
  const child = spawn(process.execPath, [MAIN, '--root', root, ...args], { env });
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += String(chunk);
  });
  const ended = once(child, 'close');
  const exit = async () => {
    const [code, signal] = await ended;
    return { code, signal, stdout };
  };
  return { process: child, exit };
}

const IMPORTS = `await import('@modelcontextprotocol/sdk/server/index.js');
await import('zod');
process.stdin.resume();
process.stdout.write('done');`;

const median = (ticks: readonly number[]) =>
  ticks.toSorted((a, b) => a - b)[ticks.length >> 1] ?? 0;

/** The processor time of a process in ticks, in its own code and in the kernel. */
function workOf(pid = 0): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(fields[11]) + Number(fields[12]);
}

describe('the start of a server', () => {
  // bench/start.mjs measures milliseconds. This test uses processor time, which a busy machine does not change.
  it('needs less processor time until initialize than an import of the packages SDK and zod', async () => {
    await withPlace(async (place) => {
      const ours: number[] = [];
      const theirs: number[] = [];
      for (let round = 0; round < 7; round++) {
        const server = new BareServer(place);
        await server.initialize();
        ours.push(workOf(server.process.pid));
        server.process.stdin.end();
        await server.exit();
        const imports = spawn(process.execPath, ['--input-type=module', '-e', IMPORTS]);
        await once(imports.stdout, 'data');
        theirs.push(workOf(imports.pid));
        imports.stdin.end();
        await once(imports, 'exit');
      }
      console.log(`ticks to initialize: ${ours.join(' ')}; to import: ${theirs.join(' ')}`);
      expect(median(ours)).toBeLessThan(median(theirs));
    });
  });

  it('ends with one sentence if a setting has a wrong value', async () => {
    await withPlace(async (place) => {
      const server = new BareServer({ ...place, env: { ...place.env, DAYBOOK_FSYNC: 'maybe' } });
      expect(await server.exit()).toEqual([2, null]);
      expect(server.stderr).toMatch(/^daybook: DAYBOOK_FSYNC must be 1 or 0/);
      expect(server.lines).toEqual([]);
    });
  });

  it('succeeds if the store cannot be opened, and each call is answered with the reason', async () => {
    await withPlace(async (place) => {
      const server = new BareServer(place, ['--root', '/dev/null/root']);
      await server.initialize();
      const { result } = await server.answer(save(server, 'x'));
      expect(result).toMatchObject({ isError: true });
      expect(JSON.stringify(result)).toContain('/dev/null');
      server.process.stdin.end();
      expect(await server.exit()).toEqual([0, null]);
    });
  });
});
