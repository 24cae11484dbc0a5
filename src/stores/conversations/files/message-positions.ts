/**
 * The positions of the messages in large conversation files, called the outline of a file, so that some messages
 * can be read without the rest. An outline is made when such a file is read as a whole. It is used only while the
 * file has the same stamp.
 */
import { crc32 } from 'node:zlib';
import { runInSlices } from '../../../base/async/time-slice.js';
import { AppError } from '../../../base/errors.js';
import type { ListPart } from '../../../files/read/large-document.js';
import { elementsOf } from '../../../files/read/large-document.js';
import { readParts } from '../../../files/read/read-parts.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import { type ConversationDocument, messagesOf } from '../document/document.js';
import { type CostSum, costsOf } from '../document/message-cost.js';
import { messageSteps } from '../document/parse-messages.js';
import type { ConversationHead, Message } from '../document/schema.js';

/** Smaller files are read as a whole in less than a tenth of a second. */
const SMALLEST_BYTES = 4_000_000;
const PART_BYTES = 256 * 1024;

/** Whether a file of this size gets an outline when it is read. */
export const mayHaveOutline = (sizeBytes = 0n): boolean => sizeBytes >= SMALLEST_BYTES;

/** A run of neighbouring messages in the file. */
interface OutlinePart extends ListPart {
  /** `createdAt` of the message before them. A message without its own time gets this one. */
  readonly time: string;
}

/** Stored as JSON in the cache of the search index. */
export interface Outline {
  /** In order, without a gap. */
  readonly parts: readonly OutlinePart[];
  readonly costs: readonly CostSum[];
  readonly systemMessages: number;
  readonly isSealed: boolean;
  /** The CRC-32 of each message's id, in order: bytes of a Uint32Array in base64. */
  readonly idHashes: string;
}

/** A conversation with some of its messages, or none. */
export interface ConversationPart {
  readonly head: ConversationHead;
  /** Neighbouring messages, in order; `first` is the position of the first, from 1. */
  readonly messages: readonly Message[];
  readonly first: number;
  /** The costs of all messages of the conversation. */
  readonly costs: readonly CostSum[];
  readonly systemMessages: number;
}

/**
 * `count` messages: from the position `first` on, before the message with the id `before`, or the last ones.
 */
export interface MessageRange {
  readonly count: number;
  readonly first?: number;
  readonly before?: string;
}

interface Known {
  readonly stamp: Stamp;
  readonly head: ConversationHead;
  readonly outline: Outline;
}

interface OutlinedFile extends Known {
  readonly path: string;
  readonly codec: Codec;
}

export class Outlines {
  readonly #known = new Map<string, Known>();
  readonly #codec: Codec;

  /** `codec` decrypts what is sealed. */
  constructor(codec: Codec) {
    this.#codec = codec;
  }

  set(stamp: Stamp, head: ConversationHead, outline: Outline): void {
    this.#known.set(head.conversationId, { stamp, head, outline });
  }

  /** Returns the outline of the version with this stamp. */
  get(conversationId: string, stamp: Stamp): Outline | undefined {
    const known = this.#known.get(conversationId);
    return isSameStamp(known?.stamp, stamp) ? known?.outline : undefined;
  }

  delete(conversationId: string): void {
    this.#known.delete(conversationId);
  }

