/** Conversations as MCP resources. `server/` implements the protocol. */

import { AppError } from '../base/errors.js';
import { countOf, shortened } from '../base/text/display-text.js';
import type { ConversationHead } from '../stores/conversations/document/schema.js';
import { completeConversation } from './completions.js';
import { conversationText } from './conversation-text.js';
import {
  CONVERSATION_TEMPLATE,
  type ConversationAddress,
  conversationUri,
  MARKDOWN_TEMPLATE,
  parseConversationUri,
} from './conversation-uri.js';
import type { ListedResource, ResourceKind } from './resource-kind.js';

const MIME_TYPES = { json: 'application/json', markdown: 'text/markdown' } as const;

export const conversationResources: ResourceKind = {
  name: 'conversation',
  templates: [
    {
      uriTemplate: CONVERSATION_TEMPLATE,
      name: 'conversation',
      title: 'A conversation as JSON',
      description:
        'A stored conversation by its id or key, with all stored fields of each message.',
      mimeType: MIME_TYPES.json,
    },
    {
      uriTemplate: MARKDOWN_TEMPLATE,
      name: 'conversation-markdown',
      title: 'A conversation for reading',
      description: 'A stored conversation as Markdown.',
      mimeType: MIME_TYPES.markdown,
    },
  ],
  completers: { id: completeConversation },
  owns: (uri) => parseConversationUri(uri) !== undefined,
  /** Most recently changed first. */
  async list({ conversations }, request) {
    const { conversations: heads, nextCursor } = await conversations.page({}, request);
    const resources = heads.map(listedResource);
    return { resources, ...(nextCursor !== undefined && { nextCursor }) };
  },
  async read({ conversations }, uri) {
    const address = requireAddress(uri);
    const conversation = await conversations.load(address.ref);
    const text = conversationText(conversation, address);
    return { uri, mimeType: MIME_TYPES[address.format], text };
  },
  async keyOf({ conversations }, uri) {
    return (await conversations.view(requireAddress(uri).ref)).head.conversationId;
  },
  nameIn: (uri) => requireAddress(uri).ref,
  async known({ conversations }) {
    const heads = await conversations.list();
    return heads.map((head) => [head.conversationId, listingKey(head)] as const);
  },
  follow: ({ conversations }, notifier) =>
    conversations.followFromNow(({ conversationId, document }) => {
      notifier.changed(conversationId);
      const clientId = document?.head.clientId;
      if (clientId !== undefined) notifier.changed(clientId);
      notifier.listed(conversationId, document && listingKey(document.head));
    }),
};

function listedResource(head: ConversationHead): ListedResource {
  const { conversationId, module, messageCount, updatedAt } = head;
  const where = module === undefined ? '' : `, module ${shortened(module)}`;
  return {
    uri: conversationUri({ ref: conversationId, format: 'json' }),
    name: conversationId,
    title: titleOf(head),
    description: `${countOf(messageCount, 'message')}${where}`,
    mimeType: MIME_TYPES.json,
    annotations: { lastModified: updatedAt },
  };
}

/** Changes only if title or module change, so that a new message does not change the list. */
function listingKey(head: ConversationHead): string {
  return `${titleOf(head)}\n${head.module ?? ''}`;
}

function titleOf({ title, conversationId }: ConversationHead): string {
  return shortened(title || conversationId);
}

function requireAddress(uri: string): ConversationAddress {
  const address = parseConversationUri(uri);
  if (address !== undefined) return address;
  throw new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(uri.slice(0, 200))} is not the URI of a conversation.`,
  );
}
