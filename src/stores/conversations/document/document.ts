/**
 * One conversation in memory. A write serialises only the new messages and the head.
 *
 * The serialised messages are in a buffer with free space before and after them. A write puts the head
 * before them, adds the new messages and the closing lines after them, and returns one slice. Messages are
 * only added. Changes of the head are collected (`amend`) and become visible at `commit`.
 */

import { runToCompletion } from '../../../base/async/time-slice.js';
import type { JsonObject } from '../../../base/json-fields.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import { versionOf } from '../../format-migrations.js';
import type { Conversation, ConversationHead, Message } from './schema.js';

/** The space before the messages. Most heads have about 1 kB; a longer head costs one copy of the body. */
const ROOM_FOR_HEAD = 2048;
/** Two short messages have room. Node allocates buffers below 4 kB from a pool; a larger one costs much more. */
const FIRST_CAPACITY = 4000;
/** The bytes that are reserved for the fields of a message besides its content. */
const ROOM_A_MESSAGE = 256;
/** `undefined` removes the field. */
export type HeadAmendment = { [K in keyof ConversationHead]?: ConversationHead[K] | undefined };

const CLOSING = Buffer.from('\n  ]\n}\n');

/** The binding for the sealed fields of a conversation or of a message. */
export const fieldsBinding = (owner: string): string => `${owner}#fields`;

export class ConversationDocument {
  #head: ConversationHead;
  readonly #extra: JsonObject;
  readonly #messages: Message[] = [];
  readonly #positions = new Map<string, number>();
  readonly #codec: Codec;
  #amended: HeadAmendment = {};
  #hasUserMessage = false;
  /** Contains the first `#serialisedCount` messages; empty before the first write. */
  #buffer = Buffer.alloc(0);
  #end = ROOM_FOR_HEAD;
  #serialisedCount = 0;

  /** `extra`: fields of the file that this version does not know. They are written back. */
  constructor(
    head: ConversationHead,
    extra: JsonObject,
    messages: readonly Message[],
    codec: Codec,
  ) {
    this.#head = head;
    this.#extra = extra;
    this.#codec = codec;
    for (const message of messages) this.add(message);
  }

  get head(): ConversationHead {
    return this.#head;
  }

  /** The number of messages, with those that are not committed. The head counts only the committed ones. */
  get length(): number {
    return this.#messages.length;
  }

  /** Whether any message, also one that is not committed, has the role `user`. */
  get hasUserMessage(): boolean {
    return this.#hasUserMessage;
  }

  /** Whether there is anything to commit. */
  get isChanged(): boolean {
    return this.length > this.#head.messageCount || Object.keys(this.#amended).length > 0;
  }

  /** Returns the committed message with this position; the first is 1. */
  message(seq: number): Message | undefined {
    return seq <= this.#head.messageCount ? this.#messages[seq - 1] : undefined;
  }

