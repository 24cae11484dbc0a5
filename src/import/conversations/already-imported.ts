/**
 * What was imported into the store before, read once for a whole import: the conversation of each source
 * id, and the conversations that were deleted here and are not imported again. It uses the heads and the
 * ids that the store has in memory in any case, so that many conversations need little memory.
 */
import { type JsonObject, objectsIn } from '../../base/json-fields.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import {
  markIn,
  markOfSource,
  marksIn,
  mergedMarksIn,
  type SourceId,
  type SourceMark,
} from '../../stores/conversations/document/import-mark.js';
import { restoredFromIn } from '../../stores/conversations/document/restored-from.js';
import { SUBAGENT_TAG } from '../source-interface.js';
import type { Candidate } from './planned-conversation.js';
import { SourceIdMap } from './source-id-map.js';

export interface KnownConversation {
  readonly conversationId: string;
  readonly mark: SourceMark;
}

export interface ArchivedSource {
  readonly conversationId: string;
  /** The values of `metadata.source` of the conversation and of those that were merged into it. */
  readonly sources?: readonly unknown[];
}

/** A message; its text is not kept in a dry run. */
export interface Identified {
  readonly id: string;
  readonly content?: string;
}

/** The version of a conversation that a dry run would have stored. */
export interface Planned {
  readonly count: number;
  /** Equal for equal versions. */
  readonly version: string;
  /** Of the conversation. */
  readonly updatedAt?: string;
  /** Hashes of the ids of its messages, and of those that would be in branches of it (planned-again.ts). */
  readonly ids?: Uint32Array;
  readonly branched?: Uint32Array;
}

/** Separates the id of a tree from the rest of a branch's id. */
const BRANCH_MARK = /[:+]/g;

export class AlreadyImported {
  readonly #store: ConversationStore;
  readonly #byId = new SourceIdMap<string>();
  /** By tree of messages: the ids of its branches, which begin with the id of the tree. */
  readonly #branchIds = new SourceIdMap<Set<string>>();
  /** The conversation into which the conversation of the source was merged here. */
  readonly #mergedInto = new SourceIdMap<string>();
  /** Maps the id of the first message to the conversation. */
  readonly #byFirst = new SourceIdMap<string>();
  /** By conversation: those that branch from it. */
  readonly #branchesOf = new Map<string, Set<string>>();
  readonly #deleted = new SourceIdMap<'deleted here' | 'merged here'>();
  readonly #archived = new SourceIdMap<true>();
  readonly #clientIds = new Set<string>();
  /** The hashes of the documents that were restored under new ids. */
  readonly #restored = new Set<string>();
  readonly #ids = new Set<string>();
  readonly #current = new Set<string>();
  /** What a dry run would have stored. */
  readonly #planned = new SourceIdMap<Planned>();
  /** By conversation of the store: the ids of the messages that it would have after a dry run. */
  readonly #plannedMessages = new Map<string, readonly Identified[]>();

  private constructor(store: ConversationStore) {
    this.#store = store;
  }

  /** `archived`: the conversations that were moved into archives. */
  static async of(
    store: ConversationStore,
    archived: readonly ArchivedSource[] = [],
  ): Promise<AlreadyImported> {
    const known = new AlreadyImported(store);
    // The import of another process may have ended just now, and a watched list is seconds behind it.
    await store.refresh();
    const merged = new Set<unknown>();
    for (const { conversationId, clientId, branchOf, metadata } of await store.list()) {
      known.#ids.add(conversationId);
      for (const id of sourcesOfMerge(metadata)) merged.add(id);
      for (const mark of mergedMarksIn(metadata)) {
        setOlder(known.#mergedInto, mark, conversationId);
        known.#addBranchId(mark);
      }
      known.add(conversationId);
      if (branchOf !== undefined) known.#addBranch(branchOf.conversationId, conversationId);
      if (clientId !== undefined) known.#clientIds.add(clientId);
      const { sha256 } = restoredFromIn(metadata) ?? {};
      if (sha256 !== undefined) known.#restored.add(sha256);
    }
    for (const { conversationId, metadata } of await store.trashed()) {
      const reason = merged.has(conversationId) ? 'merged here' : 'deleted here';
      for (const mark of marksIn(metadata)) known.#deleted.set(mark, reason);
      if (!known.#ids.has(conversationId)) {
        known.#deleted.set({ kind: 'daybook', id: conversationId }, reason);
      }
    }
    for (const { conversationId, sources = [] } of archived) {
      for (const source of sources) {
        const mark = markIn({ source });
        if (mark !== undefined) known.#archived.set(mark, true);
      }
      if (!known.#ids.has(conversationId)) {
        known.#archived.set({ kind: 'daybook', id: conversationId }, true);
      }
    }
    return known;
  }

  /** Whether this is the id of a conversation that was in the store when the import began. */
  hasId(conversationId: string): boolean {
    return this.#ids.has(conversationId);
  }

  get(source: SourceId): KnownConversation | undefined {
    const conversationId = this.#idOf(source);
    const { metadata } = this.#store.knownHead(conversationId ?? '') ?? {};
    const mark = markOfSource(metadata, source);
    return conversationId && mark ? { conversationId, mark } : undefined;
  }

  #idOf(source: SourceId): string | undefined {
    return this.#byId.get(source) ?? this.#mergedInto.get(source);
  }

