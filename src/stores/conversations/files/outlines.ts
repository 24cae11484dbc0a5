/**
 * Where the messages of large conversation files lie, so that some of them can be read without the rest.
 * Whoever reads such a file as a whole makes its outline; it counts only while the file has the same stamp.
 */

import { runInSlices } from '../../../base/time-slice.js';
import { plainCodec } from '../../../files/codec.js';
import type { ListPart } from '../../../files/read/large-document.js';
import { elementsOf } from '../../../files/read/large-document.js';
import { readParts } from '../../../files/read/read-parts.js';
import { isSameStamp, readStampNow, type Stamp } from '../../../files/read/stamp.js';
import type { ConversationDocument } from '../document/document.js';
import { type CostSum, costsOf } from '../document/message-cost.js';
import { messageSteps } from '../document/parse-messages.js';
import type { ConversationHead, Message } from '../document/schema.js';

/** Smaller files are read as a whole in less than a tenth of a second. */
const SMALLEST_BYTES = 4_000_000;
const PART_BYTES = 256 * 1024;

/** Whether a file of this size gets an outline when it is read. */
export const mayHaveOutline = (sizeBytes = 0n): boolean => sizeBytes >= SMALLEST_BYTES;

/** Some neighbouring messages in the file. */
interface OutlinePart extends ListPart {
  /** `createdAt` of the message before them, which counts for a message without its own. */
  readonly time: string;
}

/** As JSON in the cache of the search index. */
export interface Outline {
  /** In order, without a gap. */
  readonly parts: readonly OutlinePart[];
  readonly costs: readonly CostSum[];
  readonly systemMessages: number;
}

/** A conversation with some of its messages, or none. */
export interface ConversationPart {
  readonly head: ConversationHead;
  /** Neighbours, in order; `first` is the position of the first, from 1. */
  readonly messages: readonly Message[];
  readonly first: number;
  /** Of all its messages. */
  readonly costs: readonly CostSum[];
  readonly systemMessages: number;
}

/** `count` messages from the position `first` on, or the last. */
export interface MessageRange {
  readonly count: number;
  readonly first?: number;
}

interface Known {
  readonly stamp: Stamp;
  readonly head: ConversationHead;
  readonly outline: Outline;
}

export class Outlines {
  readonly #known = new Map<string, Known>();

  set(stamp: Stamp, head: ConversationHead, outline: Outline): void {
    this.#known.set(head.conversationId, { stamp, head, outline });
  }

  /** For the version of this stamp. */
  get(conversationId: string, stamp: Stamp): Outline | undefined {
    const known = this.#known.get(conversationId);
    return isSameStamp(known?.stamp, stamp) ? known?.outline : undefined;
  }

  delete(conversationId: string): void {
    this.#known.delete(conversationId);
  }

  /** `undefined` where the file at `path` has no outline, or is not that version any more. FILESYSTEM_ERROR. */
  async read(id: string, path: string, range: MessageRange): Promise<ConversationPart | undefined> {
    const known = this.#known.get(id);
    if (known === undefined || !isSameStamp(readStampNow(path), known.stamp)) return undefined;
    const { head, outline, stamp } = known;
    const { from, to } = boundsOf(range, head.messageCount);
    const { parts, start } = partsWithin(outline, from, to);
    const read = await readParts(path, stamp, parts);
    if (read === undefined) return undefined;
    const messages: Message[] = [];
    for (const [at, { time }] of parts.entries()) {
      const list = elementsOf(read[at] ?? Buffer.alloc(0));
      if (list === undefined) return undefined;
      const location = { path, conversationId: id };
      const found = await runInSlices(messageSteps(list, time, location, plainCodec));
      messages.push(...found.messages);
    }
    const { costs, systemMessages } = outline;
    const wanted = messages.slice(from - start, to - start);
    return { head, messages: wanted, first: from + 1, costs, systemMessages };
  }
}

/** The same from a conversation in memory. */
export function partOf(
  view: Pick<ConversationDocument, 'head' | 'message'>,
  range: MessageRange,
): ConversationPart {
  const { head } = view;
  const { from, to } = boundsOf(range, head.messageCount);
  const messages = [...messagesOf(view)];
  return {
    ...{ head, first: from + 1, messages: messages.slice(from, to) },
    ...summed(messages),
  };
}

/** The outline of a file of `sizeBytes` in which `list` says where the messages lie; none for a small file. */
export function outlineOf(
  document: ConversationDocument,
  list: readonly ListPart[],
  sizeBytes: number,
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
  return { parts, ...summed([...messagesOf(document)]) };
}

function summed(messages: readonly Message[]) {
  const systemMessages = messages.filter(({ role }) => role === 'system').length;
  return { costs: costsOf(messages), systemMessages };
}

function* messagesOf(view: Pick<ConversationDocument, 'head' | 'message'>): Iterable<Message> {
  for (let seq = 1; seq <= view.head.messageCount; seq += 1) {
    const message = view.message(seq);
    if (message !== undefined) yield message;
  }
}

/** Positions from 0, the second excluded. */
function boundsOf({ first, count }: MessageRange, total: number): { from: number; to: number } {
  const from = first === undefined ? total - count : first - 1;
  const start = Math.min(Math.max(0, from), total);
  return { from: start, to: Math.min(start + count, total) };
}

/** The parts with the messages between two positions, and the position of their first. */
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
