/**
 * A conversation of a source in the form in which the store would write it, with its mark. The same
 * conversation always results in the same candidate, message ids included.
 */
import { isoTime } from '../../base/clock.js';
import { derivedUuid } from '../../base/ids.js';
import type { PastFields, PastMessage } from '../../stores/conversations/document/apply-appends.js';
import { CLIENT_ID } from '../../stores/conversations/document/conversation-id.js';
import {
  digestsOf,
  headDigestOf,
  isOwnId,
  type SourceMark,
} from '../../stores/conversations/document/import-mark.js';
import { jsonCopy } from '../../stores/conversations/document/json-copy.js';
import type { JsonObject } from '../../stores/conversations/document/schema.js';
import { withoutHash } from '../../stores/tags.js';
import type { ImportedConversation, ImportedMessage } from '../source-interface.js';

export type CandidateMessage = PastMessage & { readonly id: string; readonly createdAt: string };

/** The id in the store of the source's version of a message that was edited here. */
export const otherVersionId = ({ id, content }: Pick<CandidateMessage, 'id' | 'content'>): string =>
  derivedUuid(id, content);

export interface Candidate {
  readonly mark: SourceMark;
  readonly fields: PastFields & { readonly createdAt: string; readonly updatedAt: string };
  /** Later without those that are never stored (refined-candidate.ts). */
  readonly messages: readonly CandidateMessage[];
  /** All that the source shows; the mark is of these. */
  readonly shown: readonly CandidateMessage[];
  /** Whether the source has an id for each of the messages. */
  readonly hasIds: boolean;
  /** The stored ids of all messages that the source has of it. */
  sourceIds(): readonly string[];
  /** Whether the source has a message of this stored id somewhere in the conversation. */
  isInSource(messageId: string): boolean;
  /** Whether the source has a message of this stored id, but in another branch of the conversation. */
  isElsewhere(messageId: string): boolean;
  /** As the source gives it; see `ImportedConversation`. */
  readonly treeId?: string | undefined;
  /** The conversation of the same source from which it was branched, and the stored id of the message. */
  readonly branchOf?: { readonly id: string; readonly messageId: string } | undefined;
}

/** `storedFirst`: id of the first message of the conversation, if it was imported before. */
export function candidateOf(
  kind: string,
  given: ImportedConversation,
  storedFirst?: string | undefined,
): Candidate {
  const { createdAt, updatedAt, isDated } = timesOf(given);
  const scope = scopeOf(kind, given, storedFirst);
  const messages = messagesOf(kind, scope, given, createdAt);
  const { module, pinned, metadata = {}, branchOf, id } = given;
  const title = given.title?.trim() === '' ? undefined : given.title;
  const fields = {
    ...(title !== undefined && { title: title.toWellFormed() }),
    ...(module !== undefined && { module }),
    ...(pinned && { pinned }),
    tags: [...new Set([kind, ...(given.tags ?? []).filter((tag) => withoutHash(tag) !== '')])],
  };
  const times = isDated ? undefined : ('file' as const);
  const { hash, said } = digestsOf(messages, times);
  const changedAt = given.treeUpdatedAt ?? given.updatedAt;
  const mark: SourceMark = {
    kind,
    id,
    count: messages.length,
    hash,
    said,
    head: headDigestOf(fields),
    ...(changedAt !== undefined && { updatedAt: changedAt }),
    ...(times && { times }),
    ...(given.isRemnant && { isRemnant: true }),
    ...(messages[0] && { first: messages[0].id }),
  };
  const storedIds = (ids: ReadonlySet<string> = new Set()) =>
    [...ids].map((each) => storedId(kind, scope, each));
  const sourceIds = () => [...messages.map(({ id: own }) => own), ...storedIds(given.allIds)];
  const isKey = given.isKey && CLIENT_ID.test(id);
  return {
    mark,
    fields: {
      createdAt,
      updatedAt,
      ...fields,
      ...(isKey && { clientId: id }),
      metadata: withMark(metadata, mark),
    },
    messages,
    shown: messages,
    hasIds: given.messages.every((message) => message.id !== undefined),
    treeId: given.treeId,
    sourceIds,
    isInSource: memberOf(sourceIds),
    isElsewhere: memberOf(() => storedIds(given.otherIds)),
    ...(branchOf?.messageId !== undefined && {
      branchOf: {
        id: branchOf.id,
        messageId: storedId(kind, scopeOfParent(branchOf.id, scope), branchOf.messageId),
      },
    }),
  };
}

