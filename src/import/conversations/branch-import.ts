/**
 * Imports messages of a source that do not follow the messages of their stored conversation: they are added
 * to the conversation or the branch that ends with the message before them, or become a new branch. A source
 * can call another of its branches the main one at each import, so messages that are stored already are
 * searched in all of them.
 */
import { later } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Revision } from '../../stores/conversations/document/apply-revision.js';
import {
  digestsOf,
  isAsImported,
  isOlderMark,
  markIn,
  type SourceId,
  type SourceMark,
  withNewerHead,
  writtenIn,
} from '../../stores/conversations/document/import-mark.js';
import type { Conversation, JsonObject } from '../../stores/conversations/document/schema.js';
import type { Activity } from '../source-interface.js';
import type { AlreadyImported, Identified } from './already-imported.js';
import { withDeletedHere } from './deleted-here.js';
import { type Candidate, type CandidateMessage, otherVersionId } from './planned-conversation.js';
import {
  type BranchContent,
  headRevision,
  marked,
  underOwnIds,
  withNewTexts,
} from './reconcile.js';
import { withActivity } from './stored-activity.js';
import { textlessBranchOf } from './textless-branch.js';

export interface BranchImportOptions {
  readonly store: ConversationStore;
  readonly known: AlreadyImported;
  readonly dryRun: boolean;
  readonly activity: Activity;
  /** Throws LOCKED if another import has started while this one was paused. */
  readonly requireHeld: () => void;
}

/**
 * The number of messages that were added, and of conversations that were created for them. `extended`: the id of
 * the existing conversation that has them.
 */
interface Added {
  readonly added: number;
  readonly created: number;
  readonly extended?: string;
}

/**
 * `isEdited`: whether stored messages have a new text. `hasOwnIds`: whether texts of the source are messages of
 * their own, because the store has others.
 */
export interface BranchOutcome extends Added {
  readonly isEdited: boolean;
  readonly hasOwnIds: boolean;
  /** The number of messages whose stored text differs from the source, in conversations that were changed here. */
  readonly others: number;
}

type MissingContent = Pick<BranchContent, 'messages' | 'previous'>;

/** A conversation with the messages that it has, or would have in a dry run. */
interface Place {
  readonly conversationId: string;
  readonly messages: readonly Identified[];
}

export class BranchImport {
  readonly #options: BranchImportOptions;

  constructor(options: BranchImportOptions) {
    this.#options = options;
  }

  /** Durable when it resolves. Throws what the store throws. */
  async add(
    parentId: string,
    candidate: Candidate,
    content: BranchContent,
  ): Promise<BranchOutcome> {
    // The calls at the end come again in the answer, or are a branch without text, which is not imported.
    const end = content.messages.findLastIndex((message) => message.content !== '') + 1;
    const given = { ...content, messages: content.messages.slice(0, end) };
    const left = await this.#withoutDeleted(parentId, given);
    const { messages, ...texts } = await this.#withTexts(parentId, candidate, left);
    const outcome = await this.#addMissing(parentId, candidate, { ...left, messages });
    return { ...outcome, ...texts, hasOwnIds: messages !== left.messages };
  }

