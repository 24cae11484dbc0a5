/**
 * Computes how a newer version of an imported conversation changes the stored one. What was edited or
 * continued here is never overwritten: the source's new messages are added at the end or, if both sides
 * continued, become a branch. No file access.
 */
import { later } from '../../base/clock.js';
import type { PastMessage } from '../../stores/conversations/document/apply-appends.js';
import type { Revision } from '../../stores/conversations/document/apply-revision.js';
import {
  contentDigestOf,
  hasReplaced,
  headDigestOf,
  isAsImported,
  isOlderMark,
  isSameSource,
  markIn,
  metadataWith,
  type SourceMark,
  withKept,
  withKeptOf,
  withMergedMark,
  withNewerHead,
} from '../../stores/conversations/document/import-mark.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { Identified } from './already-imported.js';
import { withDeletedHere } from './deleted-here.js';
import { type Candidate, type CandidateMessage, otherVersionId } from './planned-conversation.js';
import { withoutDeleted } from './refined-candidate.js';

/** New messages of the source, and the message before them. */
export interface BranchContent {
  readonly messages: readonly CandidateMessage[];
  readonly previous?: Identified | undefined;
  /** Whether the source has changed: a text that is another one here can be new. */
  readonly isChanged: boolean;
}

export interface Reconciled {
  /** The changes of the conversation itself. */
  readonly revision: Revision;
  /** The source's new messages, if they do not follow the last message of the conversation. */
  readonly branch?: BranchContent;
}

/**
 * Whether the source shows another branch of the conversation now: a stored message is in the source, but not
 * in the branch that it shows.
 */
export function isOtherPath(current: Conversation, { messages }: Candidate): boolean {
  const shown = new Set(messages.map(({ id }) => id));
  return current.messages.some(({ id }) => !shown.has(id));
}

/**
 * `keepsPath`: the source shows messages now that are in another conversation here, which keeps them.
 * Returns `undefined` if the source has nothing that was not imported before.
 */
export function reconcile(
  stored: Conversation,
  mark: SourceMark,
  candidate: Candidate,
  keepsPath = false,
): Reconciled | undefined {
  const { mark: now } = candidate;
  if (!isChanged(mark, now) || hasReplaced(mark, now)) return undefined;
  const before = withDeletedHere(stored, mark, candidate.shown);
  const isOwn = isSameSource(markIn(stored.metadata), mark);
  const metadata = isOwn ? metadataWith(stored.metadata, before) : { ...stored.metadata };
  const { deleted } = before;
  const { mark: _, ...others } = withoutDeleted(candidate, new Set(deleted));
  const after = { ...others, mark: { ...now, ...(deleted && { deleted }) } };
  return isOlder({ ...stored, metadata }, before, after)
    ? undefined
    : changesOf({ ...stored, metadata }, before, after, keepsPath);
}

function changesOf(
  current: Conversation,
  mark: SourceMark,
  candidate: Candidate,
  keepsPath: boolean,
): Reconciled {
  const { mark: now, shown } = candidate;
  const head = headRevision(current, mark, candidate);
  const isOlderVersion = isOlderMark(mark, now);
  const messages = isOlderVersion ? withStored(candidate.messages, current) : candidate.messages;
  if (!keepsPath && mayReplace(current, mark, candidate))
    return { revision: marked({ ...head, messages: [...messages] }, current) };
  const stored = keepsPath ? withNewTexts(current, mark, messages) : current;
  const extended = extendedBySource(stored, mark, candidate);
  const imported = new Set(shown.slice(0, mark.count).map(({ id }) => id));
  const from =
    extended === undefined
      ? firstDifference(stored, messages)
      : messages.filter(({ id }) => imported.has(id)).length;
  const start = firstMissing(stored, messages, from);
  const fresh = messages.slice(start);
  const isFollowed =
    !keepsPath && extended !== undefined && !isContinued(stored, messages.slice(0, start));
  if (isFollowed) {
    const revision = { ...head, messages: [...extended, ...fresh] };
    // The mark fits also if a message was edited here.
    const isFitting = mark.kept === undefined && !isAsImported(current, mark);
    return { revision: isFitting ? revision : marked(revision, current) };
  }
  const kept = extended ?? stored.messages;
  const isSame = kept === current.messages;
  const revision = marked({ ...head, ...(!isSame && { messages: kept }) }, current);
  if (fresh.length === 0) return { revision };
  const here = new Map(stored.messages.map(({ id, content }) => [id, content]));
  // A message with the same text keeps its id, so it is found in the conversation and not copied.
  const own = underOwnIds(fresh, ({ id, content }) => (here.get(id) ?? content) !== content);
  return {
    revision,
    branch: {
      messages: own,
      previous: shown.find(({ id }) => id === messages[start - 1]?.id),
      isChanged: !isOlderVersion,
    },
  };
}