  /**
   * Returns the conversation of a kind that begins with this message. The source may have given the
   * conversation another id since.
   */
  getByFirstMessage({
    kind,
    first,
  }: Pick<SourceMark, 'kind' | 'first'>): KnownConversation | undefined {
    const conversationId = first && this.#byFirst.get({ kind, id: first });
    const mark = conversationId && markIn(this.#store.knownHead(conversationId)?.metadata);
    return mark && mark.first === first ? { conversationId, mark } : undefined;
  }

  /** The conversations of one tree of messages: the shown branch, other branches, and those made by imports. */
  ofTree(tree: SourceId): readonly string[] {
    const { kind, id } = tree;
    return [id, ...(this.#branchIds.get(tree) ?? [])].flatMap((each) => {
      const found = this.#idOf({ kind, id: each });
      const isBranch = !this.#store.knownHead(found ?? '')?.tags?.includes(SUBAGENT_TAG);
      return found !== undefined && isBranch ? [found] : [];
    });
  }

  /**
   * The branches of a conversation, their branches, those that earlier imports made for the same source, and
   * the others of the same tree; without the conversation itself.
   */
  branchesOf(
    conversationId: string | undefined,
    { mark, treeId }: Pick<Candidate, 'mark' | 'treeId'>,
  ): readonly string[] {
    const made = this.madeBranches(mark);
    const ofTree = treeId === undefined ? [] : this.ofTree({ kind: mark.kind, id: treeId });
    const found = new Set([conversationId ?? [], ofTree, made].flat());
    // The set grows while it is read.
    for (const parent of found) {
      for (const branch of this.#branchesOf.get(parent) ?? []) found.add(branch);
    }
    if (conversationId !== undefined) found.delete(conversationId);
    return [...found];
  }

  /** The ids of the messages that were deleted here from these conversations. */
  deletedIn(conversationIds: readonly string[]): ReadonlySet<string> {
    const marks = conversationIds.flatMap((id) => marksIn(this.#store.knownHead(id)?.metadata));
    return new Set(marks.flatMap(({ deleted = [] }) => deleted));
  }

  /** The branches that imports made for messages of this source. */
  madeBranches(source: SourceId): readonly string[] {
    return [...(this.#branchIds.get(source) ?? [])].flatMap((id) => {
      const found = id.startsWith(`${source.id}+`) ? this.#idOf({ ...source, id }) : undefined;
      return found ?? [];
    });
  }

  #addBranch(parentId: string, conversationId: string): void {
    const branches = this.#branchesOf.get(parentId) ?? new Set();
    this.#branchesOf.set(parentId, branches.add(conversationId));
  }

  /** Adds a conversation of the store. Does nothing if it was not imported. */
  add(conversationId: string): void {
    const { metadata, branchOf } = this.#store.knownHead(conversationId) ?? {};
    const mark = markIn(metadata);
    if (mark === undefined) return;
    if (branchOf !== undefined) this.#addBranch(branchOf.conversationId, conversationId);
    const { kind, first } = mark;
    this.#addBranchId(mark);
    setOlder(this.#byId, mark, conversationId);
    if (first !== undefined) setOlder(this.#byFirst, { kind, id: first }, conversationId);
  }

  #addBranchId({ kind, id }: SourceId): void {
    for (const { index } of id.matchAll(BRANCH_MARK)) {
      const tree = { kind, id: id.slice(0, index) };
      const ids = this.#branchIds.get(tree) ?? new Set();
      this.#branchIds.set(tree, ids.add(id));
    }
  }

  /** Why the conversation is not imported again: it was deleted, merged or archived here, and not restored. */
  reasonToLeaveOut(source: SourceId): 'deleted here' | 'merged here' | 'archived here' | undefined {
    if (this.#idOf(source) !== undefined) return undefined;
    const deleted = this.#deleted.get(source);
    if (deleted !== undefined) return deleted;
    return this.#archived.get(source) === undefined ? undefined : 'archived here';
  }

  /** Call this when the import has the version of a conversation that is stored now. */
  setCurrent(conversationId: string): void {
    this.#current.add(conversationId);
  }

  /** Whether the import has the version of the conversation that is stored. */
  isCurrent(conversationId: string): boolean {
    return this.#current.has(conversationId);
  }

  /** Call this when a dry run would have added or changed the conversation of a source. */
  plan(source: SourceId, planned: Planned): void {
    this.#planned.set(source, planned);
  }

  /** What this dry run would have stored for the source before. */
  planned(source: SourceId): Planned | undefined {
    return this.#planned.get(source);
  }

  /** Call this when a dry run would have given these messages to a conversation of the store. */
  planMessages(conversationId: string, messages: readonly { readonly id?: string }[]): void {
    const ids = messages.flatMap(({ id }) => (id === undefined ? [] : { id }));
    this.#plannedMessages.set(conversationId, ids);
  }

  /** The messages that the conversation has, or would have after a dry run. */
  async messagesOf(conversationId: string): Promise<readonly Identified[]> {
    const planned = this.#plannedMessages.get(conversationId);
    return planned ?? (await this.#store.load(conversationId)).messages;
  }

  /** Whether the document with this hash was restored here under a new id. */
  isRestoredAsNew(sha256: string): boolean {
    return this.#restored.has(sha256);
  }

  isKeyTaken(clientId: string): boolean {
    return this.#clientIds.has(clientId);
  }

  takeKey(clientId: string): void {
    this.#clientIds.add(clientId);
  }
}

/** The ids of the conversations that were merged into a conversation with this metadata. */
const sourcesOfMerge = (metadata: JsonObject | undefined): unknown[] =>
  objectsIn(metadata?.['mergedFrom']).map((each) => each['conversationId']);

/** Two conversations have the same source if a folder was copied, or if one is a branch of the other. */
function setOlder(ids: SourceIdMap<string>, source: SourceId, conversationId: string): void {
  const other = ids.get(source);
  if (other === undefined || other >= conversationId) ids.set(source, conversationId);
}
