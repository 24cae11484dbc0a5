/**
 * Requests with and without sessions, by official clients and as bytes: all that works over stdio works here,
 * no client gets the answer of another, and how sessions and the server end.
 */
import { setTimeout as delay } from 'node:timers/promises';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { BuiltServer } from '../../../src/server/mcp/build-server.js';
import { defineTool, READS, success } from '../../../src/tools/define-tool.js';
import { tools as allTools } from '../../../src/tools/index.js';
import { connectHttp } from '../../e2e/http-harness.js';
import {
  type Ask,
  ask,
  begin,
  type HttpPlaceOptions,
  initialize,
  JSON_HEADERS,
  rpc,
  withHttpPlace,
} from '../../support/http-place.js';

/** For a message that the client did not request. */
const OFFERED = allTools.filter(({ toolset }) => toolset !== 'admin').length;
const STATELESS = { config: { isStateless: true } };

/** A tool that answers when the test allows it, or ends when it is cancelled. */
function gate() {
  const seen = { started: 0, aborted: 0, finished: 0 };
  let open = () => undefined as unknown;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  const tool = defineTool({
    name: 'wait_at_gate',
    toolset: 'conversations',
    title: 'Gate',
    description: 'Waits until the test lets it go.',
    input: () => z.strictObject({ word: z.string().describe('Said when it is over.') }),
    output: () => z.object({ success, word: z.string() }),
    annotations: READS,
    async run({ word }, _app, { signal, progress }) {
      seen.started += 1;
      progress({ progress: 1, total: 2 });
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener('abort', () => resolve());
      });
      await Promise.race([
        opened,
        aborted.then(() => {
          seen.aborted += 1;
        }),
      ]);
      seen.finished += 1;
      return { word };
    },
  });
  return { tool, seen, open };
}

/**
 * Sessions are checked four times in this time (real clock). The clock of the test determines how idle they
 * are.
 */
const IDLE_MS = 200;

