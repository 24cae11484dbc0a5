/** Which HTTP requests are accepted: Host, Origin, token, rate. Every refusal is a JSON-RPC error. */
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  ask,
  begin,
  initialize,
  JSON_HEADERS,
  rpc,
  withHttpPlace,
} from '../../support/http-place.js';

const TOKEN = 'correct-horse-battery-staple';
const OTHER = 'http://evil.example';

/** Every refusal has the same form. */
function expectRefusal({ status, headers, text, body }: Answer, expected: number) {
  expect(status).toBe(expected);
  expect(headers['content-type']).toContain('application/json');
  expect(JSON.parse(text)).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: expect.any(Number), message: expect.any(String) },
  });
  expect(text).not.toMatch(/<html|\n\s+at /i);
  return body.error?.code;
}

const greet = (url: string, headers: Record<string, string>) =>
  ask(url, { headers: { ...JSON_HEADERS, ...headers }, body: initialize() });

describe('Host', () => {
  it('can be a name of this machine with any port, but no other name', async () => {
    await withHttpPlace({}, async ({ url }) => {
      for (const Host of ['localhost', 'localhost:1', '127.0.0.1:3000', '[::1]:3000', 'LocalHost'])
        expect((await greet(url, { Host })).status, Host).toBe(200);
      const wrong = [
        ...[
          'evil.example',
          'localhost.evil.example',
          'evil.example:3000',
          '127.0.0.1.evil.example',
        ],
        ...['evil@localhost', 'localhost/', 'localhost.', '10.0.0.1', '[::2]', ' '],
      ];
      for (const Host of wrong) {
        const answer = await greet(url, { Host });
        expect(answer.status, Host).toBe(403);
        expectRefusal(answer, 403);
      }
    });
  });

  it('can be a name that the user allowed, with its port if one was given', async () => {
    const config = { allowedHosts: ['notes.example', 'proxy.example:8443'] };
    await withHttpPlace({ config }, async ({ url }) => {
      const statusOf = async (Host: string) => (await greet(url, { Host })).status;
      expect(await statusOf('notes.example:9999')).toBe(200);
      expect(await statusOf('proxy.example:8443')).toBe(200);
      expect(await statusOf('proxy.example')).toBe(403);
    });
  });

  it('can be any address, but no unknown name, if the server listens on all addresses', async () => {
    await withHttpPlace({ config: { host: '0.0.0.0', token: TOKEN } }, async ({ url }) => {
      const local = url.replace('0.0.0.0', '127.0.0.1');
      const statusOf = async (Host: string) =>
        (await greet(local, { Host, Authorization: `Bearer ${TOKEN}` })).status;
      expect(await statusOf('192.168.7.7:3000')).toBe(200);
      expect(await statusOf('rebound.example')).toBe(403);
    });
  });
});

describe('Origin', () => {
  it("cannot be another site, and can be the server's own", async () => {
    await withHttpPlace({}, async ({ url }) => {
      const own = new URL(url).origin;
      expect((await greet(url, { Origin: own })).status).toBe(200);
      const near = own.replace('127.0.0.1', 'localhost');
      for (const Origin of [OTHER, 'null', `${own}.evil.example`, near, 'file://', `${own}0`])
        expectRefusal(await greet(url, { Origin }), 403);
    });
  });

  it('of an allowed page gets the CORS headers that a browser needs', async () => {
    const allowedOrigins = ['https://notes.example'];
    await withHttpPlace({ config: { allowedOrigins, token: TOKEN } }, async ({ url }) => {
      const Origin = 'https://notes.example';
      const preflight = await ask(url, { method: 'OPTIONS', headers: { Origin } });
      expect(preflight.status).toBe(204);
      const taken = String(preflight.headers['access-control-allow-headers']).split(', ');
      const ofSessions = ['Authorization', 'Content-Type', 'Last-Event-ID', 'Mcp-Session-Id'];
      const ofStateless = ['Mcp-Protocol-Version', 'Mcp-Method', 'Mcp-Name'];
      expect(taken.sort()).toEqual([...ofSessions, ...ofStateless].sort());
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': Origin,
        vary: 'Origin',
      });
      const answer = await greet(url, { Origin, Authorization: `Bearer ${TOKEN}` });
      expect(answer.status).toBe(200);
      expect(answer.headers['access-control-allow-origin']).toBe(Origin);
      expect(answer.headers['access-control-expose-headers']).toContain('Mcp-Session-Id');
      const foreign = await ask(url, { method: 'OPTIONS', headers: { Origin: OTHER } });
      expectRefusal(foreign, 403);
      expect(foreign.headers).not.toHaveProperty('access-control-allow-origin');
    });
  });
});

