/** How an answer is sent: in one piece for a short call, after its headers for a long one. */
import { once } from 'node:events';
import { createServer, get, IncomingMessage, request, ServerResponse } from 'node:http';
import { type AddressInfo, connect, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { yieldToEventLoop } from '../../../src/base/async/time-slice.js';
import { ResponseChannel } from '../../../src/server/http/response-channel.js';
import { defineTool, READS, success } from '../../../src/tools/define-tool.js';
import { begin, rpc, withHttpPlace } from '../../support/http-place.js';

/** A tool that answers once `ready` resolves. */
const answersAfter = (ready: () => Promise<unknown>) =>
  defineTool({
    name: 'wait_a_moment',
    toolset: 'conversations',
    title: 'Wait',
    description: 'Answers later.',
    input: () => z.strictObject({}),
    output: () => z.object({ success }),
    annotations: READS,
    async run() {
      await ready();
      return {};
    },
  });

const CALL = rpc('tools/call', { name: 'wait_a_moment', arguments: {} });

describe('the answer of a call', () => {
  it('is sent in one piece with its headers if the call is short', async () => {
    const tool = answersAfter(async () => undefined);
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const headers = { ...(await begin(url)), Host: new URL(url).host };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const length = `Content-Length: ${Buffer.byteLength(CALL)}\r\n`;
      const firstPiece = async () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1');
        socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}${length}\r\n${CALL}`);
        const [first] = await once(socket, 'data');
        socket.destroy();
        return String(first);
      };
      const pieces: string[] = [];
      // On a busy machine even this call can take so long that its headers are sent first.
      while (pieces.length < 20 && !pieces.at(-1)?.includes('"result"')) {
        pieces.push(await firstPiece());
      }
      expect(pieces.at(-1)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\nevent.*data: \{.*"result"/s);
    });
  });

  it('is sent after its headers if the call is long', async () => {
    let open = () => undefined as unknown;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tool = answersAfter(() => opened);
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const sent = request(url, { method: 'POST', headers: await begin(url), agent: false });
      sent.end(CALL);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect(response.headers['content-type']).toBe('text/event-stream');
      open();
      expect(await text(response)).toMatch(/^event: message\ndata: \{"result".*\}\n\n$/);
    });
  });
});

describe('an event stream', () => {
  /** Sends events of 64 kB, 64 MB at most, while the client reads as `read` says. Returns how many were sent. */
  async function eventsUntilClosed(read: (response: IncomingMessage) => void): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const sent = get({ host: '127.0.0.1', port: (server.address() as AddressInfo).port });
    sent.on('error', () => undefined);
    const [, res] = (await once(server, 'request')) as [unknown, ServerResponse];
    const channel = new ResponseChannel(res, true);
    channel.open();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.on('error', () => undefined);
    read(response);
    let count = 0;
    for (; count < 1000 && !res.destroyed; count += 1) {
      channel.notify('x'.repeat(64 * 1024));
      await yieldToEventLoop();
    }
    sent.destroy();
    server.close();
    return count;
  }

  it('is closed if its client reads nothing', async () => {
    expect(await eventsUntilClosed((response) => response.pause())).toBeLessThan(1000);
  });

  it('gets nothing more after its answer, which a slow client has not read yet', async () => {
    vi.useFakeTimers();
    try {
      const res = new ServerResponse(new IncomingMessage(new Socket()));
      const errors: Error[] = [];
      res.on('error', (error) => errors.push(error));
      const channel = new ResponseChannel(res, true);
      channel.open();
      channel.answer({});
      await vi.advanceTimersByTimeAsync(60_000);
      expect(errors).toEqual([]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('stays open while its client reads', async () => {
    expect(await eventsUntilClosed((response) => response.resume())).toBe(1000);
  });
});
