/**
 * Reads and adds whole `conversation.json` documents, for exports and imports: with unknown fields, in the
 * same text that the store writes, and decrypted. It never changes an existing conversation: a document is
 * added only under a free id. A large document is read and made in slices of a few milliseconds.
 */

import { join } from 'node:path';
import { runInSlices } from '../../../base/async/time-slice.js';
import type { Clock } from '../../../base/clock.js';
import type { JsonObject } from '../../../base/json-fields.js';
import type { Durability } from '../../../files/atomic/atomic-write.js';
import { addFile } from '../../../files/atomic/new-file-stream.js';
import { removeEmptyFolder } from '../../../files/paths/folders.js';
import { documentSteps } from '../../../files/read/json-document.js';
import { readWhole } from '../../../files/read/whole-file.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import type { ConversationDocument } from '../document/document.js';
import { conversationSteps } from '../document/parse-conversation.js';
import type { ConversationHead } from '../document/schema.js';
import { IdAllocator } from './id-allocator.js';

export interface WholeConversation {
  readonly head: ConversationHead;
  /** The JSON text as the store writes it, not encrypted, with a final newline. */
  readonly text: string;
}

export interface ConversationDocumentsOptions extends Durability {
  readonly logsFolder: string;
  readonly clock: Clock;
  readonly codec?: Codec;
  /** Throws STORAGE_FULL if the store would exceed its limit with `moreBytes` more. */
  readonly requireRoom?: (moreBytes: number) => Promise<void>;
  /** The conversation, not sealed, if messages or changes of it still wait in memory to be written. */
  readonly waiting?: (conversationId: string) => ConversationDocument | undefined;
}

export class ConversationDocuments {
  readonly #options: ConversationDocumentsOptions;
  readonly #codec: Codec;
  readonly #ids: IdAllocator;

  constructor(options: ConversationDocumentsOptions) {
    this.#options = options;
    this.#codec = options.codec ?? plainCodec;
    this.#ids = new IdAllocator(options);
  }

  /** With what waits. `undefined` if absent. CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, DECRYPT, FILESYSTEM_ERROR. */
  async read(conversationId: string): Promise<WholeConversation | undefined> {
    const waiting = this.#options.waiting?.(conversationId);
    if (waiting !== undefined) return wholeOf(waiting);
    const path = this.#fileOf(conversationId);
    const found = await readWhole(path);
    if (found === undefined) return undefined;
    const steps = documentSteps(found.bytes, 'messages', path, 'CONVERSATION_CORRUPTED');
    const { value } = await runInSlices(steps);
    return wholeOf(await this.#parsed(value, { path, conversationId }, this.#codec, plainCodec));
  }

  /** Parses without disk access. Errors contain `location`. Throws like `read`. */
  async parse(
    conversationId: string,
    value: JsonObject,
    location: string,
  ): Promise<WholeConversation> {
    return wholeOf(await this.#parsed(value, { path: location, conversationId }, plainCodec));
  }

  /** Durable when it resolves. ALREADY_EXISTS, STORAGE_FULL, FILESYSTEM_ERROR. */
  async add(conversationId: string, value: JsonObject): Promise<void> {
    const bytes = await this.#bytesOf(conversationId, value);
    await this.#options.requireRoom?.(bytes.byteLength);
    await addFile(this.#fileOf(conversationId), bytes, this.#options);
  }

  /** Adds a conversation under a new id, derived from the present time, and returns the id. */
  async addAsNew(value: JsonObject): Promise<string> {
    const conversationId = await this.#ids.claim();
    try {
      await this.add(conversationId, value);
      return conversationId;
    } finally {
      await removeEmptyFolder(join(this.#options.logsFolder, conversationId));
    }
  }

  #fileOf(conversationId: string): string {
    return join(this.#options.logsFolder, conversationId, 'conversation.json');
  }

  /** Returns the document for `ConversationStore.create`, without disk access. Throws like `read`. */
  document(conversationId: string, value: JsonObject): Promise<ConversationDocument> {
    const path = this.#fileOf(conversationId);
    return this.#parsed(value, { path, conversationId }, plainCodec, this.#codec);
  }

  async #bytesOf(conversationId: string, value: JsonObject): Promise<Uint8Array> {
    const document = await this.document(conversationId, value);
    await runInSlices(document.serialiseNew());
    return document.render(document.head);
  }

  async #parsed(...given: Parameters<typeof conversationSteps>): Promise<ConversationDocument> {
    return (await runInSlices(conversationSteps(...given))).document;
  }
}

async function wholeOf(document: ConversationDocument): Promise<WholeConversation> {
  const { head } = document;
  await runInSlices(document.serialiseNew());
  return { head, text: Buffer.from(document.render(head)).toString() };
}
