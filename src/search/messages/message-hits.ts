/**
 * The hits of a message search as messages with snippets, read from the files. `isCurrent` says whether one of them
 * has changed since it was indexed; then the search is repeated (../repeat-until-current.ts).
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { Hit, SearchResult } from '../../fts/search-result.js';
import type { SnippetOptions } from '../../fts/snippets/snippet.js';
import type { DocumentId } from '../../fts/text-index.js';
import type { MessageRef } from '../../recall/answer.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Message } from '../../stores/conversations/document/schema.js';
import type { MessageIndex } from './message-index.js';

/** Where a stored message is, who wrote it, and when. */
export interface MessageFacts extends Pick<Message, 'role' | 'createdAt'> {
  readonly conversationId: string;
  readonly messageId: string;
  readonly seq: number;
}

export interface MessageHit extends MessageFacts {
  /** Index among all matches, from 0. */
  readonly position: number;
  readonly content: string;
  readonly snippet: string;
  /** As bm25() in FTS5: smaller is better. */
  readonly rank: number;
  readonly title?: string;
  readonly module?: string;
  readonly metadata?: Message['metadata'];
}

export interface HitRequest {
  readonly index: MessageIndex;
  readonly store: ConversationStore;
  /** Number of matches before the first hit. */
  readonly offset: number;
  readonly snippet?: SnippetOptions;
  readonly signal?: AbortSignal;
}

export interface FoundHits {
  readonly hits: readonly MessageHit[];
  /** False if one of the hits has changed since it was indexed, or no longer exists. */
  readonly isCurrent: boolean;
}

/** Hits that can no longer be read are left out and removed from the index. Throws CANCELLED. */
export async function hitsOf(
  result: SearchResult,
  hits: readonly Hit[],
  { index, store, offset, snippet: options = {}, signal }: HitRequest,
): Promise<FoundHits> {
  const found: MessageHit[] = [];
  const states = hits.map(({ id }) => stateOf(index, id));
  const slice = new TimeSlice();
  for (const [position, { id, rank }] of hits.entries()) {
    // A signal can be aborted only while other tasks run, and a snippet of a long message takes time.
    if (slice.isSpent()) await slice.yield();
    throwIfCancelled(signal);
    const { conversationId, seq } = index.messageOf(id);
    const message = await foundMessage(store, { conversationId, seq });
    if (message === undefined) {
      await store.refreshOne(conversationId);
      continue;
    }
    const snippet = result.snippet(id, { content: message.content }, options);
    found.push({ ...message, position: offset + position, snippet, rank });
  }
  const isSame = hits.every(({ id }, at) => isSameState(stateOf(index, id), states[at]));
  return { hits: found, isCurrent: isSame && found.length === hits.length };
}

/** The fields of a hit that are in its file; `undefined` if the message cannot be read any more. */
export async function foundMessage(
  store: ConversationStore,
  { conversationId, seq }: MessageRef,
): Promise<Omit<MessageHit, 'position' | 'snippet' | 'rank'> | undefined> {
  const range = { first: seq, count: 1 };
  const conversation = await undefinedIfUnreadable(store.part(conversationId, range));
  const [message] = conversation?.messages ?? [];
  if (conversation === undefined || message === undefined) return undefined;
  const { id: messageId, role, createdAt, content, metadata } = message;
  const { title, module } = conversation.head;
  const given = defined({ title, module, metadata });
  return { conversationId, messageId, seq, role, createdAt, content, ...given };
}

/** The indexed state of a document. `indexed` is another object after a change of title, tags or module. */
function stateOf(index: MessageIndex, id: DocumentId) {
  const { conversationId, seq } = index.messageOf(id);
  const indexed = index.get(conversationId);
  return { indexed, fingerprint: indexed?.fingerprints[seq - 1] };
}

type State = ReturnType<typeof stateOf>;

const isSameState = (a: State, b: State | undefined) =>
  a.indexed === b?.indexed && a.fingerprint === b?.fingerprint;
