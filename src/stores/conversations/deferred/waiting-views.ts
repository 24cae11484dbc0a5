/** Conversations with their waiting messages and changes, for readers, lists and search. */
import { type Clock, isoTime } from '../../../base/clock.js';
import { isAppError } from '../../../base/errors.js';
import { plainCodec } from '../../../files/sealing/text-codec.js';
import { stampInMemory } from '../../deferred-writes/pending-views.js';
import { ConversationDocument } from '../document/document.js';
import type { ConversationHead } from '../document/schema.js';
import type { StoreCore } from '../store-core.js';

export class WaitingViews {
  readonly #core: StoreCore;
  readonly #clock: Clock;
  readonly #views = new Map<string, ConversationDocument>();

  constructor(core: StoreCore) {
    this.#core = core;
    this.#clock = core.clock;
  }

  get(conversationId: string): ConversationDocument | undefined {
    return this.#views.get(conversationId);
  }

  /** The view, or a copy of the conversation. STORAGE_UNAVAILABLE if it is not in memory. */
  async of(conversationId: string): Promise<ConversationDocument | undefined> {
    const known = this.#views.get(conversationId);
    if (known !== undefined) return known;
    const found = await this.#core.files.read(conversationId);
    return found?.document.committed(plainCodec);
  }

  newDocument(fields: Partial<ConversationHead> & { conversationId: string; createdAt: string }) {
    const head = { updatedAt: fields.createdAt, messageCount: 0, ...fields };
    return new ConversationDocument(head, {}, [], plainCodec);
  }

  /** Makes the additions of the document visible to readers, lists and search. */
  show(document: ConversationDocument, isNew: boolean): void {
    document.commit(document.nextHead(isoTime(this.#clock.now())));
    const { conversationId } = document.head;
    this.#views.set(conversationId, document);
    const before = this.#core.waiting.get(conversationId);
    this.#core.waiting.set(conversationId, before ?? (isNew ? 'new' : 'stored'));
    this.#core.catalogue.note({ document, stamp: stampInMemory(this.#clock, 0) });
  }

  /** Removes the view, so that the conversation is read from the disk again. */
  async drop(conversationId: string): Promise<void> {
    this.#views.delete(conversationId);
    this.#core.waiting.delete(conversationId);
    try {
      await this.#core.catalogue.refreshSome([conversationId]);
    } catch (error) {
      if (!isAppError(error)) throw error; // the next pass over the folder finds it
    }
  }
}
