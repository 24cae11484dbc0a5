/**
 * Computes the content of a branch or a merged conversation from its sources. No I/O. A branch gets new
 * message ids, because its source still exists and a message id must identify one message of the store. A
 * merged conversation keeps the ids, so that references stay valid, because its sources move to the trash;
 * only the second of two equal ids is replaced. Messages that a branch shares with its source are in the
 * merged conversation once, with the ids of the source. `parentMessageId` is changed accordingly, and removed if
 * the parent is not an earlier message.
 */

import { newUuid } from '../../../base/ids.js';
import { defined, isSameJson } from '../../../base/json.js';
import type { JsonObject } from '../../../base/json-fields.js';
import { distinctTags } from '../../tags.js';
import { noMessage } from '../conversation-errors.js';
import type { Conversation, Message } from '../document/schema.js';
import type { MaskedConversation } from './bulk-create.js';

export interface CopyOptions {
  /** The title of the new conversation. */
  readonly title?: string;
  /** Ends the operation if it is aborted before the new conversation is written. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the new conversation with the messages up to and including `messageId`. MESSAGE_NOT_FOUND. */
export function branchOf(source: Conversation, messageId: string): MaskedConversation {
  const { conversationId, module, tags, messages } = source;
  const title = givenTitle(source);
  const end = messages.findIndex(({ id }) => id === messageId);
  if (end === -1) throw noMessage(conversationId, messageId);
  const copied = messages.slice(0, end + 1);
  const ids = new Map(copied.map(({ id }) => [id, newUuid()]));
  return {
    fields: { ...defined({ title, module, tags }), branchOf: { conversationId, messageId } },
    messages: relinked(copied.map((message) => ({ message, ids }))),
  };
}

/** Returns the merged conversation. If both have a value, the value of the first is used; tags are joined. */
export function mergeOf(first: Conversation, second: Conversation): MaskedConversation {
  const sources = [first, second];
  const title = givenTitle(first) ?? givenTitle(second);
  const module = first.module ?? second.module;
  const clientId = first.clientId ?? second.clientId;
  const branched = first.branchOf ?? second.branchOf;
  const tags = distinctTags(sources.flatMap((source) => source.tags ?? []));
  // If one source was branched from the other, the link would point to a conversation in the trash.
  const isInside = sources.some(
    ({ conversationId }) => conversationId === branched?.conversationId,
  );
  const metadata = { ...second.metadata, ...first.metadata };
  const origins = sources.map((source) => originOf(source, metadata['source']));
  const fields = {
    createdAt: first.createdAt < second.createdAt ? first.createdAt : second.createdAt,
    ...defined({ title, module, clientId }),
    ...(sources.some(({ pinned }) => pinned) && { pinned: true }),
    ...(tags.length > 0 && { tags }),
    ...(branched !== undefined && !isInside && { branchOf: branched }),
    metadata: {
      ...metadata,
      mergedFrom: [...earlierMerges(first), ...earlierMerges(second), ...origins],
    },
  };
  return { fields, messages: relinked(inTimeOrder(first, second)) };
}

/** None if it was derived from a message: then the new conversation derives its own. */
function givenTitle({ title, titleFrom }: Conversation): string | undefined {
  return titleFrom === undefined ? title : undefined;
}

interface Placed {
  message: Message;
  /** Maps ids of the source to the new ids. */
  ids: ReadonlyMap<string, string>;
}

function inTimeOrder(first: Conversation, second: Conversation): Placed[] {
  const shared = sharedBeginning(first.messages, second.messages);
  // The ids of a branch are new; the older ones are known to imports and to other conversations.
  const isBranch = first.branchOf?.conversationId === second.conversationId;
  const [kept, other] = isBranch ? [second, first] : [first, second];
  const keptIds = new Map(kept.messages.map(({ id }) => [id, id]));
  const otherIds = new Map(
    other.messages.map(({ id }, index) => {
      const same = index < shared ? kept.messages[index]?.id : undefined;
      return [id, same ?? (keptIds.has(id) ? newUuid() : id)];
    }),
  );
  const [firstIds, secondIds] = isBranch ? [otherIds, keptIds] : [keptIds, otherIds];
  const a = timed(first.messages, firstIds);
  const b = timed(second.messages, secondIds).slice(shared);
  const merged: Placed[] = [];
  let [i, j] = [0, 0];
  for (;;) {
    const [left, right] = [a[i], b[j]];
    if (left !== undefined && (right === undefined || left.time <= right.time)) {
      merged.push(left);
      i += 1;
    } else if (right !== undefined) {
      merged.push(right);
      j += 1;
    } else {
      return merged;
    }
  }
}

/** How many messages both begin with: a branch and its source, or two branches of it. */
function sharedBeginning(first: readonly Message[], second: readonly Message[]): number {
  const end = first.findIndex((message, index) => !isCopy(message, second[index]));
  return end === -1 ? first.length : end;
}

/** Whether they differ only in what a branch changes: its messages have ids of their own. */
function isCopy(message: Message, other: Message | undefined): boolean {
  if (other === undefined || message.createdAt !== other.createdAt) return false;
  const { id, parentMessageId: _, ...fields } = message;
  const { parentMessageId: __, ...others } = other;
  return isSameJson({ ...fields, id }, { ...others, id });
}

/** No message gets an earlier time than the one before it, so that each conversation keeps its order. */
function timed(messages: readonly Message[], ids: ReadonlyMap<string, string>) {
  let time = '';
  return messages.map((message) => {
    if (message.createdAt > time) time = message.createdAt;
    return { message, ids, time };
  });
}

function relinked(placed: readonly Placed[]): Message[] {
  const before = new Set<string>();
  return placed.map(({ message, ids }) => {
    const { parentMessageId, ...rest } = message;
    const id = ids.get(message.id) ?? message.id;
    const parent = parentMessageId === undefined ? undefined : ids.get(parentMessageId);
    const isValid = parent !== undefined && before.has(parent);
    before.add(id);
    return { ...rest, id, ...(isValid ? { parentMessageId: parent } : {}) };
  });
}

/**
 * `kept`: the `metadata.source` of the merged conversation. Another one would be lost for later imports. A
 * derived title is left out, because it would keep the text of its message after a change or deletion.
 */
function originOf(conversation: Conversation, kept: unknown): JsonObject {
  const { conversationId, clientId, messageCount, metadata } = conversation;
  const title = givenTitle(conversation);
  const source = metadata?.['source'];
  return {
    conversationId,
    messageCount,
    ...defined({ title, clientId, source: source === kept ? undefined : source }),
  };
}

function earlierMerges({ metadata }: Conversation): unknown[] {
  const earlier = metadata?.['mergedFrom'];
  return Array.isArray(earlier) ? earlier : [];
}
