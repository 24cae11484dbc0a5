/** The hits of recall as messages with snippets and the reason of each hit. */

import { undefinedIfUnreadable } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { TimeSlice } from '../../base/time-slice.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { SnippetOptions } from '../../fts/snippets/snippet.js';
import type { RecallHit } from '../../recall/answer.js';
import { passagesOf } from '../../recall/passages.js';
import type { Question } from '../../recall/question.js';
import type { RecallIndex } from '../../recall/recall-index.js';
import { cutRecallSnippet } from '../../recall/recall-snippet.js';
import { wordsOf } from '../../recall/words.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Message } from '../../stores/conversations/document/schema.js';
import type { MessageHit } from '../messages/message-hits.js';

const SNIPPET_WORDS = 32;
/** More digits would only take tokens. */
const RANK_DECIMALS = 3;

/** Why a message is in the answer. Empty lists are left out. */
export interface Why {
  /** Words of the question that the message has as typed. */
  readonly words?: string[];
  /** Words that only the title of its conversation has. */
  readonly title?: string[];
  /** Words that the message has in another form. */
  readonly forms?: string[];
  /** Words that only neighbouring messages or the same speaker's neighbouring turns have. */
  readonly neighbours?: string[];
  /** Words that are in its speaker's name or its date. */
  readonly time?: string[];
  /** Cosine of its best passage and the question. */
  readonly meaning?: number;
}

export interface RecalledHit extends MessageHit {
  /** The passage that matches, in UTF-16 offsets of the content. */
  readonly passage: { readonly start: number; readonly end: number };
  readonly why: Why;
}

interface HitsRequest {
  readonly index: RecallIndex;
  readonly store: ConversationStore;
  readonly question: Question;
  readonly snippet?: SnippetOptions;
  readonly signal?: AbortSignal;
}

/** `isCurrent` is false if a message was left out (no longer readable) or has changed. CANCELLED. */
export async function recalledHits(
  found: readonly RecallHit[],
  request: HitsRequest,
): Promise<{ hits: RecalledHit[]; isCurrent: boolean }> {
  const { index, store, signal } = request;
  const before = found.map(({ conversationId }) => index.get(conversationId));
  const hits: RecalledHit[] = [];
  const slice = new TimeSlice();
  for (const hit of found) {
    // A signal can be aborted only while other tasks run.
    if (slice.isSpent()) await slice.yield();
    throwIfCancelled(signal);
    const range = { first: hit.seq, count: 1 };
    const conversation = await undefinedIfUnreadable(store.part(hit.conversationId, range));
    const [message] = conversation?.messages ?? [];
    if (conversation === undefined || message === undefined) {
      await store.refreshOne(hit.conversationId);
      continue;
    }
    const { title, module } = conversation.head;
    hits.push({ ...messageHit(hit, message, request), ...defined({ title, module }) });
  }
  const isSame = found.every((hit, at) => index.get(hit.conversationId) === before[at]);
  return { hits, isCurrent: isSame && hits.length === found.length };
}

function messageHit(
  hit: RecallHit,
  { id, role, createdAt, content, metadata }: Message,
  { index, question, snippet = {} }: HitsRequest,
): RecalledHit {
  const { conversationId, seq, position, score } = hit;
  const { open = '<mark>', close = '</mark>', ellipsis = '...', tokens = SNIPPET_WORDS } = snippet;
  const passages = passagesOf(content);
  const passage = passages[hit.passage] ?? { start: 0, end: content.length };
  const style = { open, close, ellipsis, words: tokens };
  return {
    conversationId,
    messageId: id,
    seq,
    position,
    role,
    createdAt,
    content,
    passage,
    snippet: cutRecallSnippet(content, passage, question, index.vocabulary, style),
    rank: -Number(score.toFixed(RANK_DECIMALS)),
    why: whyOf(hit, content),
    ...(metadata !== undefined && { metadata }),
  };
}

/** Why a keyword search returns a message: the query's words in its content and in its conversation's title. */
export function keywordWhy(query: string, content: string, conversationTitle = ''): Why {
  const inContent = new Set(wordsOf(content));
  const inTitle = new Set(wordsOf(conversationTitle));
  const prefixes = [...query.matchAll(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]+(?="?\s*\*)/gu)].flatMap(
    ([word]) => wordsOf(word),
  );
  const begun = [...inContent, ...inTitle].filter((word) =>
    prefixes.some((prefix) => word.startsWith(prefix)),
  );
  const asked = [...new Set([...wordsOf(query), ...begun])];
  const words = asked.filter((word) => inContent.has(word));
  const title = asked.filter((word) => !inContent.has(word) && inTitle.has(word));
  return { ...(words.length > 0 && { words }), ...(title.length > 0 && { title }) };
}

function whyOf({ evidence }: RecallHit, content: string): Why {
  const { words, around, labelWords, cosine } = evidence;
  const typed = new Set(wordsOf(content));
  const exact = words.filter((word) => typed.has(word));
  const forms = words.filter((word) => !typed.has(word));
  return {
    ...(exact.length > 0 && { words: exact }),
    ...(forms.length > 0 && { forms }),
    ...(around.length > 0 && { neighbours: [...around] }),
    ...(labelWords.length > 0 && { time: [...labelWords] }),
    ...(cosine !== undefined && { meaning: Math.round(cosine * 1000) / 1000 }),
  };
}
