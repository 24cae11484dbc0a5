/** What a running server stores of a new conversation besides its messages holds no secret either. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { filesBelow } from '../support/files-below.js';
import { startStandIn } from '../support/perplexity-stand-in.js';
import { withClient, withPlace } from './harness.js';

const TOKEN = `ghp_${'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO'}2xYzAb`;

it('masks a key in titles, tags and metadata, whichever tool starts the conversation', async () => {
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
