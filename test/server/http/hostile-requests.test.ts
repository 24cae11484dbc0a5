/** Requests that no correct HTTP client sends: each gets a JSON-RPC error, and other requests continue. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import {
  ask,
  begin,
  type HttpPlace,
  initialize,
  JSON_HEADERS,
  rpc,
  withHttpPlace,
} from '../../support/http-place.js';

const inPlace = (work: (place: HttpPlace) => Promise<void>, limits = {}) => {
  return () => withHttpPlace({ limits }, work);
};

async function expectServing({ url }: HttpPlace): Promise<void> {
  const headers = await begin(url);
  expect((await ask(url, { headers, body: rpc('ping') })).body).toMatchObject({ result: {} });
}

const callTool = (name: string, args: unknown) =>
  rpc('tools/call', { name, arguments: args as Record<string, unknown> });

/** What was received until the other side closed the connection. */
async function untilClosed(socket: Socket): Promise<string> {
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  return text;
}

async function rawConnection(url: string, text: string): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.on('error', () => undefined); // a reset is a refusal too
  socket.write(text);
  return socket;
}

const head = (length: number) =>
  `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${length}\r\n\r\n`;

it(
  'the address may have a slash at its end, a query and capitals, and nothing else',
  inPlace(async ({ url }) => {
    const statusAt = async (path: string) =>
      (await ask(url, { path, headers: JSON_HEADERS, body: initialize() })).status;
    for (const path of ['/mcp', '/mcp/', '/MCP', '/mcp?session=1'])
      expect(await statusAt(path)).toBe(200);
    for (const path of ['/mcp2', '/mcp/tools', '/x/mcp', '/%6dcp'])
      expect(await statusAt(path)).toBe(404);
  }),
);

it(
  'a request may name the whole address, as proxies do',
  inPlace(async ({ url }) => {
    const body = initialize();
    const target = head(Buffer.byteLength(body)).replace('POST /mcp', `POST ${url}`);
    const socket = await rawConnection(
      url,
      target.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n') + body,
    );
    expect(await untilClosed(socket)).toMatch(/^HTTP\/1\.1 200 /);
  }),
);

describe('a request of the wrong form', () => {
  it(
    'gets the status and the code for its fault',
    inPlace(async ({ url }) => {
      const headers = await begin(url);
      const cases: readonly [number, number, Parameters<typeof ask>[1]][] = [
        [400, -32700, { body: 'no JSON' }],
        [400, -32700, { body: '' }],
        [400, -32700, { body: '{"jsonrpc":"2.0","id":1,' }],
        [400, -32700, { body: Buffer.from([0x22, 0xff, 0x22]) }],
        [400, -32600, { body: '{}' }],
        [400, -32600, { body: '[]' }],
        [400, -32600, { body: '42' }],
        [400, -32600, { body: '{"jsonrpc":"1.0","id":1,"method":"ping"}' }],
        [400, -32600, { body: `[${rpc('ping')},{"a":1}]` }],
        [400, -32000, { body: rpc('tools/list') }],
        [400, -32602, { body: rpc('initialize', {}) }],
        [400, -32000, { headers: { ...headers, 'Mcp-Protocol-Version': '1999-01-01' } }],
        [404, -32001, { headers: { ...JSON_HEADERS, 'Mcp-Session-Id': 'nobody' } }],
        [406, -32000, { headers: { ...headers, Accept: 'application/json' } }],
        [406, -32000, { headers: { ...headers, Accept: 'text/event-stream' } }],
        [406, -32000, { headers: { 'Content-Type': 'application/json' } }],
        [406, -32000, { method: 'GET', headers: { ...headers, Accept: 'application/json' } }],
        [415, -32000, { headers: { ...headers, 'Content-Type': 'text/plain' } }],
        [415, -32000, { headers: { ...headers, 'Content-Type': 'text/x; a=application/json' } }],
        [415, -32000, { headers: { ...headers, 'Content-Encoding': 'gzip' } }],
        [405, -32000, { method: 'PUT', headers }],
        [405, -32000, { method: 'PATCH', headers }],
        [404, -32001, { method: 'DELETE', headers: { 'Mcp-Session-Id': 'nobody' } }],
        [400, -32000, { method: 'GET', headers: { Accept: 'text/event-stream' } }],
      ];
      for (const [status, code, request] of cases) {
        const isPost = (request.method ?? 'POST') === 'POST';
        const answer = await ask(url, { ...(isPost && { body: rpc('ping') }), ...request });
        expect([answer.status, answer.body.error?.code], JSON.stringify(request)).toEqual([
          status,
          code,
        ]);
        expect(answer.headers['content-type'], JSON.stringify(request)).toContain('json');
        expect(answer.text).not.toMatch(/<html|\n\s+at /i);
      }
      const wrongMethod = await ask(url, { method: 'PUT' });
      expect(wrongMethod.headers['allow']).toBe('GET, POST, DELETE');
    }),
  );

  it(
    'with an unknown method or wrong parameters gets an error with its id',
    inPlace(async ({ url }) => {
      const headers = await begin(url);
      const unknown = await ask(url, { headers, body: rpc('no/such/method', {}, 'seven') });
      expect(unknown.status).toBe(200);
      expect(unknown.body).toMatchObject({ id: 'seven', error: { code: -32601 } });
      const nameless = await ask(url, { headers, body: rpc('tools/call', {}, 8) });
      expect(nameless.body).toMatchObject({ id: 8, error: { code: expect.any(Number) } });
      expect(nameless.text).not.toContain('node_modules');
    }),
  );
});

