/** The tool calls of the page have the errors of MCP calls. */
import { getEventListeners } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { silentLog } from '../../../src/base/log.js';
import { PageCalls } from '../../../src/server/http/page/page-calls.js';
import { PageUploads } from '../../../src/server/http/page/page-uploads.js';
import { withHttpPlace } from '../../support/http-place.js';
import { startStandIn } from '../../support/perplexity-stand-in.js';
import { gate } from '../../support/research-bench.js';

it('refuse a store that another process encrypts, and know the trash', async () => {
  await withHttpPlace({}, async ({ app, root }) => {
    const calls = new PageCalls(() => app, silentLog, new PageUploads());
    const call = (name: string, args = {}) => calls.run(name, args, new AbortController().signal);
    const message = { role: 'user', content: 'Hello', conversationId: 'plan' };
    expect(await call('save_message', message)).toMatchObject({ status: 200 });
    await call('delete_conversation', { conversationId: 'plan' });
    expect(await call('get_conversation', { conversationId: 'plan' })).toMatchObject({
      body: { error: { code: 'CONVERSATION_NOT_FOUND', details: { isInTrash: true } } },
    });
    const converting = { to: null };
    const marker = { format: 'daybook-encryption', version: 1, key: null, converting };
    writeFileSync(join(root, 'conversation-logs', 'encryption.json'), JSON.stringify(marker));
    for (const name of ['get_conversations', 'mb_list', 'store_info'])
      expect(await call(name)).toMatchObject({ body: { error: { code: 'LOCKED' } } });
  });
});

it('store the answer of a search that is paid for, although the browser has closed the page', async () => {
  const api = await startStandIn();
  onTestFinished(() => api.close());
  await withHttpPlace({ settings: () => api.env }, async ({ app }) => {
    const calls = new PageCalls(() => app, silentLog, new PageUploads());
    const { conversationId } = await app.conversations.create({
      messages: [{ role: 'user', content: 'Why is the sky blue?' }],
    });
    const gone = new AbortController();
    const { opened, open } = gate();
    api.next({ on: 'create', kind: 'held', until: opened });
    const input = { conversationId, query: 'And red?' };
    const answer = calls.run('perplexity_search_followup', input, gone.signal);
    await expect.poll(() => api.creates).toBe(1);
    gone.abort();
    expect(await answer).toMatchObject({ body: { error: { code: 'CANCELLED' } } });
    open();
    await expect
      .poll(async () => (await app.conversations.load(conversationId)).messages)
      .toHaveLength(3);
    // Node prints a warning if one signal has many listeners.
    expect(getEventListeners(calls.accepted.endSignal, 'abort')).toEqual([]);
  });
});
