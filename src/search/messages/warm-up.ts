/**
 * Warms up a large index with searches in the background. The first searches of a process are several times
 * slower than later ones, because V8 compiles their code and some tables of the index are made at first use.
 */
import { yieldToEventLoop } from '../../base/time-slice.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';

/** Later searches are hardly faster than the one after these. */
const SEARCHES = 30;
const MOST_FILE_BYTES = 64n * 1024n;
const WORDS = /[\p{L}\p{N}]+/gu;

export interface WarmUp {
  readonly store: Pick<ConversationStore, 'known' | 'part'>;
  search(query: string): Promise<unknown>;
  /** Asked before each search. */
  isOver(): boolean;
}

/**
 * Searches for words of some messages, and lets other work run after each search. Returns the number of searches.
 * Throws what `part` and `search` throw.
 */
export async function warmUp({ store, search, isOver }: WarmUp): Promise<number> {
  let searches = 0;
  for (const { stamp, head } of store.known()) {
    if (isOver() || searches === SEARCHES) break;
    if (stamp.size > MOST_FILE_BYTES) continue;
    const { messages } = await store.part(head.conversationId, { count: 1 });
    const words = messages[0]?.content.match(WORDS)?.slice(0, 2) ?? [];
    if (words.length === 0) continue;
    await search(words.join(' '));
    searches += 1;
    await yieldToEventLoop();
  }
  return searches;
}
