/** The stateless protocol (2026-07-28) on the same address: requests that need no session. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { AppError } from '../../../src/base/errors.js';
import { defineTool, READS, success } from '../../../src/tools/define-tool.js';
import {
  type Answer,
  ask,
  type HttpPlaceOptions,
  JSON_HEADERS,
  withHttpPlace,
} from '../../support/http-place.js';
import { startStandIn } from '../../support/perplexity-stand-in.js';
import { gate } from '../../support/research-bench.js';

const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const META = { [`${PREFIX}protocolVersion`]: VERSION, [`${PREFIX}clientCapabilities`]: {} };

interface Options {
  readonly meta?: Record<string, unknown>;
  readonly headers?: Record<string, string>;
  readonly id?: number | string;
}

function message(method: string, params: Record<string, unknown> = {}, options: Options = {}) {
  const { meta = {}, headers = {}, id = 1 } = options;
  const name = params['name'] ?? params['uri'];
  return {
    headers: {
      ...JSON_HEADERS,
      'MCP-Protocol-Version': VERSION,
      'Mcp-Method': method,
      ...(name !== undefined && { 'Mcp-Name': String(name) }),
      ...headers,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id,
      method,
      params: { ...params, _meta: { ...META, ...meta } },
    }),
  };
}

const save = {
  name: 'save_message',
  arguments: { conversationId: 'm', role: 'user', content: 'x' },
};

function firstUri({ body }: Answer): string {
  const { resources } = body.result as { resources: { uri: string }[] };
  return resources[0]?.uri ?? '';
}

/** Messages of a stream as they arrive. */
async function* events(response: Response): AsyncGenerator<Record<string, unknown>> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = /^data: (.*)$/m.exec(block)?.[1];
      if (data !== undefined) yield JSON.parse(data) as Record<string, unknown>;
    }
  }
}

/** A tool that reports, and then waits until it is cancelled. */
function waiting() {
  const seen = { started: 0, aborted: 0 };
  const tool = defineTool({
    name: 'wait_here',
    toolset: 'conversations',
    title: 'Wait',
    description: 'Waits.',
    input: () => z.strictObject({}),
    output: () => z.object({ success }),
    annotations: READS,
    async run(_input, _app, { signal, progress }) {
      seen.started += 1;
      progress({ progress: 1 });
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      seen.aborted += 1;
      return {};
    },
  });
  return { seen, options: { server: { tools: [tool] } } satisfies HttpPlaceOptions };
}

