/**
 * Research with the built server: a run continues after kill -9 and is created only once; answers are stored if
 * the server ends or the client cancels.
 */
import { readdir, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { startStandIn } from '../support/perplexity-stand-in.js';
import { gate } from '../support/research-bench.js';
import { type Place, withClient, withPlace } from './harness.js';

/** Makes all leases so old that the lease of a dead owner has ended. */
async function ageLeases(root: string): Promise<void> {
  const folder = join(root, 'conversation-logs', '.leases');
  const longAgo = new Date(Date.now() - 60_000);
  for (const name of await readdir(folder)) await utimes(join(folder, name), longAgo, longAgo);
}

it('a deep research continues after kill -9 of the server, without a second create', async () => {
  const api = await startStandIn({ pollsUntilDone: 1_000_000 });
  try {
    await withPlace(async (place) => {
      const env = {
        ...place.env,
        ...api.env,
        PERPLEXITY_WAIT_MS: '300',
      };
      let conversationId: unknown;
      await withClient({ ...place, env }, async ({ client, call }) => {
        const begun = await call('perplexity_deep_research', { query: 'Why is the sky blue?' });
        expect(begun).toMatchObject({ status: 'in_progress', saved: false });
        conversationId = begun['conversationId'];
        // The id of the run is on disk before the first request for its state.
        await expect.poll(() => api.received.at(-1)?.method).toBe('GET');
        const { pid } = client.transport as unknown as { pid: number };
        process.kill(pid, 'SIGKILL');
      });
      api.pollsUntilDone = 0;
      await ageLeases(place.root);
      await withClient({ ...place, env }, async ({ call }) => {
        await expect
          .poll(() => call('get_conversation_history', { conversationId }))
          .toMatchObject({
            total: 2,
            hasMore: false,
            messages: [{ content: 'Why is the sky blue?' }, {}],
          });
        const next = await call('perplexity_search_followup', {
          conversationId,
          query: 'And red?',
        });
        expect(next).toMatchObject({ saved: true, conversationId });
      });
      expect(api.creates).toBe(2);
    });
  } finally {
    await api.close();
  }
});

/** `work` gets a stand-in of Perplexity, and a place whose commands use it. */
async function withPerplexity(
  work: (api: Awaited<ReturnType<typeof startStandIn>>, place: Place) => Promise<void>,
): Promise<void> {
  const api = await startStandIn();
  try {
    await withPlace((place) => work(api, { ...place, env: { ...place.env, ...api.env } }));
  } finally {
    await api.close();
  }
}

it('the answer of a search that arrives after SIGTERM is stored and returned', async () => {
  await withPerplexity(async (api, place) => {
    await withClient(place, async ({ client, call }) => {
      api.next({ on: 'create', kind: 'held', until: sleep(1_000) });
      const answer = call('perplexity_search', { query: 'Why is the sky blue?' });
      await expect.poll(() => api.creates).toBe(1);
      const { pid } = client.transport as unknown as { pid: number };
      process.kill(pid, 'SIGTERM');
      expect(await answer).toMatchObject({ saved: true, responseId: 'resp_1' });
    });
    const folders = await readdir(join(place.root, 'conversation-logs'));
    expect(folders.filter((name) => /^\d{8}-/.test(name))).toHaveLength(1);
  });
});

it('the answer of a search that the client cancelled is stored', async () => {
  await withPerplexity(async (api, place) => {
    await withClient(place, async ({ client, call }) => {
      const { opened, open } = gate();
      api.next({ on: 'create', kind: 'held', until: opened });
      const tool = { name: 'perplexity_search', arguments: { query: 'Why is the sky blue?' } };
      const abort = new AbortController();
      const cancelled = client.callTool(tool, undefined, { signal: abort.signal });
      const failed = expect(cancelled).rejects.toThrow();
      await expect.poll(() => api.creates).toBe(1);
      abort.abort('the user does not wait'); // sends notifications/cancelled
      await failed;
      // The server has received the cancellation before this call.
      expect(await call('get_conversations')).toMatchObject({ total: 0 });
      open();
      await expect.poll(() => call('get_conversations')).toMatchObject({ total: 1 });
    });
    expect(api.creates).toBe(1);
  });
});

it('the answer of a cancelled search is stored if it arrives while the server ends', async () => {
  await withPerplexity(async (api, place) => {
    await withClient(place, async ({ client, call }) => {
      api.next({ on: 'create', kind: 'held', until: sleep(1_000) });
      const tool = { name: 'perplexity_search', arguments: { query: 'Why is the sky blue?' } };
      const abort = new AbortController();
      const cancelled = client.callTool(tool, undefined, { signal: abort.signal });
      const failed = expect(cancelled).rejects.toThrow();
      await expect.poll(() => api.creates).toBe(1);
      abort.abort('the user does not wait');
      await failed;
      await call('get_conversations'); // the server has received the cancellation
    });
    const logs = join(place.root, 'conversation-logs');
    const stored = async () => (await readdir(logs)).filter((name) => /^\d{8}-/.test(name));
    await expect.poll(stored).toHaveLength(1);
  });
});
