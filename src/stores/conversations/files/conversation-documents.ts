/**
 * Whole `conversation.json` documents, for what carries conversations out of the store and back:
 * everything that the file holds, fields that this version does not know included, in the very text
 * that the store would write, with contents decrypted. Changes nothing that is there: a document is
 * only ever added under an id that is free.
 */
import { join } from 'node:path';
import type { Clock } from '../../../base/clock.js';
import type { Durability } from '../../../files/atomic/atomic-write.js';
import { addFile } from '../../../files/atomic/new-file.js';
import { type Codec, plainCodec } from '../../../files/codec.js';
import { claimFolder, removeEmptyFolder } from '../../../files/paths/folders.js';
import { parseDocument, readWhole } from '../../../files/read/json-doc.js';
import type { ConversationDocument } from '../document/document.js';
import { parseConversation } from '../document/parse-conversation.js';
import { type ConversationHead, conversationIdAt, type JsonObject } from '../document/schema.js';

export interface WholeConversation {
  readonly head: ConversationHead;
  /** As the store writes it, contents in the clear; ends with a newline. */
  readonly text: string;
}

export interface ConversationDocumentsOptions extends Durability {
  readonly logsFolder: string;
  readonly clock: Clock;
  readonly codec?: Codec;
}

export class ConversationDocuments {
  readonly #options: ConversationDocumentsOptions;
  readonly #codec: Codec;

  constructor(options: ConversationDocumentsOptions) {
    this.#options = options;
    this.#codec = options.codec ?? plainCodec;
  }

  /** `undefined` where there is none. CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, DECRYPT, FILESYSTEM_ERROR. */
  async read(conversationId: string): Promise<WholeConversation | undefined> {
    const path = this.#fileOf(conversationId);
    const found = await readWhole(path);
    if (found === undefined) return undefined;
    const value = parseDocument(found.bytes, path, 'CONVERSATION_CORRUPTED');
    return wholeOf(parseConversation(value, { path, conversationId }, this.#codec, plainCodec));
  }

  /** What `value` would be as a conversation of this id. `place` names it in errors, as for `read`. */
  parse(conversationId: string, value: JsonObject, location: string): WholeConversation {
    return wholeOf(parseConversation(value, { path: location, conversationId }, plainCodec));
  }

  /** Durable when it resolves. ALREADY_EXISTS where the id is taken, STORAGE_FULL, FILESYSTEM_ERROR. */
  async add(conversationId: string, value: JsonObject): Promise<void> {
    await addFile(
      this.#fileOf(conversationId),
      this.#bytesOf(conversationId, value),
      this.#options,
    );
  }

  /** The same under an id of now, which it gives. */
  async addAsNew(value: JsonObject): Promise<string> {
    const conversationId = await this.#claimId();
    try {
      await this.add(conversationId, value);
      return conversationId;
    } finally {
      await removeEmptyFolder(join(this.#options.logsFolder, conversationId));
    }
  }

  async #claimId(): Promise<string> {
    for (let ms = this.#options.clock.now(); ; ms += 1) {
      const id = conversationIdAt(ms);
      if (await claimFolder(join(this.#options.logsFolder, id))) return id;
    }
  }

  #fileOf(conversationId: string): string {
    return join(this.#options.logsFolder, conversationId, 'conversation.json');
  }

  /** As the store would write it; for `create` of the store. Throws like `read`. */
  document(conversationId: string, value: JsonObject): ConversationDocument {
    const path = this.#fileOf(conversationId);
    return parseConversation(value, { path, conversationId }, plainCodec, this.#codec);
  }

  #bytesOf(conversationId: string, value: JsonObject): Uint8Array {
    const document = this.document(conversationId, value);
    return document.render(document.head);
  }
}

function wholeOf(document: ConversationDocument): WholeConversation {
  const { head } = document;
  return { head, text: Buffer.from(document.render(head)).toString() };
}
