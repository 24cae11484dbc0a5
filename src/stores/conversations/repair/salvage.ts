/**
 * Recovers the messages of a damaged `conversation.json`: every message whose object is complete. It scans
 * the tokens of the text (jsonc-parser) and takes each object that has a role and a content and is valid JSON
 * by itself, so missing brackets elsewhere have no effect. If git wrote conflict markers, the messages of both
 * sides are taken. A sealed text that cannot be decrypted is replaced with a mark. No I/O.
 */
import { isAppError, passes } from '../../../base/errors.js';
import { parsedJson } from '../../../base/json.js';
import { isRecord, type JsonObject, textIn } from '../../../base/json-fields.js';
import { jsonTokens, TOKEN } from '../../../files/read/json-tokens.js';
import { recoverFields } from '../../../files/read/recover-fields.js';
import { isDamagedSeal, isSealedText } from '../../../files/sealing/sealed-form.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import { conflictSides } from '../../conflict-markers.js';
import { versionOf } from '../../format-migrations.js';
import { type ConversationDocument, fieldsBinding } from '../document/document.js';
import { parseConversation, requireReadable } from '../document/parse-conversation.js';
import { isSealed, type SourceLocation } from '../document/parse-fields.js';

/** An object whose closing brace was not found yet. */
interface OpenObject {
  readonly start: number;
  readonly keys: Set<string>;
  /** The number of messages that were found before the object began. Later ones are inside it. */
  readonly found: number;
}

/**
 * Returns the conversation with all complete messages and the readable fields of the head. `codec` opens what
 * is sealed, and seals everything in the repaired file. Returns `undefined` if there is no complete message,
 * or a newer version of Daybook wrote the file.
 */
export function salvage(
  text: string,
  location: SourceLocation,
  codec: Codec = plainCodec,
): ConversationDocument | undefined {
  const { messages, head } = unitedSides(text) ?? scan(text);
  if (messages.length === 0) return undefined;
  const { formatVersion: stored, ...fields } = readableFields(head);
  const formatVersion = typeof stored === 'number' ? stored : 1;
  if (formatVersion > versionOf('conversation')) return undefined;
  const value = { ...fields, formatVersion, messages };
  const marking = new MarkingCodec(codec);
  try {
    const sealed = withSealedHead(value, location, codec);
    const document = parseConversation(sealed, location, marking, codec);
    // If no text can be decrypted, the folder was moved or copied, and can be moved back.
    return marking.failed > 0 && marking.opened === 0 ? undefined : document;
  } catch (error) {
    if (!isAppError(error, 'DECRYPT')) throw error;
    return parseConversation(value, location, plainCodec); // what cannot be opened stays sealed
  }
}

const MARK =
  '[Daybook cannot decrypt this message. The repair kept its encrypted text in the file conversation.broken-….json of this conversation.]';

/** Returns the mark in place of a damaged content, and no fields in place of damaged fields. */
class MarkingCodec implements Codec {
  opened = 0;
  failed = 0;
  readonly #codec: Codec;

  constructor(codec: Codec) {
    this.#codec = codec;
  }

  seal(text: string, binding: string): string {
    return this.#codec.seal(text, binding);
  }

  open(stored: string, binding: string): string {
    const isContent = !binding.endsWith(fieldsBinding(''));
    try {
      const text = this.#codec.open(stored, binding);
      if (isContent && text !== stored) this.opened += 1;
      return text;
    } catch (error) {
      if (!isDamagedSeal(error)) throw error;
      this.failed += 1;
      return isContent ? MARK : '{}';
    }
  }
}

/** The parser opens sealed messages only if the head is sealed too. This head may be lost. */
function withSealedHead(
  value: JsonObject & { messages: readonly JsonObject[] },
  { conversationId }: SourceLocation,
  codec: Codec,
): JsonObject {
  const hasSealed = value.messages.some(({ content }) => isSealedText(content));
  if (codec === plainCodec || isSealed(value) || !hasSealed) return value;
  return { ...value, sealed: codec.seal('{}', fieldsBinding(conversationId)) };
}

/**
 * If git wrote conflict markers and both sides are whole, returns the messages of both in order of time. Of
 * two messages with the same id, the one of this branch is kept.
 */
function unitedSides(text: string): { messages: JsonObject[]; head: string } | undefined {
  const sides = conflictSides(text);
  const ours = sides && messagesIn(sides.ours);
  const theirs = sides && messagesIn(sides.theirs);
  if (ours === undefined || theirs === undefined) return undefined;
  const ids = new Set(ours.map(({ id }) => id));
  const messages = [...ours];
  for (const message of theirs.filter(({ id }) => id === undefined || !ids.has(id))) {
    const time = textIn(message['createdAt']);
    const next = messages.findIndex(({ createdAt }) => (textIn(createdAt) ?? '') > (time ?? ''));
    messages.splice(time === undefined || next === -1 ? messages.length : next, 0, message);
  }
  return { messages, head: scan(sides?.ours ?? text).head };
}

function messagesIn(text: string): JsonObject[] | undefined {
  const value = parsedJson(text);
  const messages = isRecord(value) ? value['messages'] : undefined;
  if (!Array.isArray(messages) || !messages.every(isRecord)) return undefined;
  return messages.every(isReadable) ? messages : undefined;
}

function scan(text: string): { messages: JsonObject[]; head: string } {
  const open: OpenObject[] = [];
  const messages: JsonObject[] = [];
  let head = text;
  let last = { value: '', at: 0 };
  for (const { kind, at, value } of jsonTokens(text)) {
    if (kind === TOKEN.openBrace) {
      open.push({ start: at, keys: new Set(), found: messages.length });
    } else if (kind === TOKEN.string) {
      last = { value, at };
    } else if (kind === TOKEN.colon) {
      open.at(-1)?.keys.add(last.value);
      if (open.length === 1 && last.value === 'messages' && head === text) {
        head = text.slice(0, last.at);
      }
    } else if (kind === TOKEN.closeBrace) {
      const ended = open.pop();
      const message = ended && messageIn(ended, text, at + 1);
      // An object inside a message is a part of that message, even if it looks like a message.
      if (message !== undefined) messages.splice(ended?.found ?? 0, messages.length, message);
    }
  }
  return { messages, head };
}

function messageIn({ start, keys }: OpenObject, text: string, end: number): JsonObject | undefined {
  if (!keys.has('role') || !keys.has('content')) return undefined;
  const value = parsedJson(text.slice(start, end));
  if (!isRecord(value)) return undefined;
  if (isReadable(value)) return value;
  const { id, role, content, createdAt } = value;
  const spoken = { id, role, content, createdAt };
  return isReadable(spoken) ? spoken : undefined;
}

function isReadable(message: JsonObject): boolean {
  try {
    JSON.stringify(message); // RangeError if it is nested too deeply to be written again
    parseConversation({ messages: [message] }, { path: '', conversationId: '' }, plainCodec);
    return true;
  } catch (error) {
    if (isAppError(error) || error instanceof RangeError) return false;
    throw error;
  }
}

/** Returns the fields before the messages, without those of a wrong type. */
function readableFields(head: string): JsonObject {
  const fields = Object.entries(recoverFields(head));
  return Object.fromEntries(fields.filter(([name, field]) => isField(name, field)));
}

const isField = (name: string, field: unknown): boolean =>
  passes(() => requireReadable({ [name]: field }));
