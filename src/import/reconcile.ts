/**
 * Computes how a newer version of an imported conversation changes the stored one. What was edited or
 * continued here is never overwritten: the source's new messages are added at the end or, if both sides
 * continued, become a branch. No file access.
 */
import { derivedUuid } from '../base/ids.js';
import type { Revision } from '../stores/conversations/document/apply-revision.js';
import type { Conversation } from '../stores/conversations/document/schema.js';
import { contentDigestOf, digestOf, headDigestOf, type SourceMark } from './import-mark.js';
import type { Candidate, CandidateMessage } from './planned-conversation.js';

export interface Reconciled {
  /** For the conversation itself. */
  readonly revision: Revision;
  /** Messages for a branch after the message `after` of the conversation, if both sides continued. */
  readonly branch?: { readonly messages: readonly CandidateMessage[]; readonly after?: string };
}

/** Returns `undefined` if the source has nothing that was not imported before. */
export function reconcile(
  current: Conversation,
  mark: SourceMark,
  candidate: Candidate,
): Reconciled | undefined {
  if (!isChanged(mark, candidate.mark) || isOlder(current, mark, candidate)) return undefined;
  const head = headRevision(current, mark, candidate);
  const { messages } = candidate;
  // Messages that the source has deleted since the last import are kept, because people import to keep what
  // sources delete.
  const isKept = current.messages.every(({ id }) => candidate.isInSource(id));
  if (isKept && isUntouched(current, mark) && current.messages.length === mark.count) {
    return { revision: { ...head, messages: [...messages] } };
  }
  const isLonger = mark.said === contentDigestOf(messages.slice(0, mark.count));
  const start = isLonger ? mark.count : firstDifference(current, messages);
  const fresh = messages.slice(start);
  if (fresh.length === 0) return { revision: head };
  if (isLonger && !isContinued(current, messages.slice(0, start))) {
    return { revision: { ...head, messages: [...current.messages, ...fresh] } };
  }
  const after = messages[start - 1]?.id;
  const isThere = current.messages.some(({ id }) => id === after);
  return {
    revision: head,
    branch: {
      messages: underOwnIds(fresh, current),
      ...(after !== undefined && isThere && { after }),
    },
  };
}

/** Whether the source has changed since the import that wrote this mark. */
export const isChanged = (mark: SourceMark, now: SourceMark): boolean =>
  mark.hash !== now.hash || mark.head !== now.head || mark.count !== now.count;

/** Whether an older export was imported after a newer one. Only if nothing was changed here since. */
function isOlder(current: Conversation, mark: SourceMark, { fields, messages }: Candidate) {
  return (
    fields.updatedAt < current.updatedAt &&
    messages.length <= mark.count &&
    current.messages.length === mark.count &&
    headDigestOf(current) === mark.head &&
    isUntouched(current, mark)
  );
}

/** Whether the imported messages are unchanged here. */
function isUntouched({ messages }: Conversation, { count, hash, times }: SourceMark): boolean {
  return messages.length >= count && digestOf(messages.slice(0, count), times) === hash;
}

/** Whether messages were added here that the source does not have. */
function isContinued({ messages }: Conversation, imported: readonly CandidateMessage[]): boolean {
  const known = new Set(imported.map(({ id }) => id));
  return messages.some(({ id }) => !known.has(id));
}

function firstDifference({ messages }: Conversation, news: readonly CandidateMessage[]): number {
  const at = news.findIndex(
    ({ id, content }, index) => messages[index]?.id !== id || messages[index]?.content !== content,
  );
  return at === -1 ? news.length : at;
}

/** Of two times in ISO 8601. */
export const later = (one: string, other: string): string => (one > other ? one : other);

/**
 * Title, module, tags and pin follow the source unless one of them was changed here. A title that was
 * derived from a message is replaced in any case.
 */
function headRevision(
  current: Conversation,
  mark: SourceMark,
  { fields, mark: now }: Candidate,
): Revision {
  const { title, module, tags, pinned, metadata, updatedAt } = fields;
  const isOwn = headDigestOf(current) !== mark.head;
  const isTitleMade = current.titleFrom !== undefined;
  const isTitleTheirs = title === undefined ? !isOwn && !isTitleMade : !isOwn || isTitleMade;
  return {
    updatedAt: later(current.updatedAt, updatedAt),
    fields: {
      ...(isTitleTheirs && { title }),
      ...(!isOwn && { module, tags, pinned }),
      metadata: { ...current.metadata, ...(!isOwn && metadata), source: now },
    },
  };
}

/** A message id is unique in the store, so the source's version of an edited message gets another id. */
function underOwnIds(
  messages: readonly CandidateMessage[],
  current: Conversation,
): CandidateMessage[] {
  const taken = new Set(current.messages.map(({ id }) => id));
  return messages.map(({ parentMessageId: _parent, ...message }) => ({
    ...message,
    id: taken.has(message.id) ? derivedUuid(message.id, message.content) : message.id,
  }));
}
