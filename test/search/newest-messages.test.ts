/** The newest messages of all conversations, compared with a sort of all messages. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MessageIndex } from '../../src/search/messages/message-index.js';
import {
  newestConversations,
  newestMessages,
  type TimedMessage,
} from '../../src/search/messages/newest-messages.js';

interface Made {
  module: string;
  times: number[];
}

const made = fc.array(
  fc.record({
    module: fc.constantFrom('plan', 'discuss'),
    times: fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 }),
  }),
  { maxLength: 12 },
);

const idOf = (n: number) => `20250101-${String(1_000_000_000_000 + n)}`;

function indexOf(conversations: readonly Made[]): MessageIndex {
  const index = new MessageIndex();
  index.load({
    ids: conversations.map((_, n) => idOf(n)),
    isComplete: new Uint8Array(conversations.length).fill(1),
    starts: new Uint32Array(conversations.length + 1),
    owners: new Uint32Array(0),
    seqs: new Uint32Array(0),
    unpack: (number) => {
      const { module = '', times = [] } = conversations[number] ?? {};
      const facts = { title: '', titleFrom: '', tags: '', roles: [], fingerprints: [] };
      return { ...facts, number, module, times, documents: [] };
    },
  });
  return index;
}

/** All messages, sorted. */
function oracle(conversations: readonly Made[], module: string | undefined, since: number) {
  return conversations
    .flatMap((conversation, n) =>
      conversation.times.map((time, at) => ({
        place: { conversationId: idOf(n), seq: at + 1, time },
        isIn: (module === undefined || module === conversation.module) && time >= since,
      })),
    )
    .filter(({ isIn }) => isIn)
    .map(({ place }) => place)
    .sort(
      (a, b) =>
        b.time - a.time ||
        (a.conversationId < b.conversationId ? 1 : -1) *
          Number(a.conversationId !== b.conversationId) ||
        b.seq - a.seq,
    );
}

describe('newest messages', () => {
  it('are the same as after sorting all messages, in pages, each once', () => {
    fc.assert(
      fc.property(
        made,
        fc.option(fc.constantFrom('plan', 'discuss'), { nil: undefined }),
        fc.integer({ min: 0, max: 30 }),
        fc.integer({ min: 1, max: 7 }),
        (conversations, module, since, limit) => {
          const index = indexOf(conversations);
          const expected = oracle(conversations, module, since);
          const seen: TimedMessage[] = [];
          let after: TimedMessage | undefined;
          for (;;) {
            const page = newestMessages(index, {
              since,
              limit,
              ...(module !== undefined && { module }),
              ...(after && { after }),
            });
            expect(page.total).toBe(expected.length);
            seen.push(...page.messages);
            after = page.messages.at(-1);
            if (!page.hasMore) break;
          }
          expect(seen).toEqual(expected);
        },
      ),
    );
  });

  it('name the conversations with the newest messages', () => {
    fc.assert(
      fc.property(made, fc.integer({ min: 1, max: 5 }), (conversations, limit) => {
        const ordered = oracle(conversations, undefined, 0);
        const expected = [...new Set(ordered.map(({ conversationId }) => conversationId))];
        const found = newestConversations(indexOf(conversations), { limit });
        expect(found).toEqual(expected.slice(0, limit));
      }),
    );
  });
});