describe('a request of the stateless protocol', () => {
  it.each([false, true])('is answered without a session (stateless: %s)', async (isStateless) => {
    await withHttpPlace({ config: { isStateless } }, async ({ url }) => {
      const found = await ask(url, message('server/discover', {}, { id: 'first' }));
      expect(found.headers).not.toHaveProperty('mcp-session-id');
      expect(found.body).toMatchObject({
        id: 'first',
        result: {
          resultType: 'complete',
          supportedVersions: [VERSION],
          capabilities: { tools: {}, resources: { subscribe: true } },
          ttlMs: expect.any(Number),
          cacheScope: 'private',
          _meta: { [`${PREFIX}serverInfo`]: { name: 'daybook' } },
        },
      });
      const saved = await ask(url, message('tools/call', save));
      expect(saved.body.result).toMatchObject({
        resultType: 'complete',
        structuredContent: { success: true },
      });
      const listed = await ask(url, message('resources/list'));
      expect(listed.body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
      const uri = firstUri(listed);
      const read = await ask(url, message('resources/read', { uri }));
      expect(read.text).toContain(uri);
      const failed = await ask(
        url,
        message('tools/call', { name: 'store_info', arguments: { a: 1 } }),
      );
      expect(failed.body.result).toMatchObject({ isError: true, resultType: 'complete' });
    });
  });

  it('is answered as JSON, if the answer is ready soon', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const types: string[] = [];
      // On a busy machine an answer can take so long that it becomes an event stream.
      while (types.length < 20 && types.at(-1) !== 'application/json') {
        const { headers, body } = await ask(url, message('server/discover'));
        types.push(String(headers['content-type']));
        expect(body).toMatchObject({ result: { resultType: 'complete' } });
      }
      expect(types.at(-1)).toBe('application/json');
    });
  });

  it('is refused with its id if headers or _meta are wrong', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const named = (headers: Record<string, string>) => message('tools/call', save, { headers });
      const cases: readonly [number, number, ReturnType<typeof message>][] = [
        [400, -32602, message('tools/list', {}, { meta: { [`${PREFIX}protocolVersion`]: 1 } })],
        [
          400,
          -32602,
          message('tools/list', {}, { meta: { [`${PREFIX}clientCapabilities`]: null } }),
        ],
        [400, -32020, named({ 'MCP-Protocol-Version': '2025-11-25' })],
        [400, -32020, named({ 'Mcp-Method': 'tools/list' })],
        [400, -32020, named({ 'Mcp-Method': 'TOOLS/CALL' })],
        [400, -32020, named({ 'Mcp-Name': 'get_conversation' })],
        [400, -32020, named({ 'Mcp-Name': '=?base64?eHh4?=' })],
        [404, -32601, message('initialize')],
        [404, -32601, message('ping')],
        [404, -32601, message('resources/subscribe', { uri: 'daybook://x' })],
        [404, -32601, message('no/such/method')],
        [400, -32602, message('subscriptions/listen', { notifications: 'all' })],
        [200, -32602, message('resources/read', { uri: 'daybook://conversation/none' })],
      ];
      for (const [status, code, request] of cases) {
        const answer = await ask(url, request);
        expect([answer.status, answer.body.error?.code], request.body).toEqual([status, code]);
        expect(answer.body, request.body).toMatchObject({ id: 1 });
      }
      const later = { [`${PREFIX}protocolVersion`]: '2030-01-01' };
      const headers = { 'MCP-Protocol-Version': '2030-01-01' };
      const unsupported = await ask(url, message('tools/list', {}, { meta: later, headers }));
      expect(unsupported.status).toBe(400);
      expect(unsupported.body.error).toMatchObject({
        code: -32022,
        data: { supported: [VERSION], requested: '2030-01-01' },
      });
    });
  });

  it('can have a base64 value in the header Mcp-Name', async () => {
    await withHttpPlace({}, async ({ url }) => {
      const encoded = `=?base64?${Buffer.from(save.name).toString('base64')}?=`;
      const request = message('tools/call', save, { headers: { 'Mcp-Name': encoded } });
      expect((await ask(url, request)).body.result?.['isError']).toBeFalsy();
    });
  });

  it('needs the same token and headers as other requests', async () => {
    await withHttpPlace({ config: { token: 'a-token-for-the-stateless' } }, async ({ url }) => {
      expect((await ask(url, message('tools/list'))).status).toBe(401);
      const evil = message('tools/list', {}, { headers: { Origin: 'http://evil.example' } });
      expect((await ask(url, evil)).status).toBe(403);
    });
  });

  it('gets progress before the answer, and log messages only if it asked for them', async () => {
    const tool = defineTool({
      name: 'fail_here',
      toolset: 'conversations',
      title: 'Fail',
      description: 'Fails.',
      input: () => z.strictObject({}),
      output: () => z.object({ success }),
      annotations: READS,
      async run(_input, _app, { progress }) {
        progress({ progress: 1 });
        throw new AppError('INTERNAL', 'broken');
      },
    });
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const methodsOf = async (meta: Record<string, unknown>) => {
        const request = message('tools/call', { name: 'fail_here', arguments: {} }, { meta });
        const { text } = await ask(url, request);
        const lines = text.split('\n').filter((line) => line.startsWith('data: '));
        return lines.map((line) => JSON.parse(line.slice(6)).method ?? 'answer');
      };
      expect(await methodsOf({ progressToken: 7 })).toEqual(['notifications/progress', 'answer']);
      const logged = { [`${PREFIX}logLevel`]: 'error' };
      expect(await methodsOf(logged)).toEqual(['notifications/message', 'answer']);
      const id = 'daybook/log-level';
      const { body } = await ask(url, message('tools/list', {}, { meta: logged, id }));
      expect(body).toMatchObject({ id, result: { tools: expect.any(Array) } });
    });
  });

  it('is cancelled by closing the connection', async () => {
    const { seen, options } = waiting();
    await withHttpPlace(options, async ({ url }) => {
      const leaving = new AbortController();
      const request = message('tools/call', { name: 'wait_here', arguments: {} });
      const asked = fetch(url, { method: 'POST', ...request, signal: leaving.signal });
      while (seen.started === 0) await delay(5);
      leaving.abort();
      await expect(asked).rejects.toThrow();
      while (seen.aborted === 0) await delay(5);
    });
  });

  it('for an answer that is paid for stores it although the connection was closed', async () => {
    const api = await startStandIn();
    onTestFinished(() => api.close());
    await withHttpPlace({ settings: () => api.env }, async ({ url, app }) => {
      const { opened, open } = gate();
      api.next({ on: 'create', kind: 'held', until: opened });
      const search = { name: 'perplexity_search', arguments: { query: 'Why?' } };
      const abort = new AbortController();
      const init = { method: 'POST', signal: abort.signal, ...message('tools/call', search) };
      const failed = expect(fetch(url, init).then((sent) => sent.text())).rejects.toThrow();
      await expect.poll(() => api.creates).toBe(1);
      abort.abort();
      await failed;
      open();
      await expect.poll(() => app.conversations.list()).toHaveLength(1);
    });
  });

  it('is answered if the server stops meanwhile', async () => {
    const { seen, options } = waiting();
    await withHttpPlace(options, async ({ url, close }) => {
      const asked = ask(url, message('tools/call', { name: 'wait_here', arguments: {} }));
      while (seen.started === 0) await delay(5);
      await close();
      expect((await asked).body.result).toMatchObject({ structuredContent: { success: true } });
    });
  });
});

