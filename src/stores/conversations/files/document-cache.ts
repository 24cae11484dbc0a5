/**
 * An LRU cache of conversations, so that appending to a long one does not read and parse it again. Its size
 * is limited by an estimated number of bytes. The reader compares the stamp of an entry with that of the
 * file.
 */
import type { Stamp } from '../../../files/read/stamp.js';
import type { ConversationDocument } from '../document/document.js';

const MAX_WEIGHT_BYTES = 96 * 1024 * 1024;
/** The memory per byte of file: parsed messages, their serialised bytes, and free space in the buffer. */
const WEIGHT_PER_FILE_BYTE = 4;

export interface CachedDocument {
  document: ConversationDocument;
  stamp: Stamp;
}

export class DocumentCache {
  readonly #entries = new Map<string, CachedDocument>();
  #weight = 0;

  get(conversationId: string): CachedDocument | undefined {
    const entry = this.#entries.get(conversationId);
    if (entry === undefined) return undefined;
    this.#entries.delete(conversationId); // a Map keeps the order of insertion
    this.#entries.set(conversationId, entry);
    return entry;
  }

  set(conversationId: string, entry: CachedDocument): void {
    this.delete(conversationId);
    this.#entries.set(conversationId, entry);
    this.#weight += weightOf(entry);
    for (const [oldest] of this.#entries) {
      if (this.#weight <= MAX_WEIGHT_BYTES || oldest === conversationId) break;
      this.delete(oldest);
    }
  }

  delete(conversationId: string): void {
    const entry = this.#entries.get(conversationId);
    if (entry === undefined) return;
    this.#entries.delete(conversationId);
    this.#weight -= weightOf(entry);
  }
}

function weightOf({ stamp }: CachedDocument): number {
  return Number(stamp.size) * WEIGHT_PER_FILE_BYTE;
}
