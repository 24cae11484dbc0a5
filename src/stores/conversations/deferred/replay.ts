/**
 * Writes the messages and changes that waited in memory. Each is written once, even if an earlier attempt
 * failed after it had replaced the file, and into the right conversation, even if another process used the
 * id or the key meanwhile.
 */
import { isAppError } from '../../../base/errors.js';
import { removeEmptyFolder } from '../../../files/paths/folders.js';
import type {
  AppendOptions,
  AppendRequest,
  PastFields,
  PastMessage,
} from '../document/apply-appends.js';
import { type HeadChange, withoutOthers } from '../document/head-change.js';
import type { Conversation, ConversationHead } from '../document/schema.js';
import type { StoreCore } from '../store-core.js';
import type { AppendResult, ConversationWriter } from '../writing/writer.js';

/** Messages, or a change of the fields, that were answered with `durable: false`. */
export interface WaitingMessages {
  readonly conversationId: string;
  readonly messages: readonly PastMessage[];
  /** A change of the fields, and the fields as they were when it was made. */
  readonly change?: { readonly given: HeadChange; readonly seen: ConversationHead };
  /** Set if the conversation is new. */
  readonly fields?: PastFields;
  /** The key, if the caller named the conversation by its key, and what begins a conversation of this key. */
  readonly named?: Named | undefined;
  readonly bytes: number;
}

export interface Named {
  readonly clientId: string;
  readonly create: AppendOptions['create'];
}

/** The store's writes to the disk. */
export interface DirectWrites {
  readonly writer: Pick<ConversationWriter, 'create' | 'createMasked'>;
  commit(ref: string, request: AppendRequest): Promise<AppendResult>;
}

interface Target {
  readonly core: StoreCore;
  readonly writes: DirectWrites;
}

/** Durable when it resolves. Throws like `append` and `create` of the store. */
export async function replay(target: Target, waiting: WaitingMessages): Promise<void> {
  const { conversationId, messages, fields, change, named } = waiting;
  if (fields !== undefined) return create(target, conversationId, messages, fields);
  if (change === undefined) return append(target, conversationId, messages, named);
  // Does not overwrite a field that another process has changed meanwhile.
  const others = (head: ConversationHead) => withoutOthers(change.given, change.seen, head);
  await commit(target, conversationId, { messages: [], options: {}, change: others }, named);
}

/** The messages of a request are written in one replace: if the first is in the file, all are. */
async function append(target: Target, id: string, messages: readonly PastMessage[], named?: Named) {
  const skipIf = (current: Conversation) => holds(current, messages);
  await commit(target, id, { messages, options: { skipIf } }, named);
}

/**
 * `id`: the id while the request waited. It is looked up in `movedIds`, once: the id found there may itself be one
 * that was moved.
 */
async function commit(
  { core, writes }: Target,
  id: string,
  request: AppendRequest,
  named: Named | undefined,
) {
  try {
    await writes.commit(id, request);
  } catch (error) {
    if (named === undefined || !isAppError(error, 'CONVERSATION_NOT_FOUND')) throw error;
    // Another process has deleted the conversation, or merged it into another one, which has the key now.
    core.catalogue.forget(id);
    const { clientId, create } = named;
    const options = { ...request.options, ...(create && { create }) };
    await writes.commit(clientId, { ...request, options });
  }
}

async function create(
  target: Target,
  id: string,
  messages: readonly PastMessage[],
  fields: PastFields,
) {
  const { files, movedIds } = target.core;
  const found = (await files.readUncached(id))?.document.snapshot();
  const isOurs = found?.messages.length === 0 ? messages.length === 0 : undefined;
  // The messages are already in the file. `append` only makes them durable.
  if (found !== undefined && (isOurs ?? holds(found, messages)))
    return append(target, id, messages);
  const { clientId } = fields;
  // Removes the empty folder that the failed attempt created. A folder with a file belongs to a
  // conversation of another process.
  if (found === undefined) await removeEmptyFolder(files.folderOf(id));
  try {
    const created = await target.writes.writer.createMasked({ fields, messages }, true);
    if (created.conversationId !== id) movedIds.set(id, created.conversationId);
  } catch (error) {
    // Another process has given the key to a conversation meanwhile, perhaps to one with the same id.
    if (!isAppError(error, 'ALREADY_EXISTS')) throw error;
    movedIds.set(id, String(error.details?.['conversationId']));
    await append(target, id, messages, clientId ? { clientId, create: true } : undefined);
  }
}

const holds = (current: Conversation, [first]: readonly PastMessage[]) =>
  first !== undefined && current.messages.some(({ id }) => id === first.id);
