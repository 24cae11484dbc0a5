/**
 * What is imported of a conversation that begins with a copy of another one. A message of the copy is left out
 * only if the other conversation is in the input too, or if its stored messages begin with the same texts.
 */
import { textIn } from '../../base/json-fields.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { contentDigestOf, type SourceId } from '../../stores/conversations/document/import-mark.js';
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { ImportedConversation, ImportedMessage } from '../source-interface.js';
import type { AlreadyImported } from './already-imported.js';
import { type Candidate, candidateOf } from './planned-conversation.js';

/** Forks of forks are followed so far. Metadata that a person edited could make their chain endless. */
const MAX_DEPTH = 20;

interface Stored {
  readonly store: ConversationStore;
  readonly known: AlreadyImported;
}

/** `given`: with masked texts, as the store has them. No messages are left if nothing follows the copy. */
export async function candidateWithoutCopy(
  kind: string,
  given: ImportedConversation,
  stored: Stored,
): Promise<Candidate> {
  const before = stored.known.get({ kind, id: given.id })?.mark;
  const whole = candidateOf(kind, given, before?.first);
  const messages = given.messages.slice(await countCopied(kind, given, stored));
  if (messages.length === given.messages.length) return whole;
  const own = candidateOf(kind, { ...given, messages }, before?.first);
  if (before === undefined || before.first !== whole.mark.first) return own;
  // It was imported with the copy before, unless it only begins with the same words.
  return before.said === contentDigestOf(own.messages.slice(0, before.count)) ? own : whole;
}

async function countCopied(
  kind: string,
  { copyOf, messages }: ImportedConversation,
  stored: Stored,
): Promise<number> {
  if (copyOf === undefined || copyOf.isInInput) return copyOf?.count ?? 0;
  const other = await storedAs({ kind, id: copyOf.id }, stored);
  // An import by an older version added what follows the copy to the other conversation.
  if (other?.messages.some(({ id }) => id === messages[copyOf.count]?.id)) return 0;
  return countStored(messages.slice(0, copyOf.count), { kind, id: copyOf.id }, stored);
}

/** How many messages of the copy are stored: in the other conversation, and in the one that it copied itself. */
async function countStored(
  copy: readonly ImportedMessage[],
  source: SourceId,
  stored: Stored,
  depth = 0,
): Promise<number> {
  const other = await storedAs(source, stored);
  if (other === undefined) return 0;
  const count = countSame(copy, other.messages);
  const parent = textIn(other.metadata?.['parent']);
  if (count > 0 || parent === undefined || depth === MAX_DEPTH) return count;
  const before = await countStored(copy, { ...source, id: parent }, stored, depth + 1);
  return before + countSame(copy.slice(before), other.messages);
}

async function storedAs(source: SourceId, { store, known }: Stored) {
  const other = known.get(source);
  return other && (await store.load(other.conversationId));
}

/**
 * How many messages both have at their beginning. One of them may be without the messages that have no text,
 * because it was read without tool calls.
 */
function countSame(copy: readonly ImportedMessage[], originals: Conversation['messages']): number {
  let count = 0;
  let at = 0;
  for (const [index, message] of copy.entries()) {
    if (message.content !== '') while (originals[at]?.content === '') at += 1;
    const { role, content } = originals[at] ?? {};
    if (role === message.role && content === message.content) {
      count = index + 1;
      at += 1;
    } else if (message.content !== '') break;
  }
  return count;
}
