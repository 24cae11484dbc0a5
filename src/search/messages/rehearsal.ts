/**
 * Searches of a large index before anyone asks. The first searches of a process are several times slower than
 * later ones: V8 compiles their code meanwhile, and some tables of the index are made at their first use.
 */
import { yieldToEventLoop } from '../../base/time-slice.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { MessageSearch } from './message-search.js';

/** A smaller index answers fast without. */
const FEWEST_MESSAGES = 2_000;
/** After so many, further ones are hardly faster. */
const SEARCHES = 30;
const MOST_FILE_BYTES = 64n * 1024n;
const WORDS = /[\p{L}\p{N}]+/gu;

/**
 * Searches for words of some messages, and lets other work run after each search. Returns the number of searches.
 * The index is to be complete. Throws what `part` and `search` throw.
 */
export async function rehearse(
  store: ConversationStore,
  search: MessageSearch,
  isOver: () => boolean,
): Promise<number> {
  let searches = 0;
  if (search.index.text.size < FEWEST_MESSAGES) return searches;
  for (const { stamp, head } of store.known()) {
    if (isOver() || searches === SEARCHES) break;
    if (stamp.size > MOST_FILE_BYTES) continue;
    const { messages } = await store.part(head.conversationId, { count: 1 });
    const words = messages[0]?.content.match(WORDS)?.slice(0, 2) ?? [];
    if (words.length === 0) continue;
    const query = words.join(' ');
    await search.search({ query, matchType: 'auto', filters: {}, limit: 2, offset: 0 });
    searches += 1;
    await yieldToEventLoop();
  }
  return searches;
}
