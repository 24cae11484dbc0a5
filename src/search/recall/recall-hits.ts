/** The hits of recall as messages with snippets. */

import { TimeSlice } from '../../base/async/time-slice.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { SnippetOptions } from '../../fts/snippets/snippet.js';
import type { RecallHit } from '../../recall/answer.js';
import { passagesOf } from '../../recall/passages.js';
import type { Question } from '../../recall/question/question.js';
import type { RecallIndex } from '../../recall/recall-index.js';
import { cutRecallSnippet } from '../../recall/recall-snippet.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { recallWhy, type Why } from '../hit-reasons.js';
import { foundMessage, type MessageHit } from '../messages/message-hits.js';

const SNIPPET_WORDS = 32;
/** More digits would only take tokens. */
const RANK_DECIMALS = 3;

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
    const message = await foundMessage(store, hit);
    if (message === undefined) await store.refreshOne(hit.conversationId);
    else hits.push({ ...message, ...reasonsOf(hit, message.content, request) });
  }
  const isSame = found.every((hit, at) => index.get(hit.conversationId) === before[at]);
  return { hits, isCurrent: isSame && hits.length === found.length };
}

/** Where the message is in the answer, and why. */
function reasonsOf(
  hit: RecallHit,
  content: string,
  { index, question, snippet = {} }: HitsRequest,
) {
  const { position, score } = hit;
  const { open = '<mark>', close = '</mark>', ellipsis = '...', tokens = SNIPPET_WORDS } = snippet;
  const passages = passagesOf(content);
  const passage = passages[hit.passage] ?? { start: 0, end: content.length };
  const style = { open, close, ellipsis, words: tokens };
  return {
    position,
    passage,
    snippet: cutRecallSnippet(content, passage, question, index.vocabulary, style),
    rank: -Number(score.toFixed(RANK_DECIMALS)),
    why: recallWhy(hit, content),
  };
}
