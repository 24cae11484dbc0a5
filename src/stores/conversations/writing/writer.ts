/**
 * Creates and changes conversations, each under its lock. Waiting requests for the same conversation
 * (appends, changes of its head) are written together.
 */

import { type AppError, appErrorOf, isAppError } from '../../../base/errors.js';
import { newUuid } from '../../../base/ids.js';
import type { Outcome } from '../../../files/atomic/group-commit.js';
import { type HeldLock, withLock } from '../../../files/locks/file-lock.js';
import { removeEmptyFolder } from '../../../files/paths/folders.js';
import { keyInUse, notFound } from '../conversation-errors.js';
import {
  type AppendRequest,
  type Applied,
  applyAppends,
  type ConversationFields,
  type Limits,
  type PastFields,
  type PastMessage,
} from '../document/apply-appends.js';
import { applyRevision, type Revision } from '../document/apply-revision.js';
import type { ConversationDocument } from '../document/document.js';
import type { Conversation, ConversationHead } from '../document/schema.js';
import { idForWriting } from '../key-lookup.js';
import type { StoreCore } from '../store-core.js';
import type { VersionFiles, VersionReason } from '../versions/version-files.js';
import { BulkCreator, type MaskedConversation } from './bulk-create.js';
import { withKeyLock } from './key-lock.js';
import { hadKey } from './key-of-damaged-file.js';

/** Tries again if the conversation of the key was deleted or merged while a write waited. */
const MAX_TRIES = 5;

export interface NewConversation extends PastFields {
  messages?: readonly PastMessage[];
  /** See `AppendOptions`. */
  mayDefer?: boolean | undefined;
}

export type Created = Conversation & Pick<AppendResult, 'masked'>;

export interface AppendResult extends Applied {
  /** The kinds of secrets that were removed before the write; absent if nothing was removed. */
  masked?: readonly string[];
  head: ConversationHead;
  created: boolean;
}

export class ConversationWriter {
  readonly #core: StoreCore;
  readonly #versions: VersionFiles;
  /** For imports: creates many conversations together. */
  readonly batches: BulkCreator;

  constructor(core: StoreCore, versions: VersionFiles) {
    this.#core = core;
    this.#versions = versions;
    this.batches = new BulkCreator(core, {
      fill: (document, messages) => fill(document, [{ messages, options: {} }], this.#unlimited),
      createOne: (one) => this.#createOne(one, this.#unlimited),
    });
  }

  async create({ messages: given = [], ...others }: NewConversation): Promise<Created> {
    const fields = await this.#core.maskedFields(others);
    const { messages, ...noted } = await this.#core.maskedMessages(given);
    return { ...(await this.createMasked({ fields, messages })), ...noted };
  }

  /** `hasWaited`: it waited in memory. Throws like `ConversationStore.create`. */
  async createMasked(conversation: MaskedConversation, hasWaited = false): Promise<Conversation> {
    const creating = this.#createOne(conversation, this.#limits, hasWaited);
    return (await this.#core.track(creating)).snapshot();
  }

  async #createOne(
    { fields, messages }: MaskedConversation,
    limits: Limits,
    hasWaited = false,
  ): Promise<ConversationDocument> {
    const { locksFolder, options } = this.#core;
    await options.requireRoom?.();
    const requests = [{ messages, options: {} }];
    const { clientId } = fields;
    if (clientId === undefined) {
      const work = (lock: HeldLock) => this.createWith(lock, fields, requests, { limits });
      return withLock(locksFolder, `new-${newUuid()}`, work);
    }
    return withKeyLock(locksFolder, clientId, async (lock) => {
      await this.#requireFreeKey(clientId, hasWaited);
      return this.createWith(lock, fields, requests, { limits });
    });
  }

  /** Creates a conversation under a lock that the caller holds. */
  createWith(
    lock: HeldLock,
    fields: PastFields,
    requests: readonly AppendRequest[],
    { limits = this.#limits, beforeWrite, idFrom }: CreateOptions = {},
  ): Promise<ConversationDocument> {
    const filled = async (document: ConversationDocument) => {
      fill(document, requests, limits);
      await beforeWrite?.(document.head.conversationId);
      return true;
    };
    return this.#core.files.create(lock, fields, filled, idFrom);
  }

  removeIf(
    conversationId: string,
    condition: (current: Conversation) => boolean,
  ): Promise<boolean> {
    const { files, catalogue } = this.#core;
    const removing = withLock(this.#core.locksFolder, conversationId, async (lock) => {
      const found = await files.read(conversationId);
      if (found === undefined || !condition(found.document.snapshot())) return false;
      await lock.remove(files.fileOf(conversationId), this.#core.options);
      catalogue.forget(conversationId);
      await removeEmptyFolder(files.folderOf(conversationId));
      return true;
    });
    return this.#core.track(removing);
  }

  /**
   * Changes the conversation as `decide` returns; if it returns `undefined`, nothing changes. Stores the
   * earlier version if messages change or are removed. Returns the new head. Durable when it resolves.
   */
  async revise(
    conversationId: string,
    decide: (current: Conversation) => Revision | undefined,
    reason: VersionReason,
  ): Promise<ConversationHead> {
    const { files } = this.#core;
    // Deleting makes room, so the version is stored even if the store is full.
    if (reason !== 'delete') await this.#core.options.requireRoom?.();
    const revising = withLock(this.#core.locksFolder, conversationId, async (lock) => {
      const found = await files.read(conversationId);
      if (found === undefined) throw notFound(conversationId);
      const revision = decide(found.document.snapshot());
      if (revision === undefined) return found.document.head;
      const { document, unchangedMessages } = applyRevision(
        found.document,
        revision,
        this.#unlimited,
      );
      const { updatedAt } = revision;
      if (unchangedMessages < found.document.head.messageCount) {
        await this.#versions.store(conversationId, found.document, reason);
      }
      await files.write(lock, document, { updatedAt, unchangedMessages, isLast: true });
      return document.head;
    });
    return this.#core.track(revising);
  }

  /**
   * Writes the waiting requests of one conversation in one write. Returns an outcome for each request. A full
   * store accepts no messages, but the fields of its conversations can still be changed.
   */
  async commit(
    ref: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    const refusal = await this.#refusal(requests);
    if (refusal === undefined) return this.#commitAll(ref, requests);
    const small = requests.filter((request) => !addsMessages(request));
    const done = small.length === 0 ? [] : await this.#commitAll(ref, small);
    return requests.map((request) => done[small.indexOf(request)] ?? { error: refusal });
  }

  async #refusal(requests: readonly AppendRequest[]): Promise<AppError | undefined> {
    const { requireRoom } = this.#core.options;
    if (requireRoom === undefined || !requests.some(addsMessages)) return undefined;
    return appErrorOf(requireRoom);
  }

