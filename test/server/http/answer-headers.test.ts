/** The headers of a call's stream: they come with the answer of a short call, and before that of a long one. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
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

describe('the headers of a call', () => {
  it('come in one piece with the answer, where that is ready soon', async () => {
    const tool = answersAfter(() => delay(10));
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const headers = { ...(await begin(url)), Host: new URL(url).host };
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      const length = `Content-Length: ${Buffer.byteLength(CALL)}\r\n`;
      const socket = connect(Number(new URL(url).port), '127.0.0.1');
      socket.write(`POST /mcp HTTP/1.1\r\n${lines.join('')}${length}\r\n${CALL}`);
      const [first] = await once(socket, 'data');
      socket.destroy();
      expect(String(first)).toMatch(/^HTTP\/1\.1 200 OK\r\n.*\r\n\r\n.*data: \{.*"result"/s);
    });
  });

  it('come before it, where a call takes long', async () => {
    let open = () => undefined as unknown;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const tool = answersAfter(() => opened);
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const sent = request(url, { method: 'POST', headers: await begin(url), agent: false });
      sent.end(CALL);
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      open();
      expect(await text(response)).toContain('"result"');
    });
  });
});
