/** Cancelled calls of an HTTP session: their streams end, and the session can become idle. */
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { SessionEndError } from '../../../src/base/async/server-end.js';
import { defineTool, READS, success } from '../../../src/tools/define-tool.js';
import { ask, begin, rpc, withHttpPlace } from '../../support/http-place.js';

/** A tool that runs until it is aborted, or answers at once. */
function abortable(onAbort: (reason: unknown) => void = () => undefined) {
  const seen = { started: 0, aborted: 0 };
  const tool = defineTool({
    name: 'wait_for_abort',
    toolset: 'conversations',
    title: 'Wait',
    description: 'Waits until it is aborted.',
    input: () => z.strictObject({ isQuick: z.boolean().default(false) }),
    output: () => z.object({ success }),
    annotations: READS,
    async run({ isQuick }, _app, { signal }) {
      seen.started += 1;
      if (isQuick) return {};
      if (!signal.aborted)
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      seen.aborted += 1;
      onAbort(signal.reason);
      return {};
    },
  });
  return { tool, seen };
}

const call = (id: number, isQuick = false) =>
  rpc('tools/call', { name: 'wait_for_abort', arguments: { isQuick } }, id);
const cancel = (requestId: number) =>
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } });

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await delay(5);
}

const openSockets = () =>
  process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;

describe('a cancelled call', () => {
  it('ends its stream: twenty of them leave no open socket, and the session becomes idle', async () => {
    const { tool, seen } = abortable();
    let elapsedMs = 0; // by hand: on a slow machine the session would end before its first call
    const clock = { now: () => Date.now(), monotonic: () => elapsedMs };
    const options = { server: { tools: [tool] }, config: { sessionIdleMs: 200 }, clock };
    await withHttpPlace(options, async ({ url }) => {
      const headers = await begin(url);
      const before = openSockets();
      const ids = Array.from({ length: 20 }, (_, index) => index + 1);
      const calls = ids.map((id) => ask(url, { headers, body: call(id) }));
      await until(() => seen.started === 20);
      expect(openSockets()).toBeGreaterThan(before);
      for (const id of ids) await ask(url, { headers, body: cancel(id) });
      const answers = await Promise.all(calls);
      expect(answers.map(({ text }) => text)).toEqual(ids.map(() => ''));
      expect(seen.aborted).toBe(20);
      await until(() => openSockets() <= before);
      let status = 200;
      while (status === 200) {
        elapsedMs += 400;
        await delay(100); // asking keeps the session in use
        ({ status } = await ask(url, { headers, body: rpc('ping') }));
      }
      expect(status).toBe(404);
    });
  });

  it('leaves the stream of a batch open until the other calls are answered', async () => {
    const { tool, seen } = abortable();
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const headers = await begin(url, '2025-03-26');
      const batch = ask(url, { headers, body: `[${call(1)},${call(2)},${call(3, true)}]` });
      await until(() => seen.started === 3);
      await ask(url, { headers, body: cancel(1) });
      await until(() => seen.aborted === 1);
      await delay(50);
      await ask(url, { headers, body: cancel(2) });
      const { text } = await batch;
      expect(text).toContain('"id":3');
      expect(text).not.toMatch(/"id":[12]\b/);
    });
  });

  it('is told that the session ends, and its answer is sent before the streams close', async () => {
    const reasons: unknown[] = [];
    const { tool, seen } = abortable((reason) => reasons.push(reason));
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const headers = await begin(url);
      const answer = ask(url, { headers, body: call(1) });
      await until(() => seen.started === 1);
      expect((await ask(url, { headers, method: 'DELETE' })).status).toBe(200);
      expect((await answer).text).toContain('"success":true');
      expect(reasons).toEqual([expect.any(SessionEndError)]);
      expect((await ask(url, { headers, body: rpc('ping') })).status).toBe(404);
      expect((await ask(url, { headers, method: 'DELETE' })).status).toBe(404);
    });
  });

  it('ends its stream also if the cancellation is in the same batch', async () => {
    const { tool } = abortable();
    await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
      const headers = await begin(url, '2025-03-26');
      const { status } = await ask(url, { headers, body: `[${call(1)},${cancel(1)}]` });
      expect(status).toBe(200);
    });
  });
});

it('ends the stream of a call whose id the client uses again before the answer', async () => {
  const { tool, seen } = abortable();
  await withHttpPlace({ server: { tools: [tool] } }, async ({ url }) => {
    const headers = await begin(url);
    const first = ask(url, { headers, body: call(7) });
    await until(() => seen.started === 1);
    const again = await ask(url, { headers, body: call(7, true) });
    expect(again.text).toContain('"success":true');
    expect((await first).text).toBe('');
  });
});
