/** The built server over HTTP: its start and end, many clients, and another server over stdio on one root. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { errnoOf } from '../../src/base/errors.js';
import { ask, begin, rpc } from '../support/http-place.js';
import { contentsOf, MAIN, type Place, runCommand, withClient, withPlace } from './harness.js';
import { connectHttp, type HttpClient, startHttp, withHttp } from './http-harness.js';

const TOKEN = 'a-token-of-the-test-0123456789';
const CLIENTS = 50;
const CALLS = 16;

const save = ({ call }: HttpClient, conversationId: string, content: string) =>
  call('save_message', { conversationId, role: 'user', content });

describe('the start of a server over HTTP', () => {
  it.each([
    [['--http', '--host', '0.0.0.0'], {}, /--host 0\.0\.0\.0 .*DAYBOOK_HTTP_TOKEN/],
    [['--mode', 'http'], { DAYBOOK_HTTP_HOST: '192.0.2.7' }, /DAYBOOK_HTTP_HOST .*TOKEN/],
    [['serve', '--port', '3000'], {}, /--port is only for a server over HTTP/],
    [['serve', '--stateless'], {}, /--stateless is only for a server over HTTP/],
    [['--http', '--mode', 'stdio'], {}, /--http and --mode stdio/],
    [['--http', '--port', '70000'], {}, /--port must be a port/],
    [['--mode', 'ftp'], {}, /--mode must be one of stdio, http/],
    [['--http'], { DAYBOOK_HTTP_TOKEN: 'short' }, /DAYBOOK_HTTP_TOKEN must be auto/],
    [['--http'], { DAYBOOK_HTTP_ALLOWED_ORIGINS: '*' }, /ALLOWED_ORIGINS must be origins/],
    [['--http'], { DAYBOOK_HTTP_ALLOWED_HOSTS: 'https://x' }, /ALLOWED_HOSTS must be host names/],
    [['--http', '--host', '192.0.2.7'], { DAYBOOK_HTTP_TOKEN: TOKEN }, /no such address/],
  ])('with %j %j stops with a sentence', async (args, env, sentence) => {
    await withPlace(async (place) => {
      const from = { ...place, env: { ...place.env, ...env } };
      const { code, stderr, stdout } = await runCommand(from, ['--root', place.root, ...args]);
      expect([code, stdout]).toEqual([2, '']);
      expect(stderr).toMatch(sentence);
      expect(stderr).not.toMatch(/\n\s+at |short/);
    });
  });

  it.each([
    { words: ['--http'], advice: 'with --port or --host' },
    { words: ['open', '--print'], advice: 'or omit --port' },
  ])('fails with a message if another program uses the port of $words', async (command) => {
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const port = String((other.address() as AddressInfo).port);
    await withPlace(async (place) => {
      const args = ['--root', place.root, ...command.words, '--port', port];
      const { code, stderr } = await runCommand(place, args);
      expect(code).toBe(2);
      expect(stderr).toContain(`port ${port}: another program uses it`);
      expect(stderr).toContain(command.advice);
    });
    other.close();
  });

  it('accepts the older names of variables, and listens only on this machine', async () => {
    await withPlace(async (place) => {
      const env = { ...place.env, INSIGHTS_MCP_MODE: 'http', INSIGHTS_MCP_PORT: '0' };
      await withHttp({ ...place, env }, async ({ url, server }) => {
        expect(new URL(url).hostname).toBe('127.0.0.1');
        expect(server.stderr).toContain('No token is set: every user and program of this machine');
        expect(listeningAddresses(server.process.pid ?? 0)).toEqual(['0100007F']);
      });
    });
  });

  it('never prints the token, and has it in no answer', async () => {
    await withPlace(async (place) => {
      const env = { ...place.env, DAYBOOK_HTTP_TOKEN: TOKEN, DAYBOOK_LOG_LEVEL: 'debug' };
      await withHttp({ ...place, env }, async ({ url, server }) => {
        await expect(connectHttp(url, `${TOKEN}x`)).rejects.toThrow('The bearer token is wrong');
        const { client, call } = await connectHttp(url, TOKEN);
        const info = await call('store_info');
        await client.close();
        expect(`${JSON.stringify(info)}${server.stderr}`).not.toContain(TOKEN);
      });
    });
  });
});

/** The addresses on which the process listens, in the hexadecimal format of the kernel. */
function listeningAddresses(pid: number): string[] {
  const rows = readFileSync(`/proc/${pid}/net/tcp`, 'utf8').trim().split('\n').slice(1);
  const own = ownSockets(pid);
  return rows
    .map((row) => row.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === '0A' && own.has(inode ?? ''))
    .map(([, address = '']) => address.split(':')[0] ?? '');
}