describe('subscriptions/listen', () => {
  it('ends a subscription when its client disconnects, without an effect on writers', async () => {
    await withHttpPlace({}, async ({ url, app }) => {
      await ask(url, message('tools/call', save));
      const uri = firstUri(await ask(url, message('resources/list')));
      const notifications = { resourceSubscriptions: [uri], resourcesListChanged: true };
      for (let turn = 0; turn < 5; turn += 1) {
        const leaving = new AbortController();
        const request = message('subscriptions/listen', { notifications });
        const sent = { method: 'POST', signal: leaving.signal, ...request };
        const stream = events(await fetch(url, sent));
        await stream.next();
        await app.conversations.append('m', [{ role: 'user', content: 'more' }]);
        await delay(180 + turn * 10); // about when the notifications are sent
        leaving.abort();
        await stream.next().catch(() => undefined);
      }
      expect((await ask(url, message('server/discover'))).status).toBe(200);
    });
  });

  it('reports only the changes that were subscribed to, until the server stops', async () => {
    await withHttpPlace({}, async ({ url, app, close }) => {
      await ask(url, message('tools/call', save));
      const uri = firstUri(await ask(url, message('resources/list')));
      const listen = async (notifications: Record<string, unknown>, id: string) => {
        const request = message('subscriptions/listen', { notifications }, { id });
        const stream = events(await fetch(url, { method: 'POST', ...request }));
        const next = async () => (await stream.next()).value as Record<string, unknown>;
        return { next, acknowledged: await next() };
      };
      const updates = await listen(
        { resourceSubscriptions: [uri, 'daybook://none'], toolsListChanged: true },
        'u',
      );
      const lists = await listen({ resourcesListChanged: true }, 'l');
      const _meta = { [`${PREFIX}subscriptionId`]: 'u' };
      expect(updates.acknowledged).toMatchObject({
        method: 'notifications/subscriptions/acknowledged',
        params: { notifications: { resourceSubscriptions: [uri] }, _meta },
      });
      await app.conversations.append('m', [{ role: 'user', content: 'more' }]);
      expect(await updates.next()).toMatchObject({
        method: 'notifications/resources/updated',
        params: { uri, _meta },
      });
      await app.conversations.create({ messages: [{ role: 'user', content: 'new' }] });
      expect(await lists.next()).toMatchObject({
        method: 'notifications/resources/list_changed',
        params: { _meta: { [`${PREFIX}subscriptionId`]: 'l' } },
      });
      const ended = updates.next();
      await close();
      expect(await ended).toMatchObject({ id: 'u', result: { resultType: 'complete', _meta } });
    });
  });
});
