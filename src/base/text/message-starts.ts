/**
 * Answers and prompts that are text begin each message with a line such as `#3 user, 2025-01-24…` or
 * `[user, 2025-01-24…]`. Text from other people must not look like another message.
 */

const MESSAGE_START = /(?:#\d+ |\[)(?=(?:system|user|assistant), \d{4}-)/g;

/** The text with a backslash before everything in it that looks like the start of a message. */
export const escapeMessageStarts = (text: string): string => text.replaceAll(MESSAGE_START, '\\$&');
