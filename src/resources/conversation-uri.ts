/**
 * URIs of conversations as MCP resources: `daybook://conversation/<id or key>` for JSON, with `/markdown`
 * at the end for Markdown. `?beforeSeq=<n>` means the messages before position n.
 */

export const CONVERSATION_TEMPLATE = 'daybook://conversation/{id}{?beforeSeq}';
export const MARKDOWN_TEMPLATE = 'daybook://conversation/{id}/markdown{?beforeSeq}';

const ADDRESS =
  /^daybook:\/\/conversation\/([^/?#]{1,400})(\/markdown)?(?:\?beforeSeq=(\d{1,9}))?$/;

export interface ConversationAddress {
  /** Id or key. */
  readonly ref: string;
  readonly format: 'json' | 'markdown';
  readonly beforeSeq?: number;
}

export function conversationUri({ ref, format, beforeSeq }: ConversationAddress): string {
  const path = `daybook://conversation/${encodeURIComponent(ref)}`;
  const query = beforeSeq === undefined ? '' : `?beforeSeq=${beforeSeq}`;
  return `${path}${format === 'markdown' ? '/markdown' : ''}${query}`;
}

/** `undefined` if it is not the URI of a conversation. */
export function parseConversationUri(uri: string): ConversationAddress | undefined {
  const match = ADDRESS.exec(uri);
  if (match === null) return undefined;
  const [, encoded = '', markdown, beforeSeq] = match;
  try {
    return {
      ref: decodeURIComponent(encoded),
      format: markdown === undefined ? 'json' : 'markdown',
      ...(beforeSeq !== undefined && { beforeSeq: Number(beforeSeq) }),
    };
  } catch {
    return undefined; // invalid percent-encoding
  }
}
