/**
 * Imports messages of a source that do not follow the last message of their stored conversation: they are
 * added to a branch that has the messages before them, or become a new branch.
 */
import { later } from '../../base/clock.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { AlreadyImported } from './already-imported.js';
import { markIn, type SourceMark } from './import-mark.js';
import { type Candidate, type CandidateMessage, otherVersionId } from './planned-conversation.js';
import type { BranchContent } from './reconcile.js';

export interface BranchImportOptions {
  readonly store: ConversationStore;
  readonly known: AlreadyImported;
  readonly dryRun: boolean;
}

/** The number of messages that were added, and whether they are in a new conversation. */
export interface BranchOutcome {
  readonly added: number;
  readonly isNew: boolean;
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
    { messages, previous }: BranchContent,
  ): Promise<BranchOutcome> {
    const before = previous === undefined ? [] : [previous.id, otherVersionId(previous)];
    for (const branch of await this.#branchesOf(parentId, candidate.mark)) {
      const ids = new Set(branch.messages.map(({ id }) => id));
      const firstNew = messages.findIndex(({ id }) => !ids.has(id));
      if (firstNew === -1) return { added: 0, isNew: false };
      const last = messages[firstNew - 1]?.id ?? before.find((id) => ids.has(id));
      if (last === undefined) continue;
      const rest = messages.slice(firstNew);
      if (branch.messages.at(-1)?.id === last) return this.#extend(branch, candidate, rest);
      const shared = branch.messages.find(({ id }) => id === last);
      return this.add(branch.conversationId, candidate, { messages: rest, previous: shared });
    }
    return this.#create(parentId, candidate, { messages, previous });
  }

  /**
   * The branches of the conversation, their branches, and those that earlier imports made for the same source.
   */
  async #branchesOf(parentId: string, { kind, id }: SourceMark): Promise<Conversation[]> {
    const { store } = this.#options;
    const heads = await store.list();
    const found = new Set([parentId]);
    // A branch may be listed before its parent. The set grows while it is read.
    for (const parent of found) {
      for (const { conversationId, branchOf, metadata } of heads) {
        const own = markIn(metadata);
        const isOfSource = own?.kind === kind && own.id.startsWith(`${id}+`);
        if (branchOf?.conversationId === parent || isOfSource) found.add(conversationId);
      }
    }
    found.delete(parentId);
    return Promise.all([...found].map((each) => store.load(each)));
  }

  async #extend(
    { conversationId }: Conversation,
    { fields }: Candidate,
    messages: readonly CandidateMessage[],
  ): Promise<BranchOutcome> {
    const { store, dryRun } = this.#options;
    if (!dryRun) {
      await store.revise(conversationId, (current) => ({
        updatedAt: later(current.updatedAt, fields.updatedAt),
        messages: [...current.messages, ...messages],
      }));
    }
    return { added: messages.length, isNew: false };
  }

  async #create(
    parentId: string,
    { mark, fields }: Candidate,
    { messages, previous }: BranchContent,
  ): Promise<BranchOutcome> {
    const { store, known, dryRun } = this.#options;
    const outcome = { added: messages.length, isNew: true };
    if (dryRun) return outcome;
    const { clientId: _key, metadata, ...others } = fields;
    const [first] = messages;
    const source: SourceMark = {
      ...{ ...mark, id: this.#freeId(mark), count: messages.length },
      ...(first && { first: first.id }),
    };
    const parent = await store.load(parentId);
    const fork = parent.messages.find(({ id }) => id === previous?.id);
    const { conversationId } = await store.create({
      ...others,
      metadata: { ...metadata, source },
      isScreened: true,
      isBatched: true,
      ...(fork && { branchOf: { conversationId: parentId, messageId: fork.id } }),
      messages,
    });
    known.add(conversationId);
    return outcome;
  }

  #freeId({ kind, id }: SourceMark): string {
    for (let own = `${id}+`; ; own += '+') {
      if (this.#options.known.get({ kind, id: own }) === undefined) return own;
    }
  }
}