  /** `undefined` without an outline of this version or without the message `before`. FILESYSTEM_ERROR. */
  async read(id: string, path: string, range: MessageRange): Promise<ConversationPart | undefined> {
    const known = this.#known.get(id);
    if (known === undefined || !isSameStamp(readStampNow(path), known.stamp)) return undefined;
    const { head, outline } = known;
    const file = { ...known, path, codec: outline.isSealed ? this.#codec : plainCodec };
    const end = range.before === undefined ? undefined : await positionOf(range.before, file);
    if (range.before !== undefined && end === undefined) return undefined;
    const { from, to } = boundsOf(range, head.messageCount, end);
    const messages = await messagesBetween(from, to, file);
    if (messages === undefined) return undefined;
    const { costs, systemMessages } = outline;
    return { head, messages, first: from + 1, costs, systemMessages };
  }
}

/** Reads the messages between two positions. Returns `undefined` if the file is another version by now. */
async function messagesBetween(
  from: number,
  to: number,
  { head, outline, stamp, path, codec }: OutlinedFile,
): Promise<Message[] | undefined> {
  const { parts, start } = partsWithin(outline, from, to);
  const read = await readParts(path, stamp, parts);
  if (read === undefined) return undefined;
  const messages: Message[] = [];
  for (const [at, { time }] of parts.entries()) {
    const list = elementsOf(read[at] ?? Buffer.alloc(0));
    if (list === undefined) return undefined;
    const location = { path, conversationId: head.conversationId };
    const found = await runInSlices(messageSteps(list, time, location, codec));
    messages.push(...found.messages);
  }
  return messages.slice(from - start, to - start);
}

/** Its position, from 0. Two ids may have the same hash, so the messages with it are read. */
async function positionOf(id: string, file: OutlinedFile): Promise<number | undefined> {
  const bytes = Buffer.from(file.outline.idHashes, 'base64');
  const hash = crc32(id);
  for (let at = 0; at < file.head.messageCount; at += 1) {
    if (bytes.readUInt32LE(4 * at) !== hash) continue;
    const [message] = (await messagesBetween(at, at + 1, file)) ?? [];
    if (message?.id === id) return at;
  }
  return undefined;
}

function hashesOf(messages: readonly Message[]): string {
  const bytes = Buffer.alloc(4 * messages.length);
  messages.forEach(({ id }, at) => {
    bytes.writeUInt32LE(crc32(id), 4 * at);
  });
  return bytes.toString('base64');
}

/** Returns the same part of a conversation in memory. MESSAGE_NOT_FOUND. */
export function partOf(
  view: Pick<ConversationDocument, 'head' | 'message'>,
  range: MessageRange,
): ConversationPart {
  const { head } = view;
  const all = () => messagesOf(view);
  const end = range.before === undefined ? undefined : endBefore(all(), range.before);
  const { from, to } = boundsOf(range, head.messageCount, end);
  return {
    head,
    first: from + 1,
    messages: messagesOf(view, from, to),
    // Computed only when asked for: it reads every message.
    get costs() {
      return costsOf(all());
    },
    get systemMessages() {
      return systemMessagesIn(all());
    },
  };
}

/** None for a small file. `list`: the positions of the messages in a file of `sizeBytes`. */
export function outlineOf(
  document: ConversationDocument,
  list: readonly ListPart[],
  { sizeBytes, isSealed }: { readonly sizeBytes: number; readonly isSealed: boolean },
): Outline | undefined {
  if (!mayHaveOutline(BigInt(sizeBytes)) || list.length === 0) return undefined;
  const parts: OutlinePart[] = [];
  let position = 0;
  for (const { from, end, count } of list) {
    const last = parts.at(-1);
    if (last !== undefined && end - last.from <= PART_BYTES) {
      parts[parts.length - 1] = { ...last, end, count: last.count + count };
    } else {
      const time = document.message(position)?.createdAt ?? document.head.createdAt;
      parts.push({ from, end, count, time });
    }
    position += count;
  }
  const messages = messagesOf(document);
  const sums = { costs: costsOf(messages), systemMessages: systemMessagesIn(messages) };
  return { parts, isSealed, idHashes: hashesOf(messages), ...sums };
}

const systemMessagesIn = (messages: readonly Message[]): number =>
  messages.filter(({ role }) => role === 'system').length;

/** Returns the position of a message, from 0. MESSAGE_NOT_FOUND. */
export function endBefore(messages: readonly Message[], messageId: string): number {
  const at = messages.findIndex(({ id }) => id === messageId);
  if (at >= 0) return at;
  const shown = JSON.stringify(messageId.slice(0, 80));
  throw new AppError('MESSAGE_NOT_FOUND', `The conversation has no message with the id ${shown}.`);
}

/** Two positions from 0, the second excluded. `end`: the position of the message `before`, if any. */
function boundsOf({ first, count }: MessageRange, total: number, end = total) {
  const from = first === undefined ? end - count : first - 1;
  const start = Math.min(Math.max(0, from), total);
  return { from: start, to: first === undefined ? end : Math.min(start + count, total) };
}

/** Returns the parts with the messages between two positions, and the position of their first message. */
function partsWithin({ parts }: Outline, from: number, to: number) {
  const within: OutlinePart[] = [];
  let start = 0;
  let position = 0;
  for (const part of parts) {
    const end = position + part.count;
    if (end > from && position < to) {
      if (within.length === 0) start = position;
      within.push(part);
    }
    position = end;
  }
  return { parts: within, start };
}