/** The mark is not copied, so that the store has each of its texts only once. */
function withMark(metadata: JsonObject, mark: SourceMark): JsonObject {
  const { metadata: copy } = jsonCopy({ metadata });
  if (Object.keys(copy).length === 0) return { source: mark };
  copy['source'] = mark;
  return copy;
}

/** The time of a conversation whose source has no times. */
export const fileTimeOf = ({ fileTimeMs }: ImportedConversation): string =>
  isoTime(Math.max(0, Math.round(fileTimeMs)));

function timesOf(item: ImportedConversation) {
  const { createdAt, updatedAt, messages } = item;
  const said = messages.flatMap((message) => message.createdAt ?? []);
  const first = createdAt ?? said[0] ?? updatedAt;
  const start = first ?? fileTimeOf(item);
  return {
    createdAt: start,
    updatedAt: updatedAt ?? said.at(-1) ?? start,
    isDated: first !== undefined,
  };
}

/**
 * A short message id is unique only in its tree: a message can move to another branch of it. The branches of
 * older imports have ids that are derived from the branch.
 */
function scopeOf(
  kind: string,
  { id, treeId = id, messages }: ImportedConversation,
  storedFirst: string | undefined,
): string {
  const first = messages[0]?.id;
  if (first === undefined || isOwnId(first)) return treeId;
  const isOlder = storedId(kind, id, first) === storedFirst;
  return isOlder ? id : treeId;
}

const scopeOfParent = (parentId: string, scope: string): string =>
  parentId.startsWith(`${scope}:`) ? scope : parentId;

/** Repeated ids are distinguished by their order. A message without a time gets the time of the message before it. */
function messagesOf(
  kind: string,
  scope: string,
  { id: conversation, messages }: ImportedConversation,
  createdAt: string,
): CandidateMessage[] {
  const used = new Map<string, number>();
  const stored = new Map<string, string>();
  let time = createdAt;
  return messages.map((message) => {
    const { role, content, parentId, metadata } = message;
    time = message.createdAt ?? time;
    const id = freeId(kind, { conversation, scope }, message, used);
    if (message.id !== undefined) stored.set(message.id, id);
    const parent = parentId === undefined ? undefined : stored.get(parentId);
    return {
      id,
      role,
      content,
      createdAt: time,
      ...(parent !== undefined && parent !== id && { parentMessageId: parent }),
      ...(metadata !== undefined && { metadata: jsonCopy(metadata) }),
    };
  });
}

function freeId(
  kind: string,
  { conversation, scope }: { readonly conversation: string; readonly scope: string },
  { id, role, content }: ImportedMessage,
  used: Map<string, number>,
): string {
  const numbered = (count: number) =>
    id === undefined
      ? derivedUuid(kind, conversation, role, content, String(count))
      : storedId(kind, scope, count === 1 ? id : `${id}#${count}`);
  const first = numbered(1);
  // Without the last count, many equal messages would cost a pass over all of them for each.
  let count = used.get(first) ?? 0;
  let wanted = first;
  while (used.has(wanted)) {
    count += 1;
    wanted = numbered(count);
  }
  used.set(wanted, 1).set(first, Math.max(count, 1));
  return wanted;
}

/** A short id, such as a row's number, names a message only together with its conversation or tree. */
function storedId(kind: string, scope: string, id: string): string {
  return isOwnId(id) ? id : derivedUuid(kind, scope, id);
}

/** Computed only when it is needed, which is the case if a conversation changed. */
function memberOf(list: () => readonly string[]): (messageId: string) => boolean {
  let ids: ReadonlySet<string> | undefined;
  return (messageId) => {
    ids ??= new Set(list());
    return ids.has(messageId);
  };
}
