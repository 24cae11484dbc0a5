/**
 * A running server also removes secrets from titles, tags and metadata of a new conversation, and from the
 * questions that it sends.
 */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.js';
import { startStandIn } from '../support/perplexity-stand-in.js';
import { withClient, withPlace } from './harness.js';

const TOKEN = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO'}2xYzAb`;

it('a key in a title, tags or metadata is masked, whichever tool starts the conversation', async () => {
  const api = await startStandIn({});
  await withPlace(async (place) => {
    const env = {
      ...place.env,
      ...api.env,
    };
    await withClient({ ...place, env }, async ({ call }) => {
      const title = `the token ${TOKEN}`;
      const message = { role: 'user', content: 'hello', title };
      await call('save_message', message);
      await call('save_message', { ...message, conversationId: 'by-key' });
      await call('history_threads_create', {
        module: 'm',
        title,
        meta: { deep: [TOKEN], tags: [TOKEN] },
      });
      await call('perplexity_search', { query: title });
      const read = await call('get_conversation', { conversationId: 'by-key' });
      const [{ id: messageId = '' } = {}] = read['messages'] as { id: string }[];
      await call('branch_conversation', { conversationId: 'by-key', messageId, title });
      expect(await call('get_conversations')).toMatchObject({ total: 5 });
    });
    const holding = filesBelow(place.root).filter((path) =>
      readFileSync(path, 'latin1').includes(TOKEN),
    );
    expect(holding.map((path) => readFileSync(path, 'utf8'))).toEqual([]);
  });
});

it('no key and no private part is sent to Perplexity, and the answer reports what was left out', async () => {
  const api = await startStandIn({});
  await withPlace(async (place) => {
    await withClient({ ...place, env: { ...place.env, ...api.env } }, async ({ call }) => {
      const query = `why is ${TOKEN} refused <private>Example Street 12</private>?`;
      const { conversationId, notes } = await call('perplexity_search', { query });
      await call('perplexity_search_followup', { conversationId, query });
      const deep = await call('perplexity_deep_research', { query });
      const { conversationId: deepId } = deep;
      await call('perplexity_deep_research_followup', { conversationId: deepId, query });
      for (const told of [notes, deep['notes']]) {
        expect(String(told)).toMatch(
          /^Parts of the question \(.*GITHUB_TOKEN.*\) were neither sent nor stored/,
        );
      }
      const clear = await call('perplexity_search', { query: 'a plain question' });
      expect(clear['notes']).toEqual([]);
    });
  });
  const sent = JSON.stringify(api.received.map(({ body }) => body));
  expect(sent).toContain('why is [masked GITHUB_TOKEN] refused [private part left out]?');
  expect(sent).not.toContain(TOKEN);
  expect(sent).not.toContain('Example Street');
  await api.close();
});
