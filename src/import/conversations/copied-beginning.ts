/**
 * What is imported of a conversation that begins with a copy of another one. A message of the copy is left out
 * only if the other conversation is in the input too, or if its stored messages begin with the same texts.
 */
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ImportedConversation } from '../source-interface.js';
import type { AlreadyImported } from './already-imported.js';
import { contentDigestOf } from './import-mark.js';
import { type Candidate, candidateOf } from './planned-conversation.js';

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
  { store, known }: Stored,
): Promise<number> {
  if (copyOf === undefined || copyOf.isInInput) return copyOf?.count ?? 0;
  const other = known.get({ kind, id: copyOf.id });
  const originals = other === undefined ? [] : (await store.load(other.conversationId)).messages;
  // An import by an older version added what follows the copy to the other conversation.
  if (originals.some(({ id }) => id === messages[copyOf.count]?.id)) return 0;
  const copy = messages.slice(0, copyOf.count);
  const different = copy.findIndex(
    ({ role, content }, at) => originals[at]?.role !== role || originals[at]?.content !== content,
  );
  return different === -1 ? copy.length : different;
}