describe('a large request', () => {
  it('refuses a body of 100 MB, with or without Content-Length, without reading it into memory', async () => {
    await withHttpPlace({ config: { maxBodyBytes: 1024 * 1024 } }, async (place) => {
      const before = process.memoryUsage().arrayBuffers;
      const body = Buffer.alloc(100 * 1024 * 1024, 0x20);
      const ownBytes = body.byteLength;
      const chunked = { ...JSON_HEADERS, 'Transfer-Encoding': 'chunked' };
      for (const headers of [JSON_HEADERS, chunked]) {
        const answer = await ask(place.url, { headers, body });
        expect([answer.status, answer.body.error?.code]).toEqual([413, -32000]);
        expect(answer.body.error?.message).toContain('1 MB');
      }
      const grown = process.memoryUsage().arrayBuffers - before - ownBytes;
      expect(grown).toBeLessThan(50 * 1024 * 1024);
      await expectServing(place);
    });
  });

  it(
    'with more than a hundred messages or millions of values is refused before it delays others',
    inPlace(async (place) => {
      const headers = await begin(place.url, '2025-03-26');
      const batch = (size: number) =>
        `[${Array.from({ length: size }, (_, id) => rpc('ping', {}, id)).join(',')}]`;
      expect((await ask(place.url, { headers, body: batch(100) })).status).toBe(200);
      const hollow = callTool('get_state', { key: 0 }).replace(
        '0}',
        `[${'[],'.repeat(500_000)}1]}`,
      );
      for (const body of [batch(101), hollow]) {
        const answer = await ask(place.url, { headers, body });
        expect([answer.status, answer.body.error?.code]).toEqual([400, -32600]);
      }
      const braces = '{['.repeat(600_000);
      const save = callTool('save_message', { conversationId: 'b', role: 'user', content: braces });
      expect((await ask(place.url, { headers, body: save })).body.result?.['isError']).toBeFalsy();
      await expectServing(place);
    }),
  );

  it(
    'that is larger than the limit of the SDK is accepted, because imports are large',
    inPlace(async ({ url, app }) => {
      const headers = await begin(url);
      const content = 'x'.repeat(8 * 1024 * 1024);
      const body = callTool('save_message', { conversationId: 'big', role: 'user', content });
      expect((await ask(url, { headers, body })).body.result?.['isError']).toBeFalsy();
      expect((await app.conversations.load('big')).messages[0]?.content).toBe(content);
    }),
  );

  it(
    'with headers that do not end is refused by the connection',
    inPlace(async (place) => {
      const socket = await rawConnection(
        place.url,
        `GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}`,
      );
      expect(await untilClosed(socket)).toMatch(/^(HTTP\/1.1 431 |$)/);
      await expectServing(place);
    }),
  );
});

describe('unusual JSON', () => {
  it(
    'is refused if it is nested too deeply, at any place',
    inPlace(async (place) => {
      const headers = await begin(place.url);
      for (const [open, close] of [
        ['[', ']'],
        ['{"a":', '}'],
      ] as const) {
        const nest = (depth: number) => `${open.repeat(depth)}1${close.repeat(depth)}`;
        const save = (depth: number) =>
          `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save_message","arguments":{"conversationId":"deep","role":"user","content":"x","metadata":{"deep":${nest(depth)}}}}}`;
        for (const body of [nest(100_000), save(100_000), save(1_000)]) {
          const answer = await ask(place.url, { headers, body });
          expect([answer.status, answer.body.error?.code]).toEqual([400, -32600]);
        }
        const fine = await ask(place.url, { headers, body: save(100) });
        expect(fine.body.result?.['isError']).toBeFalsy();
      }
      await expectServing(place);
    }),
  );

  it(
    'with __proto__ and similar keys changes only the answer',
    inPlace(async (place) => {
      const headers = await begin(place.url);
      const bodies = [
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"store_info","arguments":{"__proto__":{"polluted":true}}}}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"save_message","arguments":{"conversationId":"p","role":"user","content":"x","metadata":{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}}}}',
        '{"__proto__":{"polluted":true},"jsonrpc":"2.0","id":1,"method":"ping"}',
        '{"jsonrpc":"2.0","id":1,"method":"__proto__"}',
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"__proto__"}}',
        '{"jsonrpc":"2.0","id":"__proto__","method":"ping"}',
      ];
      for (const body of bodies) {
        const { status } = await ask(place.url, { headers, body });
        expect([200, 400], body).toContain(status);
        expect({}).not.toHaveProperty('polluted');
      }
      const sneaky = { ...headers, 'Mcp-Session-Id': '__proto__' };
      expect((await ask(place.url, { headers: sneaky, body: rpc('ping') })).status).toBe(404);
      await expectServing(place);
    }),
  );
});