/** The messages of an older source, with those that are stored instead of its own. */
function withStored(
  messages: readonly CandidateMessage[],
  current: Conversation,
): readonly CandidateMessage[] {
  const stored = new Map(current.messages.map((message) => [message.id, message]));
  return messages.map((message) => stored.get(message.id) ?? message);
}

/**
 * The conversation with the texts that the source has now, if it has only what was imported: a source can
 * edit a message in its place.
 */
export function withNewTexts(
  current: Conversation,
  mark: SourceMark,
  given: readonly CandidateMessage[],
): Conversation {
  const now = new Map(given.map((message) => [message.id, message]));
  const edited = current.messages.map((message) => {
    const { parentMessageId: _, ...other } = now.get(message.id) ?? message;
    if (other.content === message.content) return message;
    const { parentMessageId } = message; // the source can have it in another conversation
    return { ...other, ...(parentMessageId !== undefined && { parentMessageId }) };
  });
  const isEdited = edited.some((message, index) => message !== current.messages[index]);
  return isEdited && isAsImported(current, mark) ? { ...current, messages: edited } : current;
}

/** The revision, whose mark says what imports wrote into the conversation. */
export function marked(revision: Revision, current: Conversation): Revision {
  const { fields, messages = current.messages } = revision;
  const metadata = fields?.metadata ?? current.metadata;
  const [before, now] = [markIn(current.metadata), markIn(metadata)];
  if (before === undefined || now === undefined) return revision;
  const isUnchanged = isAsImported(current, before);
  const source = isUnchanged ? withKept(now, messages) : withKeptOf(now, before);
  return { ...revision, fields: { ...fields, metadata: { ...metadata, source } } };
}

/** Whether the conversation has only what was imported, and the source still has all of it. */
function mayReplace(current: Conversation, mark: SourceMark, candidate: Candidate): boolean {
  if (!isAsImported(current, mark)) return false;
  // The prompts of a remnant are in the session too.
  if (mark.isRemnant && !candidate.mark.isRemnant) return true;
  // Messages that the source has deleted since the last import are kept, because people import to keep what
  // sources delete.
  // The calls at the end of a session are in a message without text until the answer comes.
  const last = candidate.messages.at(-1)?.id;
  return current.messages.every(
    ({ id, content }, at) =>
      candidate.isInSource(id) || (content === '' && current.messages[at - 1]?.id !== last),
  );
}

/**
 * If the source still begins with the imported messages, returns the stored messages. The last imported
 * message may have another text now: a source is also read while an answer is being written.
 */
function extendedBySource(
  { messages: stored }: Conversation,
  { count, said }: SourceMark,
  { messages, shown }: Candidate,
): readonly PastMessage[] | undefined {
  const imported = shown.slice(0, count);
  if (said === contentDigestOf(imported)) return stored;
  const last = messages.find(({ id }) => id === imported.at(-1)?.id);
  const before = stored.find(({ id }) => id === last?.id);
  if (last === undefined || before === undefined) return undefined;
  if (said !== contentDigestOf([...imported.slice(0, -1), before])) return undefined;
  return stored.map((message) => (message === before ? last : message));
}

/** Whether the source has changed since the import that wrote this mark. */
export const isChanged = (mark: SourceMark, now: SourceMark): boolean =>
  mark.hash !== now.hash ||
  mark.count !== now.count ||
  (mark.head !== now.head && !isOlderMark(mark, now));