  async #commitAll(
    ref: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    for (let tries = 1; ; tries += 1) {
      const id = await idForWriting(this.#core, ref);
      try {
        if (id !== undefined) return await this.#appendTo(id, requests);
        if (!requests.some(({ options }) => options.create)) throw notFound(ref);
        return await this.#createForKey(ref, requests);
      } catch (error) {
        const hasMoved = id !== undefined && id !== ref;
        const mayTryAgain = hasMoved && isAppError(error, 'CONVERSATION_NOT_FOUND');
        if (!mayTryAgain || tries === MAX_TRIES) throw error;
      }
    }
  }

  async #appendTo(
    id: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    const { files, locksFolder } = this.#core;
    const { applied, head } = await withLock(locksFolder, id, (lock) =>
      files.append(lock, id, requests, this.#limits),
    );
    return applied.map((outcome) => withHead(outcome, head, false));
  }

  /** Runs under the key's own lock, so that two processes with the same new key create one conversation. */
  #createForKey(
    clientId: string,
    requests: readonly AppendRequest[],
  ): Promise<readonly Outcome<AppendResult>[]> {
    const { catalogue, files } = this.#core;
    return withKeyLock(this.#core.locksFolder, clientId, async (lock) => {
      await catalogue.refresh();
      const id = catalogue.idOfKey(clientId);
      if (id !== undefined) return this.#appendTo(id, requests);
      catalogue.assertComplete();
      await this.#requireNotDamaged(clientId);
      let applied: Outcome<Applied>[] = [];
      const fields = { ...fieldsOf(requests), clientId };
      const document = await files.create(lock, fields, (empty) => {
        applied = applyAppends(empty, requests, this.#limits);
        return applied.some((outcome) => 'value' in outcome);
      });
      const first = applied.findIndex((outcome) => 'value' in outcome);
      return applied.map((outcome, index) => withHead(outcome, document.head, index === first));
    });
  }

  /** Throws CONVERSATION_CORRUPTED if a damaged file has the key: its conversation must not begin again. */
  async #requireNotDamaged(clientId: string): Promise<void> {
    for (const { name, error } of this.#core.catalogue.damaged()) {
      if (await hadKey(this.#core, this.#versions, name, clientId)) throw error;
    }
  }

  /** Throws ALREADY_EXISTS if a conversation on the disk has the key. */
  async #requireFreeKey(clientId: string, hasWaited: boolean): Promise<void> {
    const { catalogue, files, waiting } = this.#core;
    await catalogue.refresh();
    const unwritten = [...waiting.keys()].filter((id) => waiting.get(id) === 'new');
    const taken = catalogue.idsOfKey(clientId).find((id) => !unwritten.includes(id));
    if (taken !== undefined) throw keyInUse(clientId, taken);
    // Under these ids, the catalogue has what waits here, not what another process may have stored.
    for (const id of unwritten) {
      const onDisk = await files.readUncached(id);
      if (onDisk?.document.head.clientId === clientId) throw keyInUse(clientId, id);
    }
    if (!hasWaited) await this.#requireNotDamaged(clientId);
  }

  get #limits(): Limits {
    return { maxMessages: this.#core.options.maxMessages, nowMs: this.#core.clock.now() };
  }

  /** For imports and for changes of messages that exist. */
  get #unlimited(): Limits {
    return { ...this.#limits, maxMessages: Number.POSITIVE_INFINITY };
  }
}

interface CreateOptions {
  readonly limits?: Limits;
  /** The time of the first id to try, instead of `createdAt`. */
  readonly idFrom?: string | undefined;
  /** Called when the id is known. */
  readonly beforeWrite?: (conversationId: string) => Promise<void>;
}

/** Adds all messages, or throws. */
function fill(
  document: ConversationDocument,
  requests: readonly AppendRequest[],
  limits: Limits,
): void {
  for (const outcome of applyAppends(document, requests, limits)) {
    if ('error' in outcome) throw outcome.error;
  }
}

/** Returns the fields of the first request that describes the new conversation. */
function fieldsOf(requests: readonly AppendRequest[]): ConversationFields {
  const fields = requests.map(({ options }) => options.create);
  return fields.find((create) => typeof create === 'object') ?? {};
}

function withHead(
  outcome: Outcome<Applied>,
  head: ConversationHead,
  created: boolean,
): Outcome<AppendResult> {
  return 'value' in outcome ? { value: { ...outcome.value, head, created } } : outcome;
}

/** False for a value that is not a list of messages, which is refused later. */
const addsMessages = ({ messages }: AppendRequest): boolean =>
  Array.isArray(messages) && messages.length > 0;
