/**
 * A conversation with other messages than it has, for an import that brings a newer version of what it
 * brought before. Everybody else only ever adds messages.
 */
import { AppError } from '../../../base/errors.js';
import { applyAppends, type Limits, type PastMessage } from '../writing/append.js';
import { asStored } from './as-stored.js';
import type { ConversationDocument } from './document.js';
import { requireReadable } from './read.js';
import type { ConversationHead, Message } from './schema.js';

export interface Revision {
  /** Replace those of the head; `undefined` takes a field away. */
  readonly fields?: {
    readonly [K in 'title' | 'module' | 'tags' | 'pinned' | 'metadata']?:
      | ConversationHead[K]
      | undefined;
  };
  /** All of them; those that are there stay where this is left out. */
  readonly messages?: readonly PastMessage[];
  readonly updatedAt: string;
}

export interface Revised {
  readonly document: ConversationDocument;
  /** So many messages from the first are as they were. */
  readonly unchangedMessages: number;
}

/** Nothing is written. VALIDATION_ERROR, CONVERSATION_FULL, MESSAGE_NOT_FOUND (parent). */
export function revised(
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
    ...asStored(others),
    ...undefinedOf(others),
    ...(isRetitled && { title, titleFrom: undefined }),
  });
  if (messages === undefined) return { document: next, unchangedMessages: before.length };
  const [outcome] = applyAppends(next, [{ messages, options: {} }], limits);
  if (outcome === undefined) throw new AppError('INTERNAL', 'A revision had no outcome.');
  if ('error' in outcome) throw outcome.error;
  return { document: next, unchangedMessages: commonStart(before, outcome.value.messages) };
}

/** JSON leaves them out, and here they mean that a field goes. */
const undefinedOf = (fields: object) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value === undefined));

function commonStart(before: readonly Message[], after: readonly Message[]): number {
  const length = Math.min(before.length, after.length);
  for (let at = 0; at < length; at += 1) {
    if (JSON.stringify(before[at]) !== JSON.stringify(after[at])) return at;
  }
  return length;
}
