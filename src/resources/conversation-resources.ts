/**
 * Conversations as MCP resources: what is listed, how one is read. Plain definitions; `server/` speaks
 * the protocol.
 */
import type { App } from '../app.js';
import { AppError } from '../base/errors.js';
import type { ConversationHead } from '../stores/conversations/schema.js';
import { conversationText } from './conversation-text.js';
import {
  CONVERSATION_TEMPLATE,
  type ConversationAddress,
  conversationUri,
  MARKDOWN_TEMPLATE,
  parseConversationUri,
} from './conversation-uri.js';

const PAGE = 50;
const LONGEST_TITLE = 200;
const MIME_TYPES = { json: 'application/json', markdown: 'text/markdown' } as const;

export interface ListedResource {
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly annotations: { readonly lastModified: string };
}

export const resourceTemplates = [
  {
    uriTemplate: CONVERSATION_TEMPLATE,
    name: 'conversation',
    title: 'A conversation as JSON',
    description: 'A stored conversation by its id or key, with all that is known of each message.',
    mimeType: MIME_TYPES.json,
  },
  {
    uriTemplate: MARKDOWN_TEMPLATE,
    name: 'conversation-markdown',
    title: 'A conversation for reading',
    description: 'The same as markdown.',
    mimeType: MIME_TYPES.markdown,
  },
] as const;

/** A page of conversations, last changed first. VALIDATION_ERROR: bad cursor. */
export async function listResources({ conversations }: App, cursor: string | undefined) {
  const request = { limit: PAGE, ...(cursor !== undefined && { cursor }) };
  const page = await conversations.page({}, request);
  const { nextCursor } = page;
  const resources = page.conversations.map(listedResource);
  return { resources, ...(nextCursor !== undefined && { nextCursor }) };
}

function listedResource(head: ConversationHead): ListedResource {
  const { conversationId, module, messageCount, updatedAt } = head;
  const where = module === undefined ? '' : `, module ${module.slice(0, LONGEST_TITLE)}`;
  return {
    uri: conversationUri({ ref: conversationId, format: 'json' }),
    name: conversationId,
    title: titleOf(head),
    description: `${messageCount} messages${where}`,
    mimeType: MIME_TYPES.json,
    annotations: { lastModified: updatedAt },
  };
}

/** What makes two listings of a conversation differ, but for what every message changes. */
export function listingKey(head: ConversationHead): string {
  return `${titleOf(head)}\n${head.module ?? ''}`;
}

function titleOf({ title, conversationId }: ConversationHead): string {
  return (title ?? '').slice(0, LONGEST_TITLE) || conversationId;
}

/** VALIDATION_ERROR: no such address; else like the store's `load`. */
export async function readResource({ conversations }: App, uri: string) {
  const address = requireAddress(uri);
  const conversation = await conversations.load(address.ref);
  const text = conversationText(conversation, address);
  return { uri, mimeType: MIME_TYPES[address.format], text };
}

/** The id behind an address, which must be of a conversation that is there. */
export async function conversationIdOf({ conversations }: App, uri: string): Promise<string> {
  return (await conversations.load(requireAddress(uri).ref)).conversationId;
}

function requireAddress(uri: string): ConversationAddress {
  const address = parseConversationUri(uri);
  if (address !== undefined) return address;
  throw new AppError('VALIDATION_ERROR', `${JSON.stringify(uri.slice(0, 200))} is no resource.`, {
    hint: 'Resources are daybook://conversation/<id> and daybook://conversation/<id>/markdown.',
  });
}