function manualClock() {
  let elapsedMs = 0;
  const clock = { now: () => Date.now(), monotonic: () => elapsedMs };
  const pass = (ms: number) => {
    elapsedMs += ms;
  };
  return { clock, pass };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

const gated = (options: HttpPlaceOptions = {}) => {
  const { tool, ...rest } = gate();
  return { ...rest, options: { ...options, server: { tools: [tool] } } };
};

const wait = (word: string, id = 1) =>
  rpc('tools/call', { name: 'wait_at_gate', arguments: { word } }, id);

describe.each([
  ['with sessions', {}],
  ['stateless', STATELESS],
] as const)('a server %s', (_name, options) => {
  it.each([
    '2025-11-25',
    '2025-06-18',
    '2025-03-26',
    '2024-11-05',
  ])('speaks revision %s', async (revision) => {
    await withHttpPlace(options, async ({ url }) => {
      const greeted = await ask(url, { body: initialize(revision) });
      expect(greeted.body.result?.['protocolVersion']).toBe(revision);
      const session = greeted.headers['mcp-session-id'];
      const headers = {
        ...JSON_HEADERS,
        ...(session !== undefined && { 'Mcp-Session-Id': String(session) }),
      };
      const note = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
      const noted = await ask(url, { headers, body: note });
      expect([noted.status, noted.text]).toEqual([202, '']);
      const tools = await ask(url, { headers, body: rpc('tools/list') });
      expect(tools.body.result?.['tools']).toHaveLength(OFFERED);
    });
  });

  it('answers a batch, which revision 2025-03-26 allows', async () => {
    await withHttpPlace(options, async ({ url }) => {
      const headers = options === STATELESS ? JSON_HEADERS : await begin(url, '2025-03-26');
      const body = `[${rpc('ping', {}, 1)},${rpc('tools/list', {}, 2)}]`;
      const { status, text } = await ask(url, { headers, body });
      expect(status).toBe(200);
      for (const id of [1, 2]) expect(text).toContain(`"id":${id}}`);
    });
  });

  it('answers a client of an unknown later revision with the newest supported one', async () => {
    await withHttpPlace(options, async ({ url }) => {
      const greeted = await ask(url, { body: initialize('2027-01-01') });
      expect(greeted.body.result?.['protocolVersion']).toBe('2025-11-25');
    });
  });

  it('serves the official client: tools, resources, prompts, completion, ping', async () => {
    await withHttpPlace(options, async ({ url }) => {
      const { client, call } = await connectHttp(url);
      await client.ping();
      await call('save_message', { conversationId: 'tea', role: 'user', content: 'A riddle' });
      const found = await call('search_messages', { query: 'riddle' });
      expect(found['total']).toBe(1);
      const { resources } = await client.listResources();
      expect(resources).toHaveLength(1);
      const read = await client.readResource({ uri: resources[0]?.uri ?? '' });
      expect(JSON.stringify(read)).toContain('A riddle');
      expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
      const failed = await client.callTool({ name: 'get_conversation', arguments: {} });
      expect(failed.isError).toBe(true);
      await client.close();
    });
  });

  it('sends each of 20 clients with the same request ids its own answers', async () => {
    await withHttpPlace(options, async ({ url }) => {
      const clients = await Promise.all(
        Array.from({ length: 20 }, async (_, n) => ({ n, ...(await connectHttp(url)) })),
      );
      await Promise.all(
        clients.map(async ({ n, call }) => {
          for (let turn = 0; turn < 5; turn += 1) {
            const content = `client ${n} turn ${turn}`;
            const saved = { conversationId: `c${n}`, role: 'user', content };
            await call('save_message', saved);
            const read = await call('get_conversation', { conversationId: `c${n}` });
            const contents = (read['messages'] as { content: string }[]).map((m) => m.content);
            expect(contents).toHaveLength(turn + 1);
            expect(contents.every((each) => each.startsWith(`client ${n} `))).toBe(true);
          }
        }),
      );
      await Promise.all(clients.map(({ client }) => client.close()));
    });
  });

  it('reports progress on the stream of the call', async () => {
    const { options: withGate, open } = gated(options);
    await withHttpPlace(withGate, async ({ url }) => {
      const { client } = await connectHttp(url);
      const seen: unknown[] = [];
      const onprogress = (report: unknown) => {
        seen.push(report);
        open();
      };
      const params = { name: 'wait_at_gate', arguments: { word: 'x' } };
      await client.callTool(params, undefined, { onprogress });
      expect(seen).toEqual([{ progress: 1, total: 2 }]);
      await client.close();
    });
  });

  it('finishes a call whose client has disconnected, and accepts further calls', async () => {
    const { options: withGate, open, seen } = gated(options);
    await withHttpPlace(withGate, async ({ url }) => {
      const headers = options === STATELESS ? JSON_HEADERS : await begin(url);
      const leaving = new AbortController();
      const gone = fetch(url, {
        method: 'POST',
        headers,
        body: wait('lost'),
        signal: leaving.signal,
      }).then((response) => response.text());
      await until(() => seen.started === 1);
      leaving.abort();
      await expect(gone).rejects.toThrow();
      await delay(50);
      expect(seen.aborted).toBe(0);
      const next = ask(url, { headers, body: wait('kept', 2) });
      await until(() => seen.started === 2);
      open();
      expect((await next).body).toMatchObject({
        id: 2,
        result: { structuredContent: { word: 'kept' } },
      });
    });
  });

  it('answers accepted calls when it stops during a call, and accepts no others', async () => {
    const { options: withGate, seen } = gated(options);
    await withHttpPlace(withGate, async (place) => {
      const headers = options === STATELESS ? JSON_HEADERS : await begin(place.url);
      const asked = [1, 2, 3].map((id) => ask(place.url, { headers, body: wait(`w${id}`, id) }));
      await until(() => seen.started === 3);
      const closed = place.close();
      for (const [index, answer] of (await Promise.all(asked)).entries())
        expect(answer.body).toMatchObject({
          id: index + 1,
          result: { structuredContent: { word: `w${index + 1}` } },
        });
      await closed;
      expect(seen.aborted).toBe(3);
      await expect(ask(place.url, { headers, body: rpc('ping') })).rejects.toThrow('ECONNREFUSED');
    });
  });
});

describe('with sessions', () => {
  it('cancels a call when another request says so', async () => {
    const { options, seen } = gated();
    await withHttpPlace(options, async ({ url }) => {
      const { client } = await connectHttp(url);
      const cancelling = new AbortController();
      const params = { name: 'wait_at_gate', arguments: { word: 'x' } };
      const cancelled = client.callTool(params, undefined, { signal: cancelling.signal });
      await until(() => seen.started === 1);
      cancelling.abort('enough');
      await expect(cancelled).rejects.toThrow();
      await until(() => seen.aborted === 1);
      await client.close();
    });
  });

  it('does not let one session cancel a call of another', async () => {
    const { options, seen, open } = gated();
    await withHttpPlace(options, async ({ url }) => {
      const [mine, other] = [await begin(url), await begin(url)];
      const asked = ask(url, { headers: mine, body: wait('mine', 7) });
      await until(() => seen.started === 1);
      const params = { requestId: 7 };
      const cancel = JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params });
      expect((await ask(url, { headers: other, body: cancel })).status).toBe(202);
      await delay(50);
      expect(seen.aborted).toBe(0);
      open();
      expect((await asked).body.result?.['structuredContent']).toMatchObject({ word: 'mine' });
    });
  });

  it('notifies a client of changes to its subscribed resources on its own stream', async () => {
    await withHttpPlace({}, async ({ url, app }) => {
      const { client, call } = await connectHttp(url);
      await call('save_message', { conversationId: 'tea', role: 'user', content: 'A riddle' });
      const { resources } = await client.listResources();
      const uri = resources[0]?.uri ?? '';
      const told = new Promise<string>((resolve) => {
        client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) =>
          resolve(params.uri),
        );
      });
      await client.subscribeResource({ uri });
      await app.conversations.append('tea', [{ role: 'user', content: 'Another' }]);
      expect(await told).toBe(uri);
      await client.close();
    });
  });

  it('logs to a client the outcome of its calls, from the level that it set', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const { client, result } = await connectHttp(url);
      const { client: other, result: otherResult } = await connectHttp(url);
      const heard: unknown[] = [];
      client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
        heard.push([params.level, params.data]);
      });
      await result('get_state', {});
      await client.setLoggingLevel('info');
      await result('get_state', {});
      await result('get_conversation', { conversationId: 'missing' });
      await client.setLoggingLevel('debug');
      await result('get_state', {});
      await other.setLoggingLevel('debug');
      await otherResult('store_info', {});
      const missing = {
        tool: 'get_conversation',
        outcome: 'CONVERSATION_NOT_FOUND',
        message: expect.any(String),
      };
      await expect.poll(() => heard.length).toBe(2);
      expect(heard).toEqual([
        ['info', missing],
        ['debug', { tool: 'get_state', outcome: 'done' }],
      ]);
      await Promise.all([client.close(), other.close()]);
    });
  });

  it('closes a session when its client asks for that, and an idle session', async () => {
    const { clock, pass } = manualClock();
    const servers: BuiltServer['server'][] = [];
    const change = (built: BuiltServer) => void servers.push(built.server);
    const config = { sessionIdleMs: IDLE_MS };
    await withHttpPlace({ config, clock, change }, async ({ url }) => {
      const left = await begin(url);
      const deleted = await ask(url, { method: 'DELETE', headers: left });
      expect(deleted.status).toBe(200);
      const body = rpc('ping');
      expect((await ask(url, { headers: left, body })).status).toBe(404);
      const [idle, used, listening] = [await begin(url), await begin(url), await begin(url)];
      const stream = new AbortController();
      await fetch(url, { headers: listening, signal: stream.signal });
      const open = () => servers.filter(({ transport }) => transport !== undefined).length;
      expect(open()).toBe(3);
      for (let turn = 0; turn < 3; turn += 1) {
        pass(IDLE_MS * 0.4);
        expect((await ask(url, { headers: used, body })).status).toBe(200);
      }
      await until(() => open() === 2);
      expect((await ask(url, { headers: idle, body })).status).toBe(404);
      expect((await ask(url, { headers: listening, body })).status).toBe(200);
      stream.abort();
    });
  });

  it.each([
    ['room is made for new ones', { limits: { maxSessions: 1 } }, [503, 200]],
    ['it is idle for long', { config: { sessionIdleMs: IDLE_MS } }, [200, 200]],
  ])('keeps a session while a call of it runs without its client, when %s', async (...row) => {
    const [, limited, expected] = row;
    const { clock, pass } = manualClock();
    const { options: withGate, open, seen } = gated({ ...limited, clock });
    await withHttpPlace(withGate, async ({ url }) => {
      const headers = await begin(url);
      const leaving = new AbortController();
      const { signal } = leaving;
      const gone = fetch(url, { method: 'POST', headers, body: wait('lost'), signal });
      const read = gone.then((response) => response.text());
      await until(() => seen.started === 1);
      leaving.abort();
      await expect(read).rejects.toThrow();
      await delay(100); // the server is notified
      pass(2 * IDLE_MS);
      await delay(2 * IDLE_MS);
      const another = { body: initialize() };
      expect((await ask(url, another)).status).toBe(expected[0]);
      expect(seen.aborted).toBe(0);
      open();
      await until(() => seen.finished === 1);
      expect((await ask(url, another)).status).toBe(expected[1]);
    });
  });

  it('refuses a second initialize and an unknown version', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const headers = await begin(url);
      const refusals: [number, number, Ask][] = [
        [400, -32600, { headers, body: initialize() }],
        [400, -32600, { headers, body: `[${initialize()},${rpc('ping', {}, 2)}]` }],
        [
          400,
          -32000,
          { headers: { ...headers, 'Mcp-Protocol-Version': '2020-01-01' }, body: rpc('ping') },
        ],
      ];
      for (const [status, code, request] of refusals) {
        expect(await ask(url, request)).toMatchObject({ status, body: { error: { code } } });
      }
      expect((await ask(url, { headers, body: rpc('ping') })).status).toBe(200);
    });
  });

  it('sends notifications on the newest stream, and on an earlier one if that has ended', async () => {
    await withHttpPlace({}, async ({ url, app }) => {
      const headers = await begin(url);
      await app.conversations.append('tea', [{ role: 'user', content: 'x' }], { create: true });
      const uri = 'daybook://conversation/tea';
      await ask(url, { headers, body: rpc('resources/subscribe', { uri }) });
      const stop = [new AbortController(), new AbortController()];
      const heard = ['', ''];
      for (const [at, { signal }] of stop.entries()) {
        const { status, body } = await fetch(url, { headers, signal });
        expect(status).toBe(200);
        const read = async () => {
          for await (const chunk of body ?? []) heard[at] += Buffer.from(chunk).toString();
        };
        void read().catch(() => undefined); // aborted
      }
      await app.conversations.append('tea', [{ role: 'user', content: 'y' }]);
      await expect.poll(() => heard[1]).toContain(uri);
      expect(heard[0]).toBe('');
      stop[1]?.abort();
      await expect
        .poll(async () => {
          await app.conversations.append('tea', [{ role: 'user', content: 'z' }]);
          return heard[0];
        })
        .toContain(uri);
      stop[0]?.abort();
    });
  });

  it('lets a client whose session was closed start a new one', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const headers = { ...JSON_HEADERS, 'Mcp-Session-Id': 'of yesterday' };
      const begun = await ask(url, { headers, body: initialize() });
      expect(begun.status).toBe(200);
      expect(begun.headers['mcp-session-id']).toMatch(/^[\da-f-]{36}$/);
    });
  });

  it('leaves no timers when it has stopped, which would keep the process alive', async () => {
    const timers = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    await withHttpPlace({ hasPage: true }, async ({ url }) => {
      const headers = await begin(url);
      expect((await ask(url, { method: 'DELETE', headers })).status).toBe(200);
    });
    expect(timers()).toBeLessThanOrEqual(before); // those of earlier tests may end meanwhile
  });

  it('closes the streams of notifications when it stops', async () => {
    await withHttpPlace({}, async ({ url, close }) => {
      const response = await fetch(url, { headers: await begin(url) });
      const ended = response.text();
      await close();
      expect(await ended).toBe('');
    });
  });
});

describe('stateless', () => {
  it('offers nothing that would need a later message to the client', async () => {
    await withHttpPlace(STATELESS, async ({ url }) => {
      const greeted = await ask(url, { body: initialize() });
      expect(greeted.headers).not.toHaveProperty('mcp-session-id');
      expect(greeted.body.result?.['capabilities']).toEqual({
        tools: {},
        completions: {},
        resources: {},
        prompts: {},
      });
      const stream = await ask(url, { method: 'GET' });
      expect([stream.status, stream.headers['allow']]).toEqual([405, 'POST']);
      const level = await ask(url, { body: rpc('logging/setLevel', { level: 'info' }) });
      expect(level.body.error?.code).toBe(-32601);
    });
  });
});
