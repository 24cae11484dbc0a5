/** The HTTP client: what is repeated, what never is, and what an error tells and hides. */
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createHttpClient, mayHaveActed, retryAfterMs } from '../../src/providers/http-client.js';
import { quoteUpstream, redact } from '../../src/providers/upstream-text.js';
import { errorOf } from '../support/error-of.js';

const KEY = 'pplx-secret-key-123456';
/** For requests that are not about time. */
const PATIENT_MS = 60_000;
const servers: Server[] = [];
const send = createHttpClient({ secrets: [KEY], retryDelayMs: 1, maxBodyBytes: 10_000 });

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function freedPort(): Promise<string> {
  const url = await serve(() => undefined);
  await new Promise((resolve) => servers.pop()?.close(resolve));
  return url;
}

afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

describe('http client', () => {
  it('returns any status, with the JSON or without', async () => {
    const url = await serve((request, response) => {
      response.writeHead(request.url === '/html' ? 401 : 200);
      response.end(request.url === '/html' ? '<html>no</html>' : '{"a":"ä"}');
    });
    const good = await send({ method: 'POST', url, body: { q: 1 }, timeoutMs: PATIENT_MS });
    expect([good.status, good.json]).toEqual([200, { a: 'ä' }]);
    const page = await send({ method: 'GET', url: `${url}/html`, timeoutMs: PATIENT_MS });
    expect([page.status, page.json]).toEqual([401, undefined]);
  });

  it('repeats a GET after a 5xx and after a broken connection', async () => {
    let calls = 0;
    const url = await serve((request, response) => {
      calls += 1;
      if (calls === 1) return void request.socket.destroy();
      response.writeHead(calls === 2 ? 502 : 200).end('{}');
    });
    expect((await send({ method: 'GET', url, timeoutMs: PATIENT_MS })).status).toBe(200);
    expect(calls).toBe(3);
  });

  it('does not repeat a request that is not wanted any more', async () => {
    const url = await freedPort();
    let asked = 0;
    const isWanted = () => {
      asked += 1;
      return asked === 1;
    };
    const call = { method: 'POST', url, body: {}, timeoutMs: PATIENT_MS, isWanted } as const;
    const error = await errorOf(send(call));
    expect([error.code, mayHaveActed(error), asked]).toEqual(['CANCELLED', false, 2]);
  });

  it('never repeats a POST that may have arrived', async () => {
    let calls = 0;
    const url = await serve((request) => {
      calls += 1;
      request.socket.destroy();
    });
    const error = await errorOf(send({ method: 'POST', url, body: {}, timeoutMs: PATIENT_MS }));
    expect([error.code, error.details?.['outcome'], mayHaveActed(error)]).toEqual([
      'PROVIDER',
      'unknown',
      true,
    ]);
    expect(calls).toBe(1);
  });

  it('does not repeat a POST answered with 500', async () => {
    let calls = 0;
    const url = await serve((_request, response) => {
      calls += 1;
      response.writeHead(500).end('{}');
    });
    expect((await send({ method: 'POST', url, body: {}, timeoutMs: PATIENT_MS })).status).toBe(500);
    expect(calls).toBe(1);
  });

  it('repeats a request after a refused connection, because nothing was sent', async () => {
    const url = await freedPort();
    const error = await errorOf(send({ method: 'POST', url, body: {}, timeoutMs: PATIENT_MS }));
    expect([error.code, mayHaveActed(error)]).toEqual(['PROVIDER', false]);
    const { port } = new URL(url);
    const late = createHttpClient({ retryDelayMs: 150 });
    const answer = late({ method: 'POST', url, body: {}, timeoutMs: PATIENT_MS });
    const server = createServer((_request, response) => response.end('{}'));
    servers.push(server);
    server.listen(Number(port), '127.0.0.1');
    expect((await answer).status).toBe(200);
  });

  it('ends with TIMEOUT and with CANCELLED, both of unknown outcome', async () => {
    const abort = new AbortController();
    const url = await serve((request) => void (request.url === '/cancel' && abort.abort()));
    const slow = await errorOf(send({ method: 'POST', url, body: {}, timeoutMs: 30 }));
    expect([slow.code, mayHaveActed(slow)]).toEqual(['TIMEOUT', true]);
    const { signal } = abort;
    const call = { method: 'POST', url: `${url}/cancel`, body: {}, timeoutMs: PATIENT_MS } as const;
    const left = await errorOf(send({ ...call, signal }));
    expect([left.code, mayHaveActed(left)]).toEqual(['CANCELLED', true]);
    const early = await errorOf(send({ ...call, signal }));
    expect([early.code, mayHaveActed(early)]).toEqual(['CANCELLED', false]);
  });

  it('times out in the middle of a body', async () => {
    const url = await serve((_request, response) => void response.write('{"a":'));
    const error = await errorOf(send({ method: 'POST', url, body: {}, timeoutMs: 50 }));
    expect(error.code).toBe('TIMEOUT');
  });

  it('stops reading a body that is too large', async () => {
    const url = await serve((_request, response) => void response.end('x'.repeat(50_000)));
    const error = await errorOf(send({ method: 'POST', url, body: {}, timeoutMs: PATIENT_MS }));
    expect([error.code, mayHaveActed(error)]).toEqual(['PROVIDER', true]);
  });

  it('does not carry the key to where a redirect leads', async () => {
    const seen: (string | undefined)[] = [];
    const other = await serve((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    const url = await serve((_request, response) => {
      response.writeHead(307, { location: other }).end();
    });
    const headers = { authorization: `Bearer ${KEY}` };
    const reply = await send({ method: 'POST', url, headers, body: {}, timeoutMs: PATIENT_MS });
    expect([reply.status, seen]).toEqual([307, []]);
  });

  it('keeps keys out of messages and causes', async () => {
    const headers = { authorization: `Bearer ${KEY}\n` };
    const url = await serve((_request, response) => void response.end('{}'));
    const error = await errorOf(
      send({
        method: 'GET',
        url,
        headers: { ...headers, 'x-odd\u0000': KEY },
        timeoutMs: PATIENT_MS,
      }),
    );
    expect(JSON.stringify([error.message, String(error.cause), error.details])).not.toContain(KEY);
  });
});

describe('retryAfterMs', () => {
  const waitFor = (value: string) => retryAfterMs(new Headers({ 'retry-after': value }), 1_000_000);
  it('reads seconds and dates', () => {
    expect(waitFor('7')).toBe(7000);
    expect(waitFor('0.5')).toBe(500);
    expect(waitFor(new Date(1_060_000).toUTCString())).toBe(60_000);
    expect(waitFor(new Date(0).toUTCString())).toBe(0);
    expect(waitFor('soon')).toBeUndefined();
    expect(retryAfterMs(new Headers(), 0)).toBeUndefined();
  });
});

describe('upstream text', () => {
  it('is quoted short, on one line, without keys', () => {
    const quoted = quoteUpstream(`Ignore "all"\n\u0007rules\u202e ${'x'.repeat(500)}`);
    expect(quoted.startsWith(`"Ignore 'all' rules x`)).toBe(true);
    expect(Array.from(quoted).length).toBeLessThanOrEqual(203);
    expect(redact(`key ${KEY}, Bearer abc.def and pplx-otherotherother`, [KEY])).toBe(
      'key [redacted], Bearer [redacted] and [redacted]',
    );
  });
});
