/**
 * Parses the messages of a `conversation.json` in steps of one message, because there may be a hundred
 * thousand. Missing values are derived, in the same way in every process.
 */
import { derivedUuid } from '../../../base/ids.js';
import { isRecord, isString } from '../../../base/json-fields.js';
import { type Codec, plainCodec } from '../../../files/sealing/text-codec.js';
import {
  AN_OBJECT,
  damage,
  isShallowObject,
  objectAt,
  openedAt,
  optional,
  requireShallow,
  type SourceLocation,
  timeOr,
  withFields,
} from './parse-fields.js';
import { type Message, ROLES, type Role } from './schema.js';

export interface ParsedMessages {
  readonly messages: Message[];
  /** Each message has the same id as if it were parsed alone. */
  readonly haveOwnIds: boolean;
}

/**
 * `createdAt`: the time of the message before the list, or of the conversation. It is the time of messages
 * without a time. CONVERSATION_CORRUPTED, DECRYPT.
 */
export function* messageSteps(
  list: readonly unknown[],
  createdAt: string,
  location: SourceLocation,
  codec: Codec,
): Generator<void, ParsedMessages> {
  const ids = new MessageIds(location.conversationId);
  for (const item of list) {
    ids.expect(isRecord(item) ? item['id'] : undefined);
    yield;
  }
  const messages: Message[] = [];
  let time = createdAt;
  for (const item of list) {
    const at = `messages[${messages.length}]`;
    const given = objectAt(item, at, location);
    const bound = isId(given['id']) ? `${location.conversationId}/${given['id']}` : '';
    const fields = codec === plainCodec ? given : withFields(given, bound, location, codec);
    const { id, role, content, createdAt: own, parentMessageId, metadata, ...extra } = fields;
    if (!isRole(role)) throw damage(`${at}.role`, `one of ${ROLES.join(', ')}`, location);
    if (!isString(content)) throw damage(`${at}.content`, 'a text', location);
    time = timeOr(own, time);
    requireShallow(extra, `${at}.`, location);
    messages.push({
      id: ids.next(id, role, content),
      role,
      content: openedAt(content, bound, location, codec),
      createdAt: time,
      ...optional('parentMessageId', parentMessageId, isString, 'a message id', location, at),
      ...optional('metadata', metadata, isShallowObject, AN_OBJECT, location, at),
      ...extra,
    });
    yield;
  }
  return { messages, haveOwnIds: ids.areOwn };
}

const isId = (value: unknown): value is string => isString(value) && value !== '';
const isRole = (value: unknown): value is Role => ROLES.some((role) => role === value);

/** Gives every message a unique id: the one in the file, unless an earlier message has it. */
class MessageIds {
  readonly #conversationId: string;
  readonly #given = new Set<string>();
  readonly #used = new Set<string>();
  /** The number of ids that were derived for each text, by the first id of the text. */
  readonly #sameText = new Map<string, number>();
  /** Whether every id so far depends on its message alone. */
  areOwn = true;

  constructor(conversationId: string) {
    this.#conversationId = conversationId;
  }

  /** Registers an id of the file, so that no derived id is equal to it. */
  expect(id: unknown): void {
    if (isId(id)) this.#given.add(id);
  }

  /** Returns the id of the next message. `content`: as it is stored, so possibly sealed. */
  next(id: unknown, role: Role, content: string): string {
    if (isId(id) && this.#used.has(id)) this.areOwn = false;
    const own = isId(id) && !this.#used.has(id) ? id : this.#derive(role, content);
    this.#used.add(own);
    return own;
  }

  /**
   * Derived from values that do not depend on the position, so that a message added above does not change
   * the id. Never equal to an id of another message in the file.
   */
  #derive(role: Role, content: string): string {
    const nth = (count: number) => derivedUuid(this.#conversationId, role, content, String(count));
    const first = nth(1);
    let count = this.#sameText.get(first) ?? 0;
    let id: string;
    do {
      count += 1;
      id = count === 1 ? first : nth(count);
    } while (this.#given.has(id));
    if (count > 1) this.areOwn = false;
    this.#sameText.set(first, count);
    return id;
  }
}
