/** A search directly after another process has deleted a conversation that it would find. */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { idOf, openPlace, put } from './search-place.js';

it('does not count the messages of the deleted conversation', async () => {
  const { messageSearch, recall, logsFolder } = await openPlace();
  for (const [at, content] of ['tomato', 'tomato and peas', 'peas'].entries())
    put(logsFolder, idOf(at), { messages: [{ role: 'user', content }] });
  const request = { query: 'tomato', mode: 'auto', filters: {}, offset: 0 } as const;
  await recall.ready({ maxWaitMs: 60_000 });
  const [first] = (await messageSearch.search({ ...request, limit: 1 })).hits;
  rmSync(join(logsFolder, first?.conversationId ?? ''), { recursive: true });
  for (const limit of [1, 20]) {
    const { total, hits } = await messageSearch.search({ ...request, limit });
    expect({ total, hits: hits.length }).toEqual({ total: 1, hits: 1 });
  }
});