describe('a slow request', () => {
  it(
    'is ended if its body or headers do not end, and delays no other request',
    inPlace(
      async (place) => {
        const slow = [
          await rawConnection(place.url, `${head(1000)}{"jsonrpc"`),
          await rawConnection(place.url, 'POST /mcp HTTP/1.1\r\nHost: local'),
          await rawConnection(place.url, ''),
        ];
        const dripping = setInterval(() => slow[0]?.write(' '), 100);
        await expectServing(place);
        const answers = await Promise.all(slow.map(untilClosed));
        clearInterval(dripping);
        expect(answers[0]).toMatch(/^HTTP\/1.1 408 /);
        expect(answers[1]).toMatch(/^HTTP\/1.1 408 /);
        await expectServing(place);
      },
      { headersMs: 2_000, requestMs: 3_000 },
    ),
  );

  it(
    'leaves nothing open if the client disconnects in the middle of its body',
    inPlace(async (place) => {
      const socket = await rawConnection(place.url, `${head(1000)}{"jsonrpc"`);
      socket.resetAndDestroy();
      await expectServing(place);
    }),
  );
});

describe('many connections and sessions', () => {
  it(
    'a thousand idle connections do not delay others, and are closed',
    inPlace(
      async (place) => {
        const idle = await Promise.all(
          Array.from({ length: 1000 }, () => rawConnection(place.url, '')),
        );
        const closed = Promise.all(idle.map(untilClosed));
        await expectServing(place);
        await closed;
        await expectServing(place);
      },
      { headersMs: 3_000 },
    ),
  );

  it(
    'idle connections above the limit of an address are closed for new ones',
    inPlace(
      async (place) => {
        const idle = await Promise.all(
          Array.from({ length: 60 }, () => rawConnection(place.url, '')),
        );
        await expectServing(place);
        const isClosed = () => idle.filter(({ closed }) => closed).length >= 40;
        while (!isClosed())
          await Promise.race(idle.filter((each) => !each.closed).map(untilClosed));
        await expectServing(place);
        for (const socket of idle) socket.destroy();
      },
      { maxConnectionsPerAddress: 20 },
    ),
  );

  it(
    'a connection is closed after its answer if the client asked for that, also after a stream',
    inPlace(async ({ url }) => {
      const session = await begin(url);
      const body = rpc('ping');
      const fields = Object.entries({ ...session, Host: 'localhost', Connection: 'close' });
      const lines = [...fields, ['Content-Length', body.length]].map(([k, v]) => `${k}: ${v}`);
      const text = `POST /mcp HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`;
      const answer = await untilClosed(await rawConnection(url, text));
      expect(answer).toMatch(/^HTTP\/1.1 200 /);
      expect(answer).toMatch(/\r\nconnection: close\r\n/i);
      expect(answer).not.toMatch(/keep-alive\r\n/i);
    }),
  );

  it(
    'a session above the limit closes the one that was unused for longest',
    inPlace(
      async ({ url }) => {
        const sessions = [await begin(url), await begin(url), await begin(url)];
        const statusOf = async (n: number) =>
          (await ask(url, { headers: sessions[n] ?? {}, body: rpc('ping') })).status;
        expect(await statusOf(0)).toBe(200);
        sessions.push(await begin(url));
        expect([await statusOf(0), await statusOf(1), await statusOf(2)]).toEqual([200, 404, 200]);
        expect(await statusOf(3)).toBe(200);
      },
      { maxSessions: 3 },
    ),
  );

  it(
    'a new session is refused while all sessions are in use',
    inPlace(
      async ({ url }) => {
        const headers = await begin(url);
        const stream = new AbortController();
        const response = await fetch(url, { headers, signal: stream.signal });
        expect(response.status).toBe(200);
        const refused = await ask(url, { body: initialize() });
        expect(refused.status).toBe(503);
        expect(refused.headers['retry-after']).toBe('60');
        stream.abort();
        let status = 503;
        while (status === 503) ({ status } = await ask(url, { body: initialize() }));
        expect(status).toBe(200);
      },
      { maxSessions: 1 },
    ),
  );
});
