/**
 * What lies between the index and an answer about messages: which documents the filters let through,
 * and the hits as messages, cut from what is on disk now.
 */
import type { Role } from '../stores/conversations/schema.js';
import type { ConversationStore, ConversationView } from '../stores/conversations.js';
import { ifThere } from './if-there.js';
import type { MessageIndex } from './message-index.js';
import type { Hit, SearchResult } from './search-result.js';
import { throwIfCancelled } from './search-run.js';
import type { SnippetOptions } from './snippet.js';
import type { DocumentId } from './text-index.js';

export interface MessageFilters {
  /** Conversation ids. */
  readonly conversationId?: string;
  readonly module?: string;
  readonly role?: Role;
  /** Epoch milliseconds, both included. */
  readonly startTime?: number;
  readonly endTime?: number;
}

export interface MessageHit {
  readonly conversationId: string;
  readonly messageId: string;
  readonly seq: number;
  /** Among all matches, from 0. */
  readonly place: number;
  readonly role: Role;
  readonly createdAt: string;
  readonly content: string;
  readonly snippet: string;
  /** As FTS5's bm25(): smaller is better. */
  readonly rank: number;
  readonly title?: string;
  readonly module?: string;
}

/** `undefined` where nothing is filtered. */
export function documentFilter(
  index: MessageIndex,
  filters: MessageFilters,
): ((id: DocumentId) => boolean) | undefined {
  const { conversationId, module, role, startTime, endTime } = filters;
  if (Object.values(filters).every((value) => value === undefined)) return undefined;
  return (id) => {
    const place = index.placeOf(id);
    if (conversationId !== undefined && place.conversationId !== conversationId) return false;
    const indexed = index.get(place.conversationId);
    if (indexed === undefined) return false;
    const time = indexed.times[place.seq - 1] ?? 0;
    return (
      (module === undefined || indexed.module === module) &&
      (role === undefined || indexed.roles[place.seq - 1] === role) &&
      (startTime === undefined || time >= startTime) &&
      (endTime === undefined || time <= endTime)
    );
  };
}

export interface HitRequest {
  readonly index: MessageIndex;
  readonly store: ConversationStore;
  /** Matches before the first of the hits. */
  readonly offset: number;
  readonly snippet?: SnippetOptions;
  readonly signal?: AbortSignal;
}

export interface FoundHits {
  readonly hits: readonly MessageHit[];
  /** False where one of them is not as it was when the index found it, or gone. */
  readonly isCurrent: boolean;
}

/** A hit that cannot be read any more is left out, and the index learns that it is gone. */
export async function hitsOf(
  result: SearchResult,
  hits: readonly Hit[],
  { index, store, offset, snippet: options = {}, signal }: HitRequest,
): Promise<FoundHits> {
  const found: MessageHit[] = [];
  const states = hits.map(({ id }) => stateOf(index, id));
  const loaded = new Map<string, ConversationView | undefined>();
  for (const [position, { id, rank }] of hits.entries()) {
    throwIfCancelled(signal);
    const { conversationId, seq } = index.placeOf(id);
    if (!loaded.has(conversationId))
      loaded.set(conversationId, await ifThere(store.view(conversationId)));
    const conversation = loaded.get(conversationId);
    const message = conversation?.message(seq);
    if (conversation === undefined || message === undefined) {
      await store.lookAt(conversationId);
      continue;
    }
    const { role, content, createdAt } = message;
    const { title, module } = conversation.head;
    found.push({
      conversationId,
      messageId: message.id,
      seq,
      place: offset + position,
      role,
      createdAt,
      content,
      snippet: result.snippet(id, { content }, options),
      rank,
      ...(title !== undefined && { title }),
      ...(module !== undefined && { module }),
    });
  }
  const isSame = hits.every(({ id }, at) => isSameState(stateOf(index, id), states[at]));
  return { hits: found, isCurrent: isSame && found.length === hits.length };
}

/** What the index has of a document: another conversation object where title, tags or module changed. */
function stateOf(index: MessageIndex, id: DocumentId) {
  const { conversationId, seq } = index.placeOf(id);
  const indexed = index.get(conversationId);
  return { indexed, fingerprint: indexed?.fingerprints[seq - 1] };
}

type State = ReturnType<typeof stateOf>;

const isSameState = (a: State, b: State | undefined) =>
  a.indexed === b?.indexed && a.fingerprint === b?.fingerprint;