/**
 * Whether an older export is imported after a newer one. If something was changed here since, only an export
 * with fewer messages is known to be older.
 */
function isOlder(current: Conversation, mark: SourceMark, candidate: Candidate) {
  const { fields, messages, shown, mark: now } = candidate;
  const isOlderVersion = isOlderMark(mark, now);
  if (onlyLacksMessages(current, mark, candidate)) return true;
  // The conversation here can have a later time only because its title was changed back, or it was merged.
  const hasTimes = mark.updatedAt !== undefined && now.updatedAt !== undefined;
  // The time of a file says nothing about an export that has times.
  const hasTimesNow = mark.times === 'file' && now.times === undefined;
  const isNewer = hasTimes || hasTimesNow || fields.updatedAt >= current.updatedAt;
  if (!isOlderVersion && isNewer) return false;
  if (shown.length > mark.count) return false;
  const stored = new Set(current.messages.map(({ id }) => id));
  const isStored = messages.every(({ id }) => stored.has(id));
  const hasFewer = isOlderVersion || shown.length < mark.count;
  if (hasFewer && isStored) return true;
  // The source has deleted a message since. An id made from a text is another one after each edit.
  if (candidate.hasIds && !isStored) return false;
  return (isOlderVersion || headDigestOf(current) === mark.head) && isAsImported(current, mark);
}

/** Whether the source is not newer, and is the imported one without some of its messages. */
function onlyLacksMessages(
  current: Conversation,
  mark: SourceMark,
  { fields, messages, mark: now }: Candidate,
): boolean {
  if (messages.length >= mark.count || now.head !== mark.head) return false;
  const stored = new Map(current.messages.map(({ id, content }) => [id, content]));
  const isStored = messages.every(({ id, content }) => stored.get(id) === content);
  return isStored && fields.updatedAt <= current.updatedAt;
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

/** The index of the first message, from `from` on, that is not stored here. A branch can grow too. */
function firstMissing(
  current: Conversation,
  messages: readonly CandidateMessage[],
  from: number,
): number {
  const stored = new Map(current.messages.map(({ id, content }) => [id, content]));
  // Calls without an answer were not stored in a branch (branch-import.ts).
  const isUnstored = ({ id, content }: CandidateMessage) => content === '' && !stored.has(id);
  const imported = messages.slice(0, from).findLastIndex((message) => !isUnstored(message)) + 1;
  const count = messages.slice(imported).findIndex(({ id, content }) => stored.get(id) !== content);
  return count === -1 ? messages.length : imported + count;
}

/**
 * Title, module, tags and pin follow the source unless one of them was changed here. A title that was
 * derived from a message is replaced in any case. If the source is older than the imported one, all stay; also if
 * it has none of the messages, because then it is another conversation with the same id.
 */
export function headRevision(
  current: Conversation,
  mark: SourceMark,
  { fields, mark: now, isInSource }: Candidate,
): Revision {
  if (!isSameSource(markIn(current.metadata), mark)) {
    // The conversation of the source was merged into this one, which has a title and tags of its own.
    const metadata = withMergedMark({ ...current.metadata }, now);
    return { updatedAt: current.updatedAt, fields: { metadata } };
  }
  if (isOlderMark(mark, now)) {
    const metadata = { ...current.metadata, source: withNewerHead(now, mark) };
    return { updatedAt: current.updatedAt, fields: { metadata } };
  }
  const { title, module, tags, pinned, metadata, updatedAt } = fields;
  if (current.messages.length > 0 && !current.messages.some(({ id }) => isInSource(id))) {
    // The digest of the head is that of the source, so the title counts as changed here from now on.
    const changed = { metadata: { ...current.metadata, source: now } };
    return { updatedAt: current.updatedAt, fields: changed };
  }
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
export function underOwnIds(
  messages: readonly CandidateMessage[],
  isTaken: (message: CandidateMessage) => boolean,
): CandidateMessage[] {
  return messages.map(({ parentMessageId: _parent, ...message }) => ({
    ...message,
    id: isTaken(message) ? otherVersionId(message) : message.id,
  }));
}
