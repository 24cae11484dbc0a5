/**
 * Finds where the last session ended, in one module or in all, and collects what an assistant needs to
 * continue it. The tool and the prompt `session_start` use it.
 */

import { TimeSlice } from '../base/async/time-slice.js';
import { isAppError } from '../base/errors.js';
import { shownNames } from '../base/text/display-text.js';
import { estimateTextTokens } from '../base/text/estimate-tokens.js';
import type { KeywordSearch, SearchCaller } from '../search/messages/keyword-search.js';
import type { RecallSearch } from '../search/recall/recall-search.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';
import { mostDistinctive } from './distinctive-words.js';
import { frequentWords } from './frequent-words.js';
import { lastSession } from './last-session.js';
import type { Excerpt } from './picked-sentences.js';
import { type RelatedPassage, relatedPassages } from './related-passages.js';
import { type Snapshot, snapshotOf } from './session-start-budget.js';

const DISTINCTIVE_WORDS = 8;
/** Words from which they are chosen; the frequency of each in the store is read from the index. */
const FREQUENT_WORDS = 40;
/** Only the last messages give distinctive words: they show the subject of a long conversation. */
const MESSAGES_WEIGHED = 1_000;
/** Tokens that are reserved for notes, words and the times of the session. */
const RESERVED_TOKENS = 150;
/** Maximum share of the budget for passages of earlier conversations. */
const SHARE_OF_RELATED = 0.15;

const NONE: ReadonlySet<string> = new Set();

export interface SessionStartRequest {
  readonly module?: string;
  /** Id or key of the conversation in which the new session begins; it is not used as the last one. */
  readonly currentThreadId?: string;
  /** Ids of conversations that are not used. */
  readonly except?: ReadonlySet<string>;
  /** In how many of the last conversations questions and promises are searched. */
  readonly threads: number;
  readonly maxTokens: number;
  /** Maximum number of turns. */
  readonly maxTurns?: number;
}

export interface SessionStart extends Snapshot {
  readonly head: ConversationHead;
  readonly distinctiveWords: readonly string[];
  /** From earlier conversations; `undefined` while the recall index is being built. */
  readonly related: readonly RelatedPassage[] | undefined;
}

interface HeadedExcerpt extends Excerpt {
  readonly head: ConversationHead;
}

export interface SessionSources {
  readonly conversations: ConversationStore;
  readonly search: KeywordSearch;
  readonly recall: RecallSearch;
}

/**
 * `undefined` if there is no message yet. `maxTokens` limits the answer without its notes. Throws
 * CANCELLED, CONVERSATION_NOT_FOUND or VALIDATION_ERROR (currentThreadId), or STORAGE_UNAVAILABLE if the last
 * conversation is not in memory.
 */
export async function startSession(
  { conversations: store, search, recall }: SessionSources,
  {
    module,
    currentThreadId,
    except: left = NONE,
    threads,
    maxTokens,
    maxTurns,
  }: SessionStartRequest,
  caller: SearchCaller = {},
): Promise<SessionStart | undefined> {
  const current = await currentThread(currentThreadId, store);
  const except = new Set([...left, ...(current ? [current.conversationId] : [])]);
  const ids = await search.newestConversations(
    { limit: threads + except.size, ...(module !== undefined && { module }) },
    caller,
  );
  const found: HeadedExcerpt[] = [];
  for (const id of ids) {
    if (except.has(id) || found.length === threads) continue;
    const conversation = await latestOf(id, store).catch((error: unknown) => {
      // An older conversation would look like the last one.
      const isLastAway = found.length === 0 && isAppError(error, 'STORAGE_UNAVAILABLE');
      if (isLastAway || !isAppError(error)) throw error;
      return undefined; // damaged, or just deleted
    });
    if (conversation !== undefined) found.push(conversation);
  }
  const [latest] = found;
  if (latest === undefined) return undefined;
  const head = shownHead(latest.head);
  const slice = new TimeSlice({ signal: caller.signal });
  const distinctiveWords = await distinctiveWordsOf(latest, search, slice);
  const room = maxTokens - estimateTextTokens(JSON.stringify(head)) - RESERVED_TOKENS;
  const about = { words: distinctiveWords, module, tokens: room * SHARE_OF_RELATED };
  except.add(latest.conversationId);
  const known = new Set(latest.messages.map(({ content }) => content));
  const related = await relatedPassages(recall, { ...about, except, known }, caller);
  const spent = estimateTextTokens(JSON.stringify(related ?? []));
  const snapshot = await snapshotOf(
    found,
    { tokens: room - spent, ...(maxTurns !== undefined && { maxTurns }) },
    slice,
  );
  return snapshot && { ...snapshot, head, distinctiveWords, related };
}

/** `undefined` also for a key that no conversation has: nothing of the new session was saved yet. */
async function currentThread(
  ref: string | undefined,
  store: ConversationStore,
): Promise<ConversationHead | undefined> {
  if (ref === undefined) return undefined;
  try {
    return (await store.part(ref, { count: 0 })).head;
  } catch (error) {
    if (isAppError(error, 'CONVERSATION_NOT_FOUND') && !CONVERSATION_ID.test(ref)) return undefined;
    throw error;
  }
}

/** The last messages with the whole last session. A large file is not read completely. */
async function latestOf(id: string, store: ConversationStore): Promise<HeadedExcerpt> {
  for (let count = MESSAGES_WEIGHED; ; count *= 4) {
    const { head, messages, first } = await store.part(id, { count });
    const session = lastSession(messages, first);
    if (first === 1 || session === undefined || session.fromSeq > first) {
      return { conversationId: head.conversationId, head, messages, first };
    }
  }
}

/** Words of the last session that are rare in other conversations. */
async function distinctiveWordsOf(
  { messages, first = 1 }: Excerpt,
  search: KeywordSearch,
  slice: TimeSlice,
): Promise<string[]> {
  const { fromSeq = first } = lastSession(messages, first) ?? {};
  const read = messages.slice(-MESSAGES_WEIGHED);
  const session = messages.slice(fromSeq - first).slice(-MESSAGES_WEIGHED);
  const words = await frequentWords(session, read, FREQUENT_WORDS, slice);
  const frequencies = await search.frequencies(words.map(({ word }) => word));
  return mostDistinctive(words, frequencies, read.length, DISTINCTIVE_WORDS);
}

/** The title and the module are shortened, so that they do not use the budget of the messages. */
function shownHead(head: ConversationHead): ConversationHead {
  const { metadata: _, tags: __, title, module, ...others } = head;
  return { ...others, ...shownNames({ title, module }) };
}
