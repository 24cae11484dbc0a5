/**
 * Searches what programs did in conversations: tool calls, their results and thinking, which imports store in
 * the metadata of messages (docs/FORMAT.md). The search indexes have only what was said. So each search reads
 * all conversations that pass the filters, and builds an index that it does not keep.
 */
import { undefinedIfUnreadable } from '../../base/errors.js';
import { defined } from '../../base/json.js';
import { isRecord } from '../../base/json-fields.js';
import { TimeSlice } from '../../base/time-slice.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import { createTextIndex } from '../../fts/text-index.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationHead, Message } from '../../stores/conversations/document/schema.js';
import { fitsModule } from '../../stores/modules.js';
import { hasTag } from '../../stores/tags.js';
import type { MessageQuery, MessageResults, SearchCaller } from './keyword-search.js';
import type { MessageFilters, MessageHit } from './message-hits.js';

/** The text of a hit that matched. */
export type ActivityHit = MessageHit & { readonly activity: string };

interface Place {
  readonly conversationId: string;
  readonly seq: number;
}

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
    { signal, progress }: SearchCaller,
  ): Promise<Omit<MessageResults, 'hits'> & { readonly hits: readonly ActivityHit[] }> {
    const index = createTextIndex({ columns: ['activity'] });
    const places: Place[] = [];
    const heads = (await this.#store.list()).filter((head) => mayMatch(head, filters));
    const slice = new TimeSlice({ readsDisk: true });
    for (const [done, { conversationId }] of heads.entries()) {
      if (slice.isSpent()) {
        progress?.({ progress: done, total: heads.length, message: 'reading conversations' });
        await slice.yield();
      }
      throwIfCancelled(signal);
      const view = await this.#store.peek(conversationId);
      for (let seq = 1; seq <= (view?.head.messageCount ?? 0); seq += 1) {
        const message = view?.message(seq);
        if (message === undefined || !passes(message, filters)) continue;
        const activity = activityOf(message);
        if (activity === '') continue;
        index.put(places.length, { activity });
        places.push({ conversationId, seq });
      }
    }
    const result = await index.searchAsync(query, { ...options, ...defined({ signal }) });
    const hits: ActivityHit[] = [];
    for (const [at, { id, rank }] of result.hits.entries()) {
      const found = await this.#messageAt(places[Number(id)]);
      if (found === undefined) continue; // changed meanwhile
      const activity = activityOf(found);
      const position = options.offset + at;
      hits.push({
        ...found,
        position,
        rank,
        activity,
        snippet: result.snippet(id, { activity }, snippet),
      });
    }
    const { total, relaxed, unknownWords } = result;
    return { total, relaxed, unknownWords, hits, withoutFilter: {} };
  }

  async #messageAt(place: Place | undefined) {
    if (place === undefined) return undefined;
    const { conversationId, seq } = place;
    const range = { first: seq, count: 1 };
    const part = await undefinedIfUnreadable(this.#store.part(conversationId, range));
    const [message] = part?.messages ?? [];
    if (part === undefined || message === undefined) return undefined;
    const { id: messageId, role, content, createdAt, metadata } = message;
    const { title, module } = part.head;
    const own = { conversationId, messageId, seq, role, content, createdAt };
    return { ...own, ...defined({ title, module, metadata }) };
  }
}

/** Whether the conversation passes the filters, as far as its head shows. */
function mayMatch(head: ConversationHead, { conversationId, module, tag }: MessageFilters) {
  return (
    (conversationId === undefined || head.conversationId === conversationId) &&
    fitsModule(head.module, module) &&
    (tag === undefined || hasTag(head.tags ?? [], tag))
  );
}

function passes(message: Message, { role, startTime, endTime }: MessageFilters): boolean {
  const time = Date.parse(message.createdAt);
  return (
    (role === undefined || message.role === role) &&
    (startTime === undefined || time >= startTime) &&
    (endTime === undefined || time <= endTime)
  );
}

/** The thinking, then each call with its name, input and result; empty if there is none. */
function activityOf({ metadata }: Pick<Message, 'metadata'>): string {
  const { tools, thinking } = metadata ?? {};
  const calls = Array.isArray(tools) ? tools.filter(isRecord) : [];
  const parts = [thinking, ...calls.flatMap(({ name, input, result }) => [name, input, result])];
  return parts
    .filter((part) => part !== undefined)
    .map((part) => (typeof part === 'string' ? part : JSON.stringify(part, null, 1)))
    .join('\n');
}
