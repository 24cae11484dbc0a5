/**
 * Imports messages of a source that do not follow the messages of their stored conversation: they are added
 * to the conversation or the branch that ends with the message before them, or become a new branch. A source
 * can call another of its branches the main one at each import, so messages that are stored already are
 * searched in all of them.
 */
import { later } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Revision } from '../../stores/conversations/document/apply-revision.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { AlreadyImported, Identified } from './already-imported.js';
import { markIn, type SourceId, type SourceMark, withNewerHead } from './import-mark.js';
import { type Candidate, type CandidateMessage, otherVersionId } from './planned-conversation.js';
import { type BranchContent, headRevision } from './reconcile.js';

export interface BranchImportOptions {
  readonly store: ConversationStore;
  readonly known: AlreadyImported;
  readonly dryRun: boolean;
  /** Throws LOCKED if another import has started while this one was paused. */
  readonly requireHeld: () => void;
}

/**
 * The number of messages that were added, and whether they are in a new conversation. `extended`: the id of
 * the existing conversation that has them.
 */
export interface BranchOutcome {
  readonly added: number;
  readonly isNew: boolean;
  readonly extended?: string;
}

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
    const parent = await this.#placeOf(parentId);
    const all = [parent, ...(await this.#branchesOf(parentId, candidate))];
    const [first, ...others] = all
      .map((conversation) => sharedWith(conversation, content))
      .filter(({ last }) => last !== undefined);
    if (first === undefined) return this.#create(parent, candidate, content);
    const best = others.reduce((found, each) => (isCloser(each, found) ? each : found), first);
    const { conversation, last, count, isAtEnd } = best;
    const rest = { messages: content.messages.slice(count), previous: last };
    if (rest.messages.length === 0) return { added: 0, isNew: false };
    // Another conversation may have the next messages.
    if (count > 0) return this.add(conversation.conversationId, candidate, rest);
    if (isAtEnd) return this.#extend(conversation, candidate, rest.messages);
    // The conversation has other messages after the last shared one.
    return this.#create(conversation, candidate, rest);
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

  #branchesOf(parentId: string, { mark, treeId }: Candidate): Promise<Place[]> {
    const { known } = this.#options;
    const { kind, id } = mark;
    const tree = treeId === undefined ? undefined : { kind, id: treeId };
    const ids = known.branchesOf(parentId, { kind, id }, tree);
    return Promise.all(ids.map((each) => this.#placeOf(each)));
  }

  async #extend(
    { conversationId, messages: before }: Place,
    candidate: Candidate,
    messages: readonly CandidateMessage[],
  ): Promise<BranchOutcome> {
    const { store, known, dryRun, requireHeld } = this.#options;
    if (dryRun) known.planMessages(conversationId, [...before, ...messages]);
    else {
      await store.revise(conversationId, (current) => {
        requireHeld();
        return {
          ...headOfBranch(current, candidate),
          messages: [...current.messages, ...messages],
        };
      });
    }
    return { added: messages.length, isNew: false, extended: conversationId };
  }

  async #create(
    parent: Place,
    { mark, fields }: Candidate,
    { messages, previous }: BranchContent,
  ): Promise<BranchOutcome> {
    const { store, known, dryRun, requireHeld } = this.#options;
    const outcome = { added: messages.length, isNew: true };
    if (dryRun) return outcome;
    const { clientId: _key, metadata, ...others } = fields;
    const { replaced: _replaced, ...own } = mark;
    const [first] = messages;
    const source: SourceMark = {
      ...own,
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

/**
 * What a conversation has of new messages: the last one that both have (or the one before them), the number of
 * messages that it has, and whether the others can follow at its end.
 */
function sharedWith(conversation: Place, { messages, previous }: BranchContent) {
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

type Shared = ReturnType<typeof sharedWith>;

const isCloser = (one: Shared, other: Shared): boolean =>
  one.count > other.count || (one.count === other.count && one.isAtEnd && !other.isAtEnd);