  /** The messages without those that were deleted from the conversation here. */
  async #withoutDeleted(conversationId: string, content: BranchContent): Promise<BranchContent> {
    const { previous } = content;
    const current = await this.#options.store.load(conversationId);
    const mark = markIn(current.metadata);
    const fork = current.messages.findIndex(({ id }) => id === previous?.id);
    if (mark === undefined || (previous !== undefined && fork === -1)) return content;
    const path = [...current.messages.slice(0, fork + 1), ...content.messages];
    const deleted = new Set(withDeletedHere(current, mark, path).deleted);
    const messages = content.messages.filter(({ id }) => !deleted.has(id));
    return deleted.size === 0 ? content : { ...content, messages };
  }

  /**
   * Writes new texts of stored messages in their place. The source's text of a message that was changed here
   * becomes a message of its own.
   */
  async #withTexts(parentId: string, candidate: Candidate, content: BranchContent) {
    let { messages } = content;
    let isEdited = false;
    let others = 0;
    if (this.#isOlder(candidate)) return { messages, isEdited, others };
    const places = [
      await this.#placeOf(parentId),
      ...(await this.#branchesOf(parentId, candidate)),
    ];
    for (const place of places) {
      const here = new Map(place.messages.map((message) => [message.id, message.content]));
      const isOther = ({ id, content: now }: CandidateMessage) => (here.get(id) ?? now) !== now;
      if (await this.#edit(place, candidate, messages)) isEdited = true;
      else if (content.isChanged) messages = underOwnIds(messages, isOther);
      else if (messages.some(isOther)) {
        const changedBy = await this.#changedBy(place, messages.filter(isOther));
        if (changedBy === 'source') messages = underOwnIds(messages, isOther);
        else if (changedBy === 'unknown') others += messages.filter(isOther).length;
      }
    }
    return { messages, isEdited, others };
  }

  /** Which side changed the texts that differ. It is known only if the other side changed none. */
  async #changedBy(
    { conversationId }: Place,
    differing: readonly CandidateMessage[],
  ): Promise<'here' | 'source' | 'unknown'> {
    const current = await this.#options.store.load(conversationId);
    const mark = markIn(current.metadata);
    const written = mark === undefined ? [] : writtenIn(current.messages, mark);
    const here = new Set(written.map(({ id }) => id));
    if (mark === undefined || !differing.every(({ id }) => here.has(id))) return 'unknown';
    if (isAsImported({ messages: written }, mark)) return 'source';
    const there = new Map(differing.map(({ id, content }) => [id, content]));
    const messages = written.map((message) => {
      return { ...message, content: there.get(message.id) ?? message.content };
    });
    return isAsImported({ messages }, mark) ? 'here' : 'unknown';
  }

  /** Whether a newer version of the tree was imported before. */
  #isOlder({ mark, treeId = mark.id }: Candidate): boolean {
    const { known, store } = this.#options;
    return known.ofTree({ kind: mark.kind, id: treeId }).some((conversationId) => {
      const stored = markIn(store.knownHead(conversationId)?.metadata);
      return stored !== undefined && isOlderMark(stored, mark);
    });
  }

  /** Returns false if the conversation was changed here. */
  async #edit(
    { conversationId }: Place,
    candidate: Candidate,
    messages: readonly CandidateMessage[],
  ): Promise<boolean> {
    const { store, dryRun, activity, requireHeld } = this.#options;
    const edited = (current: Conversation) => {
      const mark = markIn(current.metadata);
      if (mark === undefined) return undefined;
      const given = withActivity(messages, current.messages, activity);
      const next = withNewTexts(current, mark, given.messages);
      return next === current ? undefined : next.messages;
    };
    if (edited(await store.load(conversationId)) === undefined) return false;
    if (dryRun) return true; // the ids of the messages stay
    await store.revise(conversationId, (current) => {
      requireHeld();
      const now = edited(current);
      const updatedAt = later(current.updatedAt, candidate.fields.updatedAt);
      const fields = { metadata: withTimeOf(candidate, current) };
      return now && marked({ updatedAt, fields, messages: now }, current);
    });
    return true;
  }

  async #addMissing(
    parentId: string,
    candidate: Candidate,
    content: MissingContent,
  ): Promise<Added> {
    const parent = await this.#placeOf(parentId);
    const all = [parent, ...(await this.#branchesOf(parentId, candidate))];
    const best = closestOf(all, content);
    const place = best?.conversation ?? parent;
    const missing = content.messages.slice(best?.count ?? 0);
    const previous = best?.last ?? content.previous;
    if (missing.length === 0) return { added: 0, created: 0 };
    if (missing.length < content.messages.length) {
      // Another conversation may have the next messages.
      return this.#addMissing(parentId, candidate, { messages: missing, previous });
    }
    // The conversation may have other messages after the last shared one.
    const stored = new Set(all.flatMap(({ messages }) => messages.map(({ id }) => id)));
    const end = missing.findIndex(({ id }) => stored.has(id));
    const messages = end === -1 ? missing : missing.slice(0, end);
    const done = best?.isAtEnd
      ? await this.#extend(place, candidate, messages)
      : await this.#create(place, candidate, { messages, previous });
    if (end === -1) return done;
    const rest = { messages: missing.slice(end), previous: messages.at(-1) };
    const more = await this.#addMissing(parentId, candidate, rest);
    return { ...done, added: done.added + more.added, created: done.created + more.created };
  }

  /** Moves the calls of a branch that the source no longer shows to a branch, if the revision removes them. */
  async keepTextless(
    stored: Conversation,
    candidate: Candidate,
    { messages }: Revision,
  ): Promise<Added | undefined> {
    const found = messages && textlessBranchOf(stored, candidate);
    if (found === undefined) return undefined;
    const { message, previous } = found;
    const isRemoved = messages?.every(({ id }) => id !== message.id) ?? false;
    // An earlier import may have been killed after it had written the branch.
    const isThere = await this.hasAny(stored.conversationId, candidate, new Set([message.id]));
    if (!isRemoved || isThere) return undefined;
    return this.#create(stored, candidate, { messages: [message], previous });
  }

  /**
   * Updates title, tags and other fields of the branch that the source shows now, because the source gives them
   * under the id of the conversation.
   */
  async followHead(parentId: string, candidate: Candidate): Promise<void> {
    const { mark, messages } = candidate;
    for (const place of await this.#branchesOf(parentId, candidate)) {
      if (place.messages.at(-1)?.id !== messages.at(-1)?.id) continue;
      const own = markIn(this.#options.store.knownHead(place.conversationId)?.metadata);
      if (own?.kind !== mark.kind || own.head === mark.head || isOlderMark(own, mark)) continue;
      await this.#extend(place, candidate, []);
    }
  }

  /** Whether a branch of the conversation has one of these messages. */
  async hasAny(
    parentId: string,
    candidate: Candidate,
    messageIds: ReadonlySet<string>,
  ): Promise<boolean> {
    const branches = await this.#branchesOf(parentId, candidate);
    return branches.some(({ messages }) => messages.some(({ id }) => messageIds.has(id)));
  }

  /** A conversation of the tree that has one of these messages. */
  async holderIn(tree: SourceId, messageIds: ReadonlySet<string>): Promise<string | undefined> {
    for (const conversationId of this.#options.known.ofTree(tree)) {
      const messages = await this.#options.known.messagesOf(conversationId);
      if (messages.some(({ id }) => messageIds.has(id))) return conversationId;
    }
    return undefined;
  }

  async #placeOf(conversationId: string): Promise<Place> {
    return { conversationId, messages: await this.#options.known.messagesOf(conversationId) };
  }

  #branchesOf(parentId: string, candidate: Candidate): Promise<Place[]> {
    const ids = this.#options.known.branchesOf(parentId, candidate);
    return Promise.all(ids.map((each) => this.#placeOf(each)));
  }

  async #extend(
    { conversationId, messages: before }: Place,
    candidate: Candidate,
    messages: readonly CandidateMessage[],
  ): Promise<Added> {
    const { store, known, dryRun, requireHeld } = this.#options;
    if (dryRun) known.planMessages(conversationId, [...before, ...messages]);
    else {
      await store.revise(conversationId, (current) => {
        requireHeld();
        const head = headOfBranch(current, candidate);
        return marked({ ...head, messages: [...current.messages, ...messages] }, current);
      });
    }
    return { added: messages.length, created: 0, extended: conversationId };
  }

  async #create(
    parent: Place,
    { mark, fields }: Candidate,
    { messages, previous }: MissingContent,
  ): Promise<Added> {
    const { store, known, dryRun, requireHeld } = this.#options;
    const outcome = { added: messages.length, created: 1 };
    if (dryRun) return outcome;
    const { clientId: _key, metadata, ...others } = fields;
    const { replaced: _, deleted: __, ...own } = mark;
    const [first] = messages;
    const source: SourceMark = {
      ...own,
      ...digestsOf(messages, own.times),
      id: this.#freeId(mark),
      count: messages.length,
      ...(first && { first: first.id }),
    };
    const fork = parent.messages.find(({ id }) => id === previous?.id);
    const branched = {
      ...others,
      metadata: { ...metadata, source },
      ...(fork && { branchOf: { conversationId: parent.conversationId, messageId: fork.id } }),
    };
    const entry = { fields: branched, messages, beforeWrite: requireHeld };
    known.add(await store.batches.add(entry));
    return outcome;
  }

  #freeId({ kind, id }: SourceMark): string {
    for (let own = `${id}+`; ; own += '+') {
      if (this.#options.known.get({ kind, id: own }) === undefined) return own;
    }
  }
}

/**
 * The head of a stored branch follows the source too, because a branch that the source shows as the main one now
 * does not come under its own id any more.
 */
function headOfBranch(current: Conversation, candidate: Candidate): Revision {
  const own = markIn(current.metadata);
  const { mark, fields } = candidate;
  if (own === undefined || own.kind !== mark.kind || own.id === mark.id)
    return { updatedAt: later(current.updatedAt, fields.updatedAt) };
  return headRevision(current, own, { ...candidate, mark: withNewerHead(own, mark) });
}

/** The mark gets the time of the source, so that an older export does not bring back the text before. */
function withTimeOf({ mark }: Candidate, { metadata }: Conversation): JsonObject {
  const own = markIn(metadata);
  const { updatedAt } = mark;
  if (own === undefined || updatedAt === undefined) return { ...metadata };
  return { ...metadata, source: { ...own, updatedAt } };
}

/**
 * What a conversation has of new messages: the last one that both have (or the one before them), the number of
 * messages that it has, and whether the others can follow at its end.
 */
function sharedWith(conversation: Place, { messages, previous }: MissingContent) {
  const byId = new Map(conversation.messages.map((message) => [message.id, message]));
  const firstNew = messages.findIndex(({ id }) => !byId.has(id));
  const count = firstNew === -1 ? messages.length : firstNew;
  const before = previous === undefined ? [] : idsOf(previous);
  const lastId = messages[count - 1]?.id ?? before.find((id) => byId.has(id));
  const last = lastId === undefined ? undefined : byId.get(lastId);
  return { conversation, last, count, isAtEnd: conversation.messages.at(-1) === last };
}

/** The ids that the message can have in the store. */
const idsOf = ({ id, content }: Identified): string[] =>
  content === undefined ? [id] : [id, otherVersionId({ id, content })];

function closestOf(places: readonly Place[], content: MissingContent): Shared | undefined {
  const shared = places
    .map((place) => sharedWith(place, content))
    .filter(({ last }) => last !== undefined);
  const [first, ...others] = shared;
  return first && others.reduce((found, each) => (isCloser(each, found) ? each : found), first);
}

type Shared = ReturnType<typeof sharedWith>;

const isCloser = (one: Shared, other: Shared): boolean =>
  one.count > other.count || (one.count === other.count && one.isAtEnd && !other.isAtEnd);