  /** Returns the committed conversation. Later additions do not change it. */
  snapshot(): Conversation {
    return { ...this.#head, messages: this.#messages.slice(0, this.#head.messageCount) };
  }

  /** Returns the conversation with the changes that are not committed yet. */
  draft(): Conversation {
    return { ...this.draftHead(), messages: [...this.#messages] };
  }

  draftHead(): ConversationHead {
    return this.nextHead(this.#head.updatedAt);
  }

  /** Returns the position of a message, from 0; `undefined` if there is none with this id. */
  positionOf(messageId: string): number | undefined {
    return this.#positions.get(messageId);
  }

  add(message: Message): void {
    this.#positions.set(message.id, this.#messages.length);
    this.#messages.push(message);
    this.#hasUserMessage ||= message.role === 'user';
  }

  /** Returns a copy without messages, to which other messages can be added. */
  withoutMessages(): ConversationDocument {
    return new ConversationDocument(
      { ...this.#head, messageCount: 0 },
      this.#extra,
      [],
      this.#codec,
    );
  }

  /** Returns a copy without the changes that are not committed. `codec` seals what it renders. */
  committed(codec = this.#codec): ConversationDocument {
    const { messages, ...head } = this.snapshot();
    return new ConversationDocument(head, this.#extra, messages, codec);
  }

  /** Changes fields of the head. Readers see the change after `commit`. */
  amend(change: HeadAmendment): void {
    this.#amended = { ...this.#amended, ...change };
  }

  /** Returns the head with all changes and additions. Readers see it after `commit`. */
  nextHead(updatedAt: string): ConversationHead {
    const messageCount = this.#messages.length;
    const { conversationId, ...others } = this.#head;
    // The literal must not begin with `...`: V8 would create a hidden class for each object, 300 bytes a
    // head.
    const head = { conversationId, ...others, ...this.#amended, updatedAt, messageCount };
    if (!Object.values(head).includes(undefined)) return head as ConversationHead;
    const entries = Object.entries(head).filter(([, value]) => value !== undefined);
    return Object.fromEntries(entries) as unknown as ConversationHead;
  }

  commit(head: ConversationHead): void {
    this.#head = head;
    this.#amended = {};
  }

  /** Returns the bytes of the file with this head. They are valid until the next `add` or `render`. */
  render(head: ConversationHead): Uint8Array {
    runToCompletion(this.serialiseNew());
    const opening = this.#opening(head);
    const openingBytes = Buffer.byteLength(opening);
    this.#reserve(CLOSING.byteLength);
    const closing = this.#messages.length === 0 ? CLOSING.subarray(3) : CLOSING;
    closing.copy(this.#buffer, this.#end);
    const end = this.#end + closing.byteLength;
    const start = ROOM_FOR_HEAD - openingBytes;
    if (start < 0) {
      return Buffer.concat([Buffer.from(opening), this.#buffer.subarray(ROOM_FOR_HEAD, end)]);
    }
    this.#buffer.write(opening, start);
    return this.#buffer.subarray(start, end);
  }

  #opening(head: ConversationHead): string {
    const { conversationId, createdAt, updatedAt, messageCount, ...optional } = head;
    const { title, titleFrom, module, clientId, pinned, tags, metadata, branchOf, ...others } =
      optional;
    const fields = {
      title,
      titleFrom,
      module,
      clientId,
      pinned,
      tags,
      metadata,
      branchOf,
      ...others,
      ...this.#extra,
    };
    // The literal must not begin with `...`, which takes three times as long.
    const all = {
      conversationId,
      createdAt,
      updatedAt,
      messageCount,
      formatVersion: versionOf('conversation'),
      ...this.#sealed(fields, conversationId),
    };
    const text = JSON.stringify(all, null, 2);
    return `${text.slice(0, -'\n}'.length)},\n  "messages": [`;
  }

  /** The first part of `render`, one message a step, so that the event loop is not blocked. */
  *serialiseNew(): Generator<void, void> {
    const added = this.#messages.slice(this.#serialisedCount);
    // Reserves once, because each growth of the buffer copies the whole document.
    this.#reserve(added.reduce((sum, { content }) => sum + content.length + ROOM_A_MESSAGE, 0));
    for (const message of added) {
      const separator = this.#serialisedCount === 0 ? '\n    ' : ',\n    ';
      this.#append(separator + this.#serialise(message));
      this.#serialisedCount += 1;
      yield;
    }
  }

  #serialise(message: Message): string {
    const { id, role, content, createdAt, parentMessageId, ...others } = message;
    const binding = `${this.#head.conversationId}/${id}`;
    const hasMore = Object.keys(others).length > 0;
    const stored = {
      id,
      role,
      content: this.#codec.seal(content, binding),
      createdAt,
      ...(parentMessageId !== undefined && { parentMessageId }),
      ...(hasMore && this.#sealed(others, binding)),
    };
    // JSON escapes line breaks in strings, so every line break here is indentation. It also escapes half a
    // surrogate pair, which UTF-8 could not store.
    return JSON.stringify(stored, null, 2).replaceAll('\n', '\n    ');
  }

  /** Returns the private fields: unchanged, or as one sealed text if the store is encrypted. */
  #sealed(fields: JsonObject, owner: string): JsonObject {
    if (this.#codec === plainCodec) return fields;
    return { sealed: this.#codec.seal(JSON.stringify(fields), fieldsBinding(owner)) };
  }

  #append(text: string): void {
    const bytes = Buffer.byteLength(text);
    this.#reserve(bytes);
    this.#buffer.write(text, this.#end);
    this.#end += bytes;
  }

  #reserve(bytes: number): void {
    const needed = this.#end + bytes;
    if (needed <= this.#buffer.byteLength) return;
    const larger = Buffer.allocUnsafe(
      Math.max(FIRST_CAPACITY, needed, this.#buffer.byteLength * 2),
    );
    this.#buffer.copy(larger, 0, 0, Math.min(this.#end, this.#buffer.byteLength));
    this.#buffer = larger;
  }
}

/** The messages between two positions, from 0; the second position is excluded. Not copied. */
export function messagesOf(
  view: Pick<ConversationDocument, 'head' | 'message'>,
  from = 0,
  to = view.head.messageCount,
): Message[] {
  const messages: Message[] = [];
  for (let seq = from + 1; seq <= to; seq += 1) {
    const message = view.message(seq);
    if (message !== undefined) messages.push(message);
  }
  return messages;
}
