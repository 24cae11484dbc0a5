/**
 * Searches what programs did in conversations: tool calls, their results, thinking and the pages that answers
 * cite, which are in the metadata of messages (docs/FORMAT.md). The search indexes have only what was said. So each
 * search reads all conversations that pass the filters, and builds an index that it does not keep.
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import { defined } from '../../base/json.js';
import { objectsIn } from '../../base/json-fields.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import { createTextIndex } from '../../fts/text-index.js';
import type { MessageRef } from '../../recall/answer.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { JsonObject, Message } from '../../stores/conversations/document/schema.js';
import { predicateOf } from '../../stores/conversations/listing/list-query.js';
import type { MessageQuery, MessageResults, SearchCaller } from './keyword-search.js';
import { type MessageFilters, passesFilters } from './message-filters.js';
import { foundMessage, type MessageHit } from './message-hits.js';

/** The text of a hit that matched. */
export type ActivityHit = MessageHit & { readonly activity: string };

export class ActivitySearch {
  readonly #store: ConversationStore;

  constructor(store: ConversationStore) {
    this.#store = store;
  }

  /**
   * Like `KeywordSearch.search`, with snippets of the activity. Throws like it, and like `peek` of the store: a
   * conversation that cannot be read is not left out silently.
   */
  async search(
    { query, filters, snippet = {}, ...options }: MessageQuery,
    caller: SearchCaller,
  ): Promise<Omit<MessageResults, 'hits'> & { readonly hits: readonly ActivityHit[] }> {
    const { index, places } = await this.#read(filters, caller);
    const { signal } = caller;
    const result = await index.searchAsync(query, { ...options, ...defined({ signal }) });
    const hits: ActivityHit[] = [];
    for (const [at, { id, rank }] of result.hits.entries()) {
      const place = places[Number(id)];
      const found = place && (await foundMessage(this.#store, place));
      if (found === undefined) continue; // removed meanwhile
      const activity = activityOf(found.metadata);
      const cut = result.snippet(id, { activity }, snippet);
      hits.push({ ...found, position: options.offset + at, rank, activity, snippet: cut });
    }
    const { total, relaxed, unknownWords } = result;
    return { total, relaxed, unknownWords, hits, withoutFilter: {} };
  }

  /** An index of the activity, and the message of each of its documents. */
  async #read(filters: MessageFilters, { signal, progress }: SearchCaller) {
    const index = createTextIndex({ columns: ['activity'] });
    const places: MessageRef[] = [];
    const heads = await this.#headsOf(filters);
    const slice = new TimeSlice({ readsDisk: true });
    for (const [done, { conversationId }] of heads.entries()) {
      throwIfCancelled(signal);
      const view = await this.#store.peek(conversationId);
      for (let seq = 1; seq <= (view?.head.messageCount ?? 0); seq += 1) {
        const message = view?.message(seq);
        if (message === undefined || !passes(message, filters)) continue;
        const activity = activityOf(message.metadata);
        if (activity === '') continue;
        index.put(places.length, { activity });
        places.push({ conversationId, seq });
        if (slice.isSpent()) await slice.yield();
      }
      if (!slice.isSpent()) continue;
      progress?.({ progress: done, total: heads.length, message: 'reading conversations' });
      await slice.yield();
    }
    return { index, places };
  }

  async #headsOf({ conversationId, module, tag }: MessageFilters) {
    const isWanted = predicateOf(defined({ module, tag })) ?? (() => true);
    const isIt = (id: string) => conversationId === undefined || id === conversationId;
    const heads = await this.#store.list();
    return heads.filter((head) => isIt(head.conversationId) && isWanted(head));
  }
}

const passes = ({ role, createdAt }: Message, filters: MessageFilters): boolean =>
  passesFilters(filters, role, Date.parse(createdAt));

/** The thinking, each call with its name, input and result, then each cited page; empty if there is none. */
function activityOf({ tools, thinking, sources }: JsonObject = {}): string {
  const parts = [
    thinking,
    ...objectsIn(tools).flatMap(({ name, input, result }) => [name, input, result]),
    ...objectsIn(sources).flatMap(({ title, url }) => [title, url]),
  ];
  return parts
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part, null, 1)))
    .join('\n');
}
