/**
 * Addresses of conversations as MCP resources: `daybook://conversation/<id or key>`, as JSON, and
 * with `/markdown` behind it for reading. `?beforeSeq=<n>` gives what comes before a message.
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

/** `undefined` for anything that is no address of a conversation. */
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
    return undefined; // a stray % is no address either
  }
}
