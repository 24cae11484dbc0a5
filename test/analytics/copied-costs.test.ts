/** The cost of messages that a branch has copied. */
import { expect, it } from 'vitest';
import type { ConversationFigures } from '../../src/analytics/conversation-figures.js';
import { reportOf } from '../../src/analytics/report.js';

const TIME = Date.parse('2025-01-24T10:00:00Z');
const answer = (minute: number, total: number) => ({
  time: TIME + minute * 60_000,
  role: 'assistant' as const,
  words: 2,
  tokens: 3,
  billedTokens: 1000,
  model: 'sonar',
  cost: { currency: 'USD', total },
});
const at = new Date(TIME).toISOString();
const conversation = (
  conversationId: string,
  messages: ConversationFigures['messages'],
  source?: string,
): ConversationFigures => ({
  head: {
    conversationId,
    createdAt: at,
    updatedAt: at,
    messageCount: messages.length,
    ...(source && { branchOf: { conversationId: source, messageId: 'm' } }),
  },
  messages,
});
const REQUEST = { timeZone: 'UTC', period: 'day' } as const;

it('counts once, and for the source', async () => {
  const source = conversation('a', [answer(0, 0.5), answer(1, 0.25)]);
  const branch = conversation('b', [answer(0, 0.5), answer(9, 0.125)], 'a');
  const { totals, conversations, models } = await reportOf([branch, source], REQUEST);
  expect(totals).toMatchObject({
    messages: 4,
    billedTokens: 3000,
    costs: [{ currency: 'USD', total: 0.875 }],
  });
  expect(models[0]?.[1].billedTokens).toBe(3000);
  const billed = conversations.map(({ figures, sums }) => [
    figures.head.conversationId,
    sums.billedTokens,
  ]);
  expect(billed).toEqual([
    ['a', 2000],
    ['b', 1000],
  ]);
});

it('counts for the branch if the source was deleted', async () => {
  const branch = conversation('b', [answer(0, 0.5)], 'a');
  const { totals } = await reportOf([branch], REQUEST);
  expect(totals.costs).toEqual([{ currency: 'USD', total: 0.5 }]);
});
