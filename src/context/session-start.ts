/**
 * The start of a session: finds where the last one ended, in one module or in all, and puts together
 * its continuity snapshot. What the tool and the prompt `session_start` share.
 */
import { estimateTextTokens } from '../base/tokens.js';
import { ifThere } from '../search/if-there.js';
import type { MessageSearch, SearchCaller } from '../search/message-search.js';
import type { Conversation, ConversationHead } from '../stores/conversations/schema.js';
import type { ConversationStore } from '../stores/conversations.js';
import { type Snapshot, snapshotOf } from './continuity.js';
import { frequentWords, mostDistinctive } from './distinctive-words.js';

const DISTINCTIVE_WORDS = 8;

export interface SessionStartRequest {
  readonly module?: string;
  /** The conversation of the session that begins: not the last one. */
  readonly currentThreadId?: string;
  /** How many of the last conversations are searched for questions and promises. */
  readonly threads: number;
  readonly maxTokens: number;
}

export interface SessionStart extends Snapshot {
  readonly head: ConversationHead;
  readonly distinctiveWords: readonly string[];
}

/**
 * `undefined` where nothing was said yet. Bounded by `maxTokens` but for the notes around it.
 * CANCELLED; CONVERSATION_NOT_FOUND, VALIDATION_ERROR (currentThreadId).
 */
export async function startSession(
  { conversations: store, search }: { conversations: ConversationStore; search: MessageSearch },
  { module, currentThreadId, threads, maxTokens }: SessionStartRequest,
  caller: SearchCaller = {},
): Promise<SessionStart | undefined> {
  const current = currentThreadId === undefined ? undefined : await store.load(currentThreadId);
  const ids = await search.newestConversations(
    { limit: threads + 1, ...(module !== undefined && { module }) },
    caller,
  );
  const found: Conversation[] = [];
  for (const id of ids) {
    if (id === current?.conversationId || found.length === threads) continue;
    const conversation = await ifThere(store.load(id));
    if (conversation !== undefined) found.push(conversation);
  }
  const [latest] = found;
  if (latest === undefined) return undefined;
  const { messages, ...head } = latest;
  const frame = estimateTextTokens(JSON.stringify(head));
  const snapshot = snapshotOf(found, maxTokens - frame);
  if (snapshot === undefined) return undefined;
  const words = frequentWords(messages.slice(snapshot.session.fromSeq - 1), messages);
  const frequencies = await search.frequencies(words.map(({ word }) => word));
  const distinctiveWords = mostDistinctive(words, frequencies, messages.length, DISTINCTIVE_WORDS);
  return { ...snapshot, head, distinctiveWords };
}