describe('the token', () => {
  it('if it is wrong, is logged once for many requests, without its text', async () => {
    const lines: string[] = [];
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
    await withHttpPlace({ config: { token: TOKEN }, log, hasPage: true }, async ({ url }) => {
      for (let n = 0; n < 30; n += 1) {
        const login = { path: '/api/session', body: '{"token":"a-wrong-token-1"}' };
        expect((await ask(url, login)).status).toBe(401);
        if (n === 0) expect(lines.join('')).toContain('refused');
        await greet(url, { Authorization: 'Bearer a-wrong-token-1' });
      }
      const refused = lines.filter((line) => line.includes('refused'));
      expect(refused).toHaveLength(1);
      expect(refused[0]).not.toContain('a-wrong-token');
    });
  });

  it('is requested with WWW-Authenticate, and only the whole token is accepted', async () => {
    await withHttpPlace({ config: { token: TOKEN } }, async ({ url }) => {
      const none = await greet(url, {});
      expectRefusal(none, 401);
      expect(none.headers['www-authenticate']).toBe('Bearer realm="daybook"');
      const wrong = [
        ...[TOKEN.slice(0, -1), `${TOKEN}x`, TOKEN.toUpperCase(), 'x'.repeat(TOKEN.length)],
        ...['x', 'x'.repeat(8000), `${TOKEN} ${TOKEN}`],
      ];
      for (const token of wrong) {
        const answer = await greet(url, { Authorization: `Bearer ${token}` });
        expectRefusal(answer, 401);
        expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="daybook"/);
        expect(answer.text).not.toContain(TOKEN);
      }
      expectRefusal(await greet(url, { Authorization: `Basic ${TOKEN}` }), 401);
      expectRefusal(await greet(url, { Authorization: TOKEN }), 401);
      expect((await greet(url, { Authorization: `Bearer ${TOKEN}` })).status).toBe(200);
      expect((await greet(url, { Authorization: `bearer  ${TOKEN}` })).status).toBe(200);
    });
  });

  it('is required for every method, before the body is read', async () => {
    await withHttpPlace({ config: { token: TOKEN } }, async ({ url }) => {
      for (const method of ['GET', 'DELETE', 'PUT', 'PATCH'])
        expectRefusal(await ask(url, { method }), 401);
      expectRefusal(await ask(url, { body: 'no JSON' }), 401);
      const session = { ...JSON_HEADERS, 'Mcp-Session-Id': 'guess' };
      expectRefusal(await ask(url, { headers: session, body: rpc('ping') }), 401);
    });
  });
});

describe('a request without a token', () => {
  it('can only find out whether the server runs', async () => {
    await withHttpPlace({ config: { token: TOKEN } }, async ({ url, root }) => {
      const health = await ask(url, { method: 'GET', path: '/healthz' });
      expect([health.status, health.text]).toEqual([200, '{"status":"ok"}']);
      expect(JSON.stringify(health)).not.toContain(root);
      for (const path of ['/', '/mcp/x', '/mcp/../x', '/.well-known/oauth-protected-resource'])
        expectRefusal(await ask(url, { method: 'GET', path }), 404);
      expectRefusal(await ask(url, { method: 'GET', path: '/%E0%A4%A' }), 404);
    });
  });
});

describe('the rate', () => {
  it('is limited for each address, and the limit is reported', async () => {
    await withHttpPlace({ config: { ratePerMinute: 5 } }, async ({ url }) => {
      for (let n = 0; n < 5; n += 1) expect((await greet(url, {})).status).toBe(200);
      const answer = await greet(url, { 'X-Forwarded-For': '1.2.3.4' });
      expectRefusal(answer, 429);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
      expect((await ask(url, { method: 'GET', path: '/healthz' })).status).toBe(200);
    });
  });

  it('counts each message of a batch', async () => {
    await withHttpPlace({ config: { ratePerMinute: 10 } }, async ({ url }) => {
      const headers = await begin(url, '2025-03-26'); // two requests
      const batch = (size: number) =>
        `[${Array.from({ length: size }, (_, id) => rpc('ping', {}, id)).join(',')}]`;
      expect((await ask(url, { headers, body: batch(5) })).status).toBe(200);
      expectRefusal(await ask(url, { headers, body: batch(5) }), 429);
      expectRefusal(await ask(url, { headers, body: rpc('ping') }), 429);
    });
  });
});
