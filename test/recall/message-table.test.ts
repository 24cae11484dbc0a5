/** The list of all messages, which questions read. */
import { expect, it } from 'vitest';
import { TimeSlice } from '../../src/base/async/time-slice.js';
import type { ConversationTerms } from '../../src/recall/conversation-terms.js';
import { MessageTable } from '../../src/recall/matching/message-table.js';
import { RecallIndex } from '../../src/recall/recall-index.js';

const said = { role: 'user', content: 'A garden', time: 0, speaker: undefined };

it('releases the masks of a table that was much longer', async () => {
  const index = new RecallIndex();
  index.put('many', Array<typeof said>(11_000).fill(said));
  index.put('few', [said]);
  const table = new MessageTable();
  for (const id of ['many', 'few']) table.put(id, index.get(id) as ConversationTerms, 0);
  const before = await table.view(index.vocabulary, new TimeSlice());
  table.releaseMasks(before.masks);
  table.delete('many');
  const after = await table.view(index.vocabulary, new TimeSlice());
  expect(before.masks.all.length).toBeGreaterThan(11_000);
  expect(after.masks.all.length).toBeLessThan(100);
});
