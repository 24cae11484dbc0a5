/**
 * The filters of a message search: which conversations and messages pass them. stores/tags.ts and
 * stores/modules.ts decide which tags and modules are equal.
 */

import type { DocumentId } from '../../fts/text-index.js';
import type { Role } from '../../stores/conversations/document/schema.js';
import { fitsModule } from '../../stores/modules.js';
import { tagKey } from '../../stores/tags.js';
import type { MessageIndex } from './message-index.js';

export interface MessageFilters {
  /** A conversation id. */
  readonly conversationId?: string;
  readonly module?: string;
  /** Compared without case. */
  readonly tag?: string;
  readonly role?: Role;
  /** Epoch milliseconds, inclusive. */
  readonly startTime?: number;
  readonly endTime?: number;
}

/** A filter of documents; `undefined` if there is no filter. */
export function documentFilter(
  index: MessageIndex,
  filters: MessageFilters,
): ((id: DocumentId) => boolean) | undefined {
  const accepts = messageFilter(index, filters);
  if (accepts === undefined) return undefined;
  return (id) => {
    const { conversationId, seq } = index.messageOf(id);
    return accepts(conversationId, seq);
  };
}

/** The same filter for a message by conversation and seq. */
export function messageFilter(
  index: MessageIndex,
  filters: MessageFilters,
): ((conversationId: string, seq: number) => boolean) | undefined {
  if (Object.values(filters).every((value) => value === undefined)) return undefined;
  const inScope = conversationFilter(index, filters);
  return (conversationId, seq) => {
    if (!inScope(conversationId)) return false;
    const indexed = index.get(conversationId);
    return passesFilters(filters, indexed?.roles[seq - 1], indexed?.times[seq - 1] ?? 0);
  };
}

/** Whether a message passes the filters of role and time (epoch milliseconds). */
export function passesFilters(
  { role, startTime, endTime }: MessageFilters,
  ownRole: Role | undefined,
  time: number,
): boolean {
  return (
    (role === undefined || ownRole === role) &&
    (startTime === undefined || time >= startTime) &&
    (endTime === undefined || time <= endTime)
  );
}

/** Whether a conversation is indexed and may have messages that pass the filters. */
export function conversationFilter(
  index: MessageIndex,
  filters: MessageFilters,
): (conversationId: string) => boolean {
  const { conversationId: only, module } = filters;
  const tag = filters.tag === undefined ? undefined : tagKey(filters.tag);
  return (conversationId) => {
    if (only !== undefined && conversationId !== only) return false;
    // `get` decodes a conversation of the cache, which most questions do not need.
    if (module === undefined && tag === undefined) return index.has(conversationId);
    const indexed = index.get(conversationId);
    if (indexed === undefined) return false;
    // The index has an empty text for a conversation without a module.
    if (!fitsModule(indexed.module || undefined, module)) return false;
    return tag === undefined || hasTag(indexed.tags, tag);
  };
}

/** `tags`: one tag a line, as in the index; no conversation has the empty tag. */
const hasTag = (tags: string, tag: string): boolean =>
  tag !== '' && tags.split('\n').some((each) => tagKey(each) === tag);
