/** The smallest conversation of an export of ChatGPT: one message of the user. */
export function chatgptConversation(
  index: number,
  text: string,
  attachments: readonly { readonly id: string; readonly name: string }[] = [],
) {
  const message = {
    id: `message-0000-0000-${index}`,
    author: { role: 'user' },
    content: { content_type: 'text', parts: [text] },
    metadata: { attachments },
  };
  return {
    id: `c-${index}`,
    create_time: 1737724800 + index, // its id in Daybook is derived from this time
    current_node: 'n',
    mapping: { n: { parent: null, message } },
  };
}
