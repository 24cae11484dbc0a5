/** Both kinds of the protocol over stdio: requests without a session (revision 2026-07-28), and sessions. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { BareServer, type Place, withPlace } from './harness.js';

const VERSION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const meta = (version: string = VERSION, more: Record<string, unknown> = {}) => ({
  _meta: { [`${PREFIX}protocolVersion`]: version, [`${PREFIX}clientCapabilities`]: {}, ...more },
});
const saveParams = {
  name: 'save_message',
  arguments: { conversationId: 'era', role: 'user', content: 'x' },
};

async function withServer(work: (server: BareServer, place: Place) => Promise<void>) {
  await withPlace(async (place) => {
    const server = new BareServer(place);
    await work(server, place);
    server.process.stdin.end();
    expect(await server.exit()).toEqual([0, null]);
  });
}

/** Waits for the message that the test expects. */
async function lineWith(server: BareServer, text: string): Promise<Record<string, unknown>> {
  for (;;) {
    const line = server.lines.find((each) => each.includes(text));
    if (line !== undefined) return JSON.parse(line) as Record<string, unknown>;
    await delay(5);
  }
}

const conversations = async (server: BareServer) => {
  const params = { name: 'get_conversations', arguments: {}, ...meta() };
  const { result = {} } = await server.answer(server.send('tools/call', params));
  return (result['structuredContent'] as { conversations: unknown[] }).conversations;
};

describe('a server over stdio', () => {
  it('answers requests of the revision 2026-07-28 in the format of this revision', async () => {
    await withServer(async (server) => {
      const discovered = await server.answer(server.send('server/discover', meta()));
      expect(discovered.result).toMatchObject({
        resultType: 'complete',
        supportedVersions: [VERSION],
        capabilities: { tools: {}, resources: {} },
        _meta: { [`${PREFIX}serverInfo`]: { name: 'daybook' } },
      });
      const saved = await server.answer(server.send('tools/call', { ...saveParams, ...meta() }));
      expect(saved.result).toMatchObject({
        resultType: 'complete',
        structuredContent: { success: true },
        _meta: { [`${PREFIX}serverInfo`]: { name: 'daybook' } },
      });
      expect(await conversations(server)).toHaveLength(1);
      const missing = { uri: 'daybook://conversation/none', ...meta() };
      const { error } = await server.answer(server.send('resources/read', missing));
      expect(error).toMatchObject({ code: -32602, data: { uri: missing.uri } });
      const gone = await server.answer(server.send('ping', meta()));
      expect(gone.error).toMatchObject({ code: -32601 });
    });
  });

  it('lets a client start a session after server/discover, and use requests of both kinds', async () => {
    await withServer(async (server) => {
      await server.answer(server.send('server/discover', meta()));
      await server.initialize();
      const inSession = await server.answer(server.send('tools/call', saveParams));
      expect(inSession.result).toMatchObject({ structuredContent: { success: true } });
      expect(inSession.result).not.toHaveProperty('resultType');
      expect(await conversations(server)).toHaveLength(1);
    });
  });

  it('refuses a request of an unknown version before it does anything', async () => {
    await withServer(async (server) => {
      for (const requested of ['2030-01-01', '2025-11-25', 'nonsense']) {
        const params = { ...saveParams, ...meta(requested) };
        const { error } = await server.answer(server.send('tools/call', params));
        expect(error).toMatchObject({ code: -32022, data: { supported: [VERSION], requested } });
      }
      const incomplete = { ...saveParams, _meta: { [`${PREFIX}protocolVersion`]: VERSION } };
      const { error } = await server.answer(server.send('tools/call', incomplete));
      expect(error).toMatchObject({ code: -32602 });
      expect((await server.answer(server.send('server/discover', {}))).error).toMatchObject({
        code: -32602,
      });
      expect(await conversations(server)).toEqual([]);
    });
  });

  it('sends progress of a request, and the notifications of subscriptions/listen until its cancellation', async () => {
    await withServer(async (server) => {
      await server.answer(server.send('tools/call', { ...saveParams, ...meta() }));
      const listed = await server.answer(server.send('resources/list', meta()));
      const { result = {} } = listed;
      const { uri = '' } = (result['resources'] as { uri: string }[])[0] ?? {};
      const notifications = { resourceSubscriptions: [uri] };
      const id = server.send('subscriptions/listen', { notifications, ...meta() });
      expect(await lineWith(server, 'subscriptions/acknowledged')).toMatchObject({
        params: { notifications, _meta: { [`${PREFIX}subscriptionId`]: id } },
      });
      await server.answer(server.send('tools/call', { ...saveParams, ...meta() }));
      expect(await lineWith(server, 'resources/updated')).toMatchObject({ params: { uri } });
      server.send('notifications/cancelled', { requestId: id, ...meta() }, false);
      await server.answer(server.send('tools/list', meta()));
      expect(server.lines.some((line) => JSON.parse(line).id === id)).toBe(false);
    });
  });

  it('answers a listening client when the server ends', async () => {
    await withPlace(async (place) => {
      const server = new BareServer(place);
      const params = { notifications: { resourcesListChanged: true }, ...meta() };
      const id = server.send('subscriptions/listen', params);
      await lineWith(server, 'subscriptions/acknowledged');
      server.process.stdin.end();
      expect(await server.exit()).toEqual([0, null]);
      expect((await server.answer(id)).result).toMatchObject({ resultType: 'complete' });
    });
  });
});

describe('a message that is no request', () => {
  it('is answered with an error and a short log, and the next one is served', async () => {
    await withServer(async (server) => {
      await server.initialize();
      const deep = `${'['.repeat(600)}${']'.repeat(600)}`;
      const keys = Array.from({ length: 20_000 }, (_, n) => `"k${n}":1`).join(',');
      const ping = '"method":"ping","params"';
      const cases: readonly [string, number, unknown][] = [
        ['{"jsonrpc":"2.0","id":1,', -32700, null],
        ['this is no JSON', -32700, null],
        ['{"jsonrpc":"2.0"}', -32600, null],
        ['{"jsonrpc":"2.0","id":2,"result":7}', -32600, null],
        ['[]', -32600, null],
        [`{"jsonrpc":"2.0","id":7,${ping}:{"a":${deep}}}`, -32600, 7],
        [`{"jsonrpc":"2.0","id":"k",${ping}:{${keys}}}`, -32600, 'k'],
        ['{"jsonrpc":"2.0","id":8,"method":5}', -32600, 8],
        [`{"jsonrpc":"2.0","id":9,${ping}:[${'{},'.repeat(300_000)}1]}`, -32600, null],
      ];
      for (const [line, code, id] of cases) {
        const before = server.lines.length;
        server.process.stdin.write(`${line}\n`);
        while (server.lines.length === before) await delay(5);
        const answer = JSON.parse(server.lines[before] ?? '');
        expect([answer.id, answer.error.code], line.slice(0, 40)).toEqual([id, code]);
      }
      expect(server.stderr.length).toBeLessThan(300 * cases.length);
      expect((await server.answer(server.send('ping', {}))).result).toEqual({});
    });
  });
});
