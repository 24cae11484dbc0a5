/**
 * Messages, new conversations and changes of their fields that wait in memory to be written
 * (`stores/deferred-writes/write-queue.ts`). Readers already see them, and results have `durable: false`.
 * Each message has its id before the first attempt. If the outcome of a write is unknown, the replay
 * searches for the id in the file before it writes again.
 */

import { isoTime } from '../../../base/clock.js';
import { undefinedIfUnreadable } from '../../../base/errors.js';
import { temporaryName } from '../../../files/atomic/staging.js';
import { withLock } from '../../../files/locks/file-lock.js';
import { claimFolder, removeEmptyFolder } from '../../../files/paths/folders.js';
import { plainCodec } from '../../../files/sealing/text-codec.js';
import { stampInMemory } from '../../deferred-writes/pending-views.js';
import { WriteQueue } from '../../deferred-writes/write-queue.js';
import { keyInUse, notFound } from '../conversation-errors.js';
import type { AppendRequest, PastFields, PastMessage } from '../document/apply-appends.js';
import { applyAppends, withIds, withTimes } from '../document/apply-appends.js';
import { conversationIdAt, requireRef } from '../document/conversation-id.js';
import { ConversationDocument } from '../document/document.js';
import type { Conversation } from '../document/schema.js';
import { idOf } from '../key-lookup.js';
import type { StoreCore } from '../store-core.js';
import type { MaskedConversation } from '../writing/bulk-create.js';
import type { AppendResult, Created, NewConversation } from '../writing/writer.js';
import { type DirectWrites, replay, type WaitingMessages } from './replay.js';

export class DeferredMessages {
  /** The queue that all stores share. */
  readonly queue: WriteQueue;
  readonly #core: StoreCore;
  readonly #writes: DirectWrites;
  /** By id: the conversations with what waits, as readers see them. */
  readonly #views = new Map<string, ConversationDocument>();
  readonly #waiting = new Set<WaitingMessages>();
  #lastIdMs = 0;

  constructor(core: StoreCore, writes: DirectWrites) {
    const { presence, clock, log, catalogue } = core;
    this.#core = core;
    this.queue = new WriteQueue({ presence, clock, log, probe: () => probe(core) });
    this.queue.whenBack(() => catalogue.refresh());
    core.whenAway(() => this.queue.noticeAway());
    this.#writes = writes;
  }

  /** Returns the conversation as readers see it, if something of it waits. */
  view(conversationId: string) {
    return this.#views.get(conversationId);
  }