/** The sockets of the process. A file that the process has just closed is ignored. */
function ownSockets(pid: number): Set<string> {
  const targetOf = (fd: string) => {
    try {
      return readlinkSync(`/proc/${pid}/fd/${fd}`);
    } catch (error) {
      if (errnoOf(error) === 'ENOENT') return '';
      throw error;
    }
  };
  const links = readdirSync(`/proc/${pid}/fd`).map(targetOf);
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

describe('the end of a server over HTTP', () => {
  it.each([
    'SIGTERM',
    'SIGINT',
  ] as const)('%s finishes and answers accepted writes', async (name) => {
    await withPlace(async (place) => {
      const env = { ...place.env, DAYBOOK_FSYNC: '1' };
      const { url, server } = await startHttp({ ...place, env });
      const headers = await begin(url);
      const saveOf = (n: number) => {
        const args = { conversationId: 'end', role: 'user', content: `line ${n}` };
        return rpc('tools/call', { name: 'save_message', arguments: args }, n + 1);
      };
      expect((await ask(url, { headers, body: saveOf(0) })).status).toBe(200);
      const asked = Array.from({ length: 40 }, (_, n) =>
        ask(url, { headers, body: saveOf(n + 1) }).catch(() => undefined),
      );
      await asked[0];
      server.process.kill(name);
      expect(await server.exit()).toEqual([0, null]);
      const answered = (await Promise.all(asked)).filter(
        (answer) => answer?.body.result?.['structuredContent'] !== undefined,
      );
      expect(answered.length).toBeGreaterThan(0);
      expect(await savedMessages(place)).toBeGreaterThanOrEqual(1 + answered.length);
    });
  });
});

async function savedMessages({ root }: Place): Promise<number> {
  const logs = join(root, 'conversation-logs');
  const [folder = ''] = (await readdir(logs)).filter((name) => /^\d{8}-/.test(name));
  const text = await readFile(join(logs, folder, 'conversation.json'), 'utf8');
  return (JSON.parse(text) as { messages: unknown[] }).messages.length;
}

describe('many clients at once', () => {
  it.each([
    [[]],
    [['--stateless']],
  ])(`${CLIENTS} clients read and write with no error and no lost write %j`, async (args) => {
    await withPlace((place) =>
      withHttp(
        place,
        async ({ url }) => {
          const clients = await Promise.all(
            Array.from({ length: CLIENTS }, () => connectHttp(url)),
          );
          await Promise.all(clients.map(work));
          const [reader] = clients;
          if (reader === undefined) throw new Error('no client');
          for (let shared = 0; shared < 5; shared += 1) {
            const contents = await contentsOf(reader.call, `shared-${shared}`);
            const expected = clients.flatMap((_, n) => (n % 5 === shared ? linesOf(n) : []));
            expect(contents.toSorted()).toEqual(expected.toSorted());
          }
          await Promise.all(clients.map(({ client }) => client.close()));
        },
        args,
      ),
    );
  });

  it('of a server over HTTP and of one over stdio on the same root lose no message', async () => {
    await withPlace((place) =>
      withHttp(place, ({ url }) =>
        withClient(place, async (stdio) => {
          const http = await connectHttp(url);
          const args = (content: string) => ({ conversationId: 'both', role: 'user', content });
          const numbers = Array.from({ length: 60 }, (_, n) => n);
          await Promise.all([
            ...numbers.map((n) => stdio.call('save_message', args(`stdio ${n}`))),
            ...numbers.map((n) => http.call('save_message', args(`http ${n}`))),
          ]);
          const contents = await contentsOf(http.call, 'both');
          expect(contents).toHaveLength(120);
          for (const who of ['stdio', 'http']) {
            const own = contents.filter((content) => content.startsWith(`${who} `));
            expect(own.toSorted()).toEqual(numbers.map((n) => `${who} ${n}`).toSorted());
          }
          // A message of another process is found a moment later.
          const found = () => stdio.call('search_messages', { query: 'http', limit: 1 });
          await expect.poll(async () => (await found())['total']).toBe(60);
          await http.client.close();
        }),
      ),
    );
  });
});

describe('the page over HTTP', () => {
  it('answers HEAD like GET, without a body', async () => {
    await withPlace(async (place) => {
      await withHttp(place, async ({ url }) => {
        const [get, head] = await Promise.all(
          ['GET', 'HEAD'].map((method) => ask(url, { method, path: '/', headers: {} })),
        );
        const { date: _, ...headers } = get?.headers ?? {};
        expect(head).toMatchObject({ status: 200, text: '', headers });
        const other = await ask(url, { method: 'PUT', path: '/', headers: {} });
        expect([other.status, other.headers['allow']]).toEqual([405, 'GET, HEAD']);
      });
    });
  });
});

describe('insights', () => {
  it('need a context over HTTP, because the working folder is the default only over stdio', async () => {
    const insight = { content: 'Tokens live in cookies' };
    await withPlace(async (place) => {
      await withHttp(place, async ({ url }) => {
        const { client, result, call } = await connectHttp(url);
        for (const [name, args] of [
          ['save_insight', insight],
          ['search_insights', { query: 'tokens' }],
          ['list_insights', {}],
        ] as const) {
          const refused = await result(name, args);
          expect(refused._meta?.['daybook/error'], name).toMatchObject({
            code: 'VALIDATION_ERROR',
          });
        }
        await call('save_insight', { ...insight, context: 'global' });
        expect((await call('list_insights', { context: 'global' }))['total']).toBe(1);
        expect((await call('list_insights', { context: '/elsewhere' }))['total']).toBe(0);
        await client.close();
      });
      await withClient(place, async ({ call }) => {
        await call('save_insight', insight);
        expect((await call('list_insights'))['total']).toBe(1);
      });
    });
  });
});

const linesOf = (n: number) => Array.from({ length: CALLS / 2 }, (_, turn) => `${n} says ${turn}`);

/** Half of the calls write, and the other half read in all possible ways. */
async function work(http: HttpClient, n: number): Promise<void> {
  const { call } = http;
  const conversationId = `shared-${n % 5}`;
  for (const [turn, line] of linesOf(n).entries()) {
    await save(http, conversationId, line);
    if (turn % 4 === 0) expect(await contentsOf(http.call, conversationId)).toContain(line);
    else if (turn % 4 === 1) await call('get_conversations', { limit: 5 });
    else if (turn % 4 === 2) await call('history_messages_recent', { limit: 5 });
    else expect((await call('search_messages', { query: 'says' }))['total']).toBeGreaterThan(0);
  }
}

it('a server over HTTP ends with an error if the file of the token is empty', async () => {
  await withPlace(async ({ root, env }) => {
    const config = join(env['XDG_CONFIG_HOME'] ?? '', 'daybook');
    mkdirSync(config, { recursive: true });
    writeFileSync(join(config, 'http-token'), 'short');
    const args = [MAIN, 'serve', '--http', '--port', '0', '--root', root];
    const options = { env: { ...env, DAYBOOK_HTTP_TOKEN: 'auto' }, timeout: 120_000 };
    const { status, stderr } = spawnSync(process.execPath, args, { ...options, encoding: 'utf8' });
    expect(stderr).toContain('does not contain a token');
    expect(status).toBe(2);
  });
});
