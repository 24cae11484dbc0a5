/** Reads one conversation as it is on disk now, with its messages that still wait in memory to be written. */

import { notFound } from './conversation-errors.js';
import type { DeferredMessages } from './deferred/deferred-messages.js';
import type { ConversationDocument } from './document/document.js';
import { type ConversationPart, type MessageRange, partOf } from './files/message-positions.js';
import { idOf } from './key-lookup.js';
import type { StoreCore } from './store-core.js';

/** The methods throw like `ConversationStore.load`. */
export class ConversationReader {
  readonly #core: StoreCore;
  readonly #deferred: DeferredMessages;

  constructor(core: StoreCore, deferred: DeferredMessages) {
    this.#core = core;
    this.#deferred = deferred;
  }

  read(ref: string): Promise<ConversationDocument> {
    return this.#found(
      ref,
      (waiting) => waiting,
      async (id) => (await this.#core.files.read(id))?.document,
    );
  }

  part(ref: string, range: MessageRange): Promise<ConversationPart> {
    return this.#found(
      ref,
      (waiting) => partOf(waiting, range),
      (id) => this.#core.files.readPart(id, range),
    );
  }

  async #found<T>(
    ref: string,
    ofWaiting: (waiting: ConversationDocument) => T,
    ofDisk: (id: string) => Promise<T | undefined>,
  ): Promise<T> {
    const id = await idOf(this.#core, ref);
    const waiting = id === undefined ? undefined : this.#deferred.view(id);
    if (waiting !== undefined) return ofWaiting(waiting);
    const found = id === undefined ? undefined : await ofDisk(id);
    if (found === undefined) throw notFound(ref);
    return found;
  }
}
