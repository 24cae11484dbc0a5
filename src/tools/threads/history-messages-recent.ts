/** The tool `history_messages_recent`: returns the newest messages of all threads. */
import { z } from 'zod';
import { undefinedIfUnreadable } from '../../base/errors.js';
import type { TimedMessage } from '../../search/messages/newest-messages.js';
import type {
  ConversationStore,
  ConversationView,
} from '../../stores/conversations/conversations.js';
import { damagedNotes } from '../../stores/conversations/damaged-notes.js';
import { noSuchModule } from '../../stores/modules.js';
import { maxTokens, messagesWithin } from '../answers/answer-budget.js';
import { joinedNote } from '../answers/masked-note.js';
import { badCursor } from '../answers/message-page.js';
import {
  moduleField,
  threadMessageSchema,
  threadSchema,
  toThread,
  toThreadMessage,
} from '../answers/thread-view.js';
import { defineTool, optionalText, READS, success } from '../define-tool.js';
import { startOf } from '../fields/date-field.js';

const CURSOR = /^(-?\d{1,15}):(\d{8}-\d{13}):(\d{1,9})$/;

export const historyMessagesRecent = defineTool({
  name: 'history_messages_recent',
  aliases: ['odei.history.messages.recent.v1'],
  toolset: 'threads',
  title: 'Recent messages',
  description: 'Returns the newest messages of all threads, newest first, each with its thread.',
  input: () =>
    z.strictObject({
      module: moduleField.describe('Only threads of this module.').exactOptional(),
      since: optionalText('Only messages at or after this time (ISO 8601, UTC).'),
      limit: z.int().min(1).max(500).describe('Maximum number of messages.').default(50),
      cursor: z.string().max(60).describe('nextCursor of the previous page.').exactOptional(),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      total: z.int().describe('Number of all messages of this module and time.'),
      hasMore: z.boolean(),
      nextCursor: optionalText('Pass as cursor for older messages.'),
      note: optionalText('Why the list is empty or incomplete.'),
      results: z.array(z.object({ thread: threadSchema, message: threadMessageSchema })),
      indexing: z
        .object({ done: z.int(), total: z.int() })
        .describe(
          'Present while the store is being read: the number of conversations read so far, and of all.',
        )
        .exactOptional(),
    }),
  annotations: READS,
  quotesText: true,
  async run(input, { conversations, search }, { signal, progress }) {
    const { module, since, limit, cursor } = input;
    const request = {
      limit,
      ...(module !== undefined && { module }),
      ...(since !== undefined && { since: startOf('since', since) }),
      ...(cursor !== undefined && { after: parseCursor(cursor) }),
    };
    const newest = await search.newest(request, { signal, progress });
    const found = await withMessages(newest.messages, conversations);
    const shown = messagesWithin(found, input.maxTokens, (item, cut) => {
      return { ...item, message: cut(item.message) };
    });
    const isCut = shown.length < found.length;
    const last = isCut ? shown.at(-1)?.recent : newest.messages.at(-1);
    const hasMore = (isCut || newest.hasMore) && last !== undefined;
    const notes = [
      newest.total === 0 ? await noSuchModule(conversations, module) : undefined,
      ...damagedNotes(conversations),
    ];
    return {
      total: newest.total,
      hasMore,
      ...joinedNote(notes),
      ...(hasMore && { nextCursor: `${last.time}:${last.conversationId}:${last.seq}` }),
      results: shown.map(({ thread, message }) => ({ thread, message })),
      ...(newest.indexing && { indexing: { ...newest.indexing } }),
    };
  },
});

/** Leaves out messages that were deleted since the search. */
async function withMessages(located: readonly TimedMessage[], store: ConversationStore) {
  const found = [];
  const loaded = new Map<string, ConversationView | undefined>();
  for (const recent of located) {
    const { conversationId } = recent;
    if (!loaded.has(conversationId))
      loaded.set(conversationId, await undefinedIfUnreadable(store.view(conversationId)));
    const conversation = loaded.get(conversationId);
    const message = conversation?.message(recent.seq);
    if (conversation === undefined || message === undefined) continue;
    const thread = toThread(conversation.head);
    found.push({ recent, thread, message: toThreadMessage(message, recent.seq) });
  }
  return found;
}

function parseCursor(cursor: string): TimedMessage {
  const [, time, conversationId, seq] = CURSOR.exec(cursor) ?? [];
  if (conversationId === undefined) throw badCursor();
  return { time: Number(time), conversationId, seq: Number(seq) };
}