  /** For changes that cannot wait. STORAGE_UNAVAILABLE if a write of it waits and cannot be done. */
  async requireNone(conversationId: string): Promise<void> {
    if (this.#core.waiting.has(conversationId)) await this.queue.requireSettled();
  }

  isWaiting(conversationId: string, messageId: string): boolean {
    return [...this.#waiting].some(
      (each) =>
        each.conversationId === conversationId && each.messages.some(({ id }) => id === messageId),
    );
  }

  async create(conversation: NewConversation): Promise<Created> {
    const { mayDefer, ...plain } = withTimes(conversation);
    if (!mayDefer || this.#core.presence === undefined) return this.#writes.writer.create(plain);
    const { messages: texts = [], ...others } = plain;
    const masked = await this.#core.maskedFields(others);
    const { messages, ...noted } = await this.#core.maskedMessages(texts);
    const createdAt = plain.createdAt ?? isoTime(this.#newIdMs());
    const ready = { fields: { ...masked, createdAt }, messages: withIds(messages) };
    const result = await this.queue.run(
      () => this.#writes.writer.createMasked(ready),
      () => this.#deferNew(ready),
    );
    return { ...result, ...noted };
  }

  /** The messages wait in memory. They are already masked and have ids. Throws like `append` of the store. */
  async append(ref: string, request: AppendRequest): Promise<AppendResult> {
    requireRef(ref);
    const id = await idOf(this.#core, ref);
    const { create } = request.options;
    const document = id === undefined ? undefined : await this.#viewOf(id);
    const isKey = requireRef(ref) === 'key';
    if (document !== undefined)
      return this.#defer(document, request, { ...(isKey && { named: { clientId: ref, create } }) });
    if (!create || !isKey) throw notFound(ref);
    const fields = typeof create === 'object' ? create : {};
    return this.#deferNewDocument({ ...fields, clientId: ref }, request);
  }

  async #deferNew({ fields, messages }: MaskedConversation): Promise<Conversation> {
    const { clientId, createdAt = '' } = fields;
    const owner = clientId && this.#core.catalogue.idOfKey(clientId);
    if (owner) {
      // The first attempt may have failed after it had written the conversation.
      const isOurs =
        messages.length === 0
          ? owner === conversationIdAt(Date.parse(createdAt))
          : alreadyStored(await this.#viewOf(owner), messages) !== undefined;
      if (!isOurs) throw keyInUse(clientId, owner);
    }
    const result = await this.#deferNewDocument(fields, { messages, options: {} });
    return { ...result.head, messages: result.messages };
  }

  #deferNewDocument(given: PastFields, request: AppendRequest) {
    const idMs = given.createdAt === undefined ? this.#newIdMs() : Date.parse(given.createdAt);
    const createdAt = isoTime(idMs);
    const conversationId = conversationIdAt(idMs);
    const fields = { ...given, createdAt };
    const head = { updatedAt: createdAt, messageCount: 0, ...fields, conversationId };
    const document = new ConversationDocument(head, {}, [], plainCodec);
    return this.#defer(document, request, { fields });
  }

  async #defer(
    document: ConversationDocument,
    request: AppendRequest,
    { fields, named }: Pick<WaitingMessages, 'fields' | 'named'>,
  ): Promise<AppendResult> {
    const { head: seen } = document;
    const { conversationId } = seen;
    const { change: given } = request;
    const bytes = Buffer.byteLength(JSON.stringify([request.messages, given]));
    this.queue.requireRoom(bytes);
    const known = alreadyStored(document, request.messages);
    if (known !== undefined) {
      this.#wait({ conversationId, messages: known.messages, bytes }, document);
      return { ...known, head: document.head, created: false };
    }
    const { maxMessages } = this.#core.options;
    const limits = { maxMessages, nowMs: this.#core.clock.now() };
    const [outcome] = applyAppends(document, [request], limits);
    if (outcome === undefined || 'error' in outcome) throw outcome?.error;
    const { messages, seq } = outcome.value;
    const change = typeof given === 'object' ? { change: { given, seen } } : {};
    if (fields !== undefined || messages.length > 0 || given !== undefined) {
      const place = fields === undefined ? { named } : { fields };
      const waiting = { conversationId, messages, bytes, ...change, ...place };
      this.#wait(waiting, document);
    }
    return { messages, seq, head: document.head, created: fields !== undefined };
  }

  #wait(waiting: WaitingMessages, document: ConversationDocument): void {
    const { conversationId, messages, fields, change } = waiting;
    const nothing = change === undefined ? 'without messages' : 'its fields';
    const ids = messages.map(({ id = '' }) => id).join(', ') || nothing;
    this.#waiting.add(waiting);
    this.queue.add({
      name: `conversation ${conversationId}: ${ids}`,
      bytes: waiting.bytes,
      write: () => replay({ core: this.#core, writes: this.#writes }, waiting),
      ended: () => this.#ended(waiting),
    });
    this.#show(document, fields !== undefined);
  }

  /** The view, or a copy of the conversation. STORAGE_UNAVAILABLE if it is not in memory. */
  async #viewOf(conversationId: string): Promise<ConversationDocument | undefined> {
    const known = this.#views.get(conversationId);
    if (known !== undefined) return known;
    const found = await this.#core.files.read(conversationId);
    return found?.document.committed(plainCodec);
  }

  /** Makes the additions of the document visible to readers, lists and search. */
  #show(document: ConversationDocument, isNew: boolean): void {
    const { clock, waiting, catalogue } = this.#core;
    document.commit(document.nextHead(isoTime(clock.now())));
    const { conversationId } = document.head;
    this.#views.set(conversationId, document);
    waiting.set(conversationId, waiting.get(conversationId) ?? (isNew ? 'new' : 'stored'));
    catalogue.note({ document, stamp: stampInMemory(clock, 0) });
  }

  /** After the last write of the conversation, it is read from the disk again. */
  async #ended(waiting: WaitingMessages): Promise<void> {
    const { conversationId } = waiting;
    this.#waiting.delete(waiting);
    if ([...this.#waiting].some((each) => each.conversationId === conversationId)) return;
    this.#views.delete(conversationId);
    this.#core.waiting.delete(conversationId);
    // If the disk cannot be read, the next pass over the folder finds it.
    await undefinedIfUnreadable(this.#core.catalogue.refreshSome([conversationId]));
  }

  /** A millisecond that no known id has; another process may still use it. */
  #newIdMs(): number {
    const { waiting, catalogue } = this.#core;
    const taken = (ms: number) => {
      const id = conversationIdAt(ms);
      return waiting.has(id) || catalogue.head(id) !== undefined;
    };
    let ms = Math.max(this.#core.clock.now(), this.#lastIdMs + 1);
    while (taken(ms)) ms += 1;
    this.#lastIdMs = ms;
    return ms;
  }
}

/** Creates a folder and a lock among the conversations, and removes both. */
async function probe({ options: { logsFolder }, locksFolder }: StoreCore): Promise<void> {
  const name = temporaryName();
  try {
    await claimFolder(`${logsFolder}/${name}`);
    await withLock(locksFolder, name, async () => undefined);
  } finally {
    await removeEmptyFolder(`${logsFolder}/${name}`).catch(() => false);
  }
}

/** Returns the messages as they are in the document, if a failed attempt had already replaced the file. */
function alreadyStored(
  document: ConversationDocument | undefined,
  messages: readonly PastMessage[],
) {
  const id = Array.isArray(messages) ? messages[0]?.id : undefined;
  const at = typeof id === 'string' ? document?.positionOf(id) : undefined;
  if (document === undefined || at === undefined) return undefined;
  const stored = messages.flatMap((_, index) => document.message(at + index + 1) ?? []);
  return { messages: stored, seq: at + 1 };
}
