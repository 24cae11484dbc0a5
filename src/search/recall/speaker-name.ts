/** Finds the name of the speaker of a message, which recall indexes with its words. */
import type { Message } from '../../stores/conversations/document/schema.js';

/** Fields of `metadata` in which importers and clients store the speaker. */
const NAME_FIELDS = ['speaker', 'name', 'author', 'sender', 'from'];
const NAME_BEFORE_TEXT = /^\p{Lu}[\p{L}'’.-]{0,30}(?: \p{Lu}[\p{L}'’.-]{0,30}){0,2}(?=: \S)/u;
const MAX_NAME_LENGTH = 80;

/** The speaker's name, from the metadata or from the beginning of the text (`Anna: I think so`). */
export function speakerOf({
  content,
  metadata,
}: Pick<Message, 'content' | 'metadata'>): string | undefined {
  for (const field of NAME_FIELDS) {
    const name = metadata?.[field];
    if (typeof name === 'string' && name !== '' && name.length <= MAX_NAME_LENGTH) return name;
  }
  return NAME_BEFORE_TEXT.exec(content)?.[0];
}
