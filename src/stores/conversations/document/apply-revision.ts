/**
 * Replaces messages and fields of a conversation in memory: for imports of a newer version, edits and
 * deletions of messages, and restored versions. All other writers only add messages.
 */
import { AppError } from '../../../base/errors.js';
import { applyAppends, type Limits, type PastMessage } from './apply-appends.js';
import type { ConversationDocument } from './document.js';
import { jsonCopy } from './json-copy.js';
import { requireReadable } from './parse-conversation.js';
import type { ConversationHead, Message } from './schema.js';

export interface Revision {
  /** New values of these fields; `undefined` clears a field. */
  readonly fields?: {
    readonly [K in 'title' | 'module' | 'tags' | 'pinned' | 'metadata']?:
      | ConversationHead[K]
      | undefined;
  };
  /** The complete new list of messages. If omitted, the messages do not change. */
  readonly messages?: readonly PastMessage[];
  readonly updatedAt: string;
}

export interface Revised {
  readonly document: ConversationDocument;
  /** The number of leading messages that did not change. */
  readonly unchangedMessages: number;
}

/** Applies the revision in memory. VALIDATION_ERROR, CONVERSATION_FULL. */
export function applyRevision(
  document: ConversationDocument,
  { fields = {}, messages }: Revision,
  limits: Limits,
): Revised {
  requireReadable(fields);
  const before = document.snapshot().messages;
  const next = messages === undefined ? document : document.withoutMessages();
  const { title, ...others } = fields;
  const isRetitled = 'title' in fields && title !== document.head.title;
  next.amend({
    ...jsonCopy(others),
    ...undefinedOf(others),
    ...(isRetitled && { title, titleFrom: undefined }),
  });
  if (messages === undefined) return { document: next, unchangedMessages: before.length };
  const request = { messages, options: {}, mayLackParents: true };
  const [outcome] = applyAppends(next, [request], limits);
  if (outcome === undefined) throw new AppError('INTERNAL', 'A revision had no outcome.');
  if ('error' in outcome) throw outcome.error;
  const isUntitled =
    document.head.title === undefined && before.some(({ role }) => role === 'user');
  // The messages were added to an empty document, which derives a title from the first one.
  if (isUntitled && !('title' in fields)) next.amend({ title: undefined, titleFrom: undefined });
  return { document: next, unchangedMessages: commonStart(before, outcome.value.messages) };
}

/** JSON omits undefined values. Here they clear a field. */
const undefinedOf = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value === undefined));

function commonStart(before: readonly Message[], after: readonly Message[]): number {
  const length = Math.min(before.length, after.length);
  for (let at = 0; at < length; at += 1) {
    if (JSON.stringify(before[at]) !== JSON.stringify(after[at])) return at;
  }
  return length;
}
