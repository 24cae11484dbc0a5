/**
 * Changes and removes single messages. The caller passes the hash of the text that it has read, so that no
 * newer text is overwritten. The earlier version of the conversation is stored.
 */
import { isoTime } from '../../../base/clock.js';
import { AppError } from '../../../base/errors.js';
import { noMessage, notFound } from '../conversation-errors.js';
import type { Revision } from '../document/apply-revision.js';
import { metadataAfterDeletion } from '../document/import-mark.js';
import { messageHash } from '../document/message-hash.js';
import type { Conversation, ConversationHead, Message } from '../document/schema.js';
import { idForWriting } from '../key-lookup.js';
import type { StoreCore } from '../store-core.js';
import { MaskQueue } from './mask-queue.js';
import type { ConversationWriter } from './writer.js';

export class MessageEdits {
  readonly #core: StoreCore;
  readonly #writer: ConversationWriter;

  constructor(core: StoreCore, writer: ConversationWriter) {
    this.#core = core;
    this.#writer = writer;
  }

  /**
   * Replaces the content of a message and returns what is stored; durable when it resolves. CONFLICT if
   * the hash of the current content is not `expectedHash`, MESSAGE_NOT_FOUND, and what `append` throws.
   */
  async update(
    ref: string,
    messageId: string,
    given: string,
    expectedHash: string,
  ): Promise<{ head: ConversationHead; content: string; masked?: readonly string[] }> {
    const { masker } = this.#core.options;
    const { messages, ...noted } = await new MaskQueue(masker).mask([{ content: given }]);
    const content = messages[0]?.content ?? given;
    const head = await this.#revise(ref, 'edit', (current, updatedAt) => {
      const { index, message } = requireMessage(current, messageId, expectedHash);
      if (message.content === content) return undefined;
      const changed = { ...message, content };
      return {
        ...retitled(current, messageId),
        messages: current.messages.with(index, changed),
        updatedAt,
      };
    });
    return { head, content, ...noted };
  }

  /**
   * Removes a message; its child messages get its parent. An import does not add it again. Durable when it
   * resolves. Throws like `update`.
   */
  remove(ref: string, messageId: string, expectedHash: string): Promise<ConversationHead> {
    return this.#revise(ref, 'delete', (current, updatedAt) => {
      const { message } = requireMessage(current, messageId, expectedHash);
      const messages = current.messages
        .filter(({ id }) => id !== messageId)
        .map((each) => (each.parentMessageId === messageId ? relinked(each, message) : each));
      const metadata = metadataAfterDeletion(current, new Set(messages.map(({ id }) => id)));
      const fields = { ...retitled(current, messageId).fields, ...(metadata && { metadata }) };
      return { fields, messages, updatedAt };
    });
  }

  async #revise(
    ref: string,
    reason: 'edit' | 'delete',
    decide: (current: Conversation, updatedAt: string) => Revision | undefined,
  ): Promise<ConversationHead> {
    const id = await idForWriting(this.#core, ref);
    if (id === undefined) throw notFound(ref);
    const updatedAt = isoTime(this.#core.clock.now());
    return this.#writer.revise(id, (current) => decide(current, updatedAt), reason);
  }
}

function requireMessage(
  { conversationId, messages }: Conversation,
  messageId: string,
  expectedHash: string,
): { index: number; message: Message } {
  const index = messages.findIndex(({ id }) => id === messageId);
  const message = messages[index];
  if (message === undefined) throw noMessage(conversationId, messageId);
  const hash = messageHash(message.content);
  if (hash === expectedHash) return { index, message };
  throw new AppError(
    'CONFLICT',
    `The hash of the message is ${hash}, not ${JSON.stringify(expectedHash.slice(0, 80))}.`,
    {
      hint: 'Nothing was changed. Read the message again with `get_conversation`, then decide whether to call again with its new hash.',
      details: { conversationId, messageId, hash },
    },
  );
}

/** A title that was derived from the message must not keep its removed text. */
const retitled = ({ titleFrom }: Conversation, messageId: string): Pick<Revision, 'fields'> =>
  titleFrom === messageId ? { fields: { title: undefined } } : {};

function relinked({ parentMessageId: _, ...message }: Message, gone: Message): Message {
  const { parentMessageId } = gone;
  return { ...message, ...(parentMessageId !== undefined && { parentMessageId }) };
}
