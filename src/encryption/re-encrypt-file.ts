/**
 * Encrypts, decrypts or re-encrypts one file for the new state of the store. In a conversation, the texts are
 * sealed one by one; every other file is sealed as a whole. A conversation that cannot be parsed is also
 * sealed as a whole, so that decryption returns the same bytes.
 */
import { basename, dirname } from 'node:path';
import { AppError, isAppError } from '../base/errors.js';
import { isRecord, textIn } from '../base/json-fields.js';
import { BROKEN_PART } from '../files/paths/broken-names.js';
import { parseDocument } from '../files/read/json-document.js';
import type { CipherKey } from '../files/sealing/cipher.js';
import { isDocumentFile } from '../files/sealing/open-stores.js';
import {
  openFile,
  SEALED_PART,
  SEALED_TEXT_START,
  sealedFileKey,
  sealFile,
} from '../files/sealing/sealed-form.js';
import { codecOf } from '../files/sealing/text-codec.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { parseConversation } from '../stores/conversations/document/parse-conversation.js';
import { isSealed } from '../stores/conversations/document/parse-fields.js';

const ID_LENGTH = 22;
const UNREADABLE = ['CONVERSATION_CORRUPTED', 'FORMAT_TOO_NEW'] as const;

export interface Keys {
  /** The present key of the store. Other registered keys are found by their ids. */
  readonly from: CipherKey | undefined;
  /** The new key; `undefined` if the store is being decrypted. */
  readonly to: CipherKey | undefined;
  /** True if the key of the store changes: afterwards nobody may have the present key. */
  readonly isChange?: boolean;
}

/**
 * Returns the new bytes of the file; `undefined` if it needs no change. DECRYPT, if the key of the store changes
 * also for a damaged conversation whose texts would stay sealed with another key.
 */
export function convertFile(path: string, bytes: Buffer, keys: Keys): Uint8Array | undefined {
  const plain = openFile(bytes, path);
  if (isDocumentFile(path)) {
    const converted = convertConversation(path, plain, keys);
    if (converted === 'same') return plain === bytes ? undefined : plain;
    if (converted !== 'unreadable') return converted;
  }
  if (keys.isChange && isDocumentFile(path.replace(BROKEN_PART, ''))) {
    requireNoOtherKey(path, plain, keys.to);
  }
  if (sealedFileKey(bytes) === keys.to?.id) return undefined;
  return keys.to === undefined ? plain : sealFile(plain, keys.to);
}

/** A damaged conversation can be repaired later only with the key of its texts. */
function requireNoOtherKey(path: string, bytes: Buffer, to: CipherKey | undefined): void {
  const sealed = [...bytes.toString('latin1').matchAll(new RegExp(SEALED_PART, 'g'))];
  const keyId = sealed.map(([, id]) => id).find((id) => id !== to?.id);
  if (keyId === undefined) return;
  const what = BROKEN_PART.test(path)
    ? `a repair kept this damaged file, which is still encrypted with the key ${keyId}. Keep that key, or delete the file`
    : `this conversation is damaged, and still encrypted with the key ${keyId}. Keep that key. To repair the conversation, encrypt the store with that key again, and run daybook doctor --repair`;
  throw new AppError('DECRYPT', what, { details: { path, keyId } });
}

function convertConversation(
  path: string,
  bytes: Buffer,
  { from, to }: Keys,
): Uint8Array | 'same' | 'unreadable' {
  const folder = dirname(path);
  const owner = basename(folder) === 'versions' ? dirname(folder) : folder;
  // In the trash, the name of the folder has the time of the deletion after the id.
  const conversationId = basename(owner).slice(0, ID_LENGTH);
  if (!CONVERSATION_ID.test(conversationId)) return 'unreadable';
  try {
    const value = parseDocument(bytes, path, 'CONVERSATION_CORRUPTED');
    if (hasForm(value, to)) return 'same';
    const location = { path, conversationId };
    const document = parseConversation(value, location, codecOf(from ?? to), codecOf(to));
    return Buffer.from(document.render(document.head));
  } catch (error) {
    if (isAppError(error, ...UNREADABLE)) return 'unreadable';
    throw error;
  }
}

const OPEN_OF_HEAD =
  /^(conversationId|createdAt|updatedAt|messageCount|formatVersion|sealed|messages)$/;
const OPEN_OF_MESSAGE = /^(id|role|content|createdAt|parentMessageId|sealed)$/;

/** Whether every part of the document is sealed with this key, or none is. */
function hasForm(value: unknown, key: CipherKey | undefined): boolean {
  if (!isRecord(value) || !Array.isArray(value['messages'])) return false;
  if (key === undefined) return !isSealed(value);
  const isOfKey = (text: unknown) =>
    textIn(text)?.startsWith(`${SEALED_TEXT_START}${key.id}:`) === true;
  const hasOnly = (names: RegExp, fields: object) =>
    Object.keys(fields).every((name) => names.test(name));
  const isSealedMessage = (message: unknown) =>
    isRecord(message) && isOfKey(message['content']) && hasOnly(OPEN_OF_MESSAGE, message);
  return (
    isOfKey(value['sealed']) &&
    hasOnly(OPEN_OF_HEAD, value) &&
    value['messages'].every(isSealedMessage)
  );
}
