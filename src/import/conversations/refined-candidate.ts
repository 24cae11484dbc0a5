/**
 * What an import never stores of a conversation of a source: messages that were deleted here, and new texts that
 * are stored already as messages of their own, because the messages were edited or continued here.
 */
import { metadataWith, withKept } from '../../stores/conversations/document/import-mark.js';
import type { AlreadyImported } from './already-imported.js';
import { type Candidate, type CandidateMessage, otherVersionId } from './planned-conversation.js';

/**
 * Returns a function that removes these messages and texts from a version of the candidate. `conversationId`: the
 * conversation of the candidate, or the one from which it was branched.
 */
export async function refinementOf(
  candidate: Candidate,
  conversationId: string,
  known: AlreadyImported,
): Promise<(version: Candidate) => Candidate> {
  const ids = [conversationId, ...known.branchesOf(conversationId, candidate)];
  const places = await Promise.all(ids.map((id) => known.messagesOf(id)));
  const stored = new Map(places.flat().map(({ id, content }) => [id, content]));
  const deleted = known.deletedIn(ids);
  const asHere = (message: CandidateMessage) => {
    const content = stored.get(message.id) ?? message.content;
    if (content === message.content) return message;
    const own = otherVersionId(message);
    return stored.has(own) || deleted.has(own) ? { ...message, content } : message;
  };
  return (version) => {
    const left = withoutDeleted(version, deleted);
    return { ...left, messages: left.messages.map(asHere) };
  };
}

/** The candidate without these messages, which were deleted here. */
export function withoutDeleted(candidate: Candidate, deleted: ReadonlySet<string>): Candidate {
  if (deleted.size === 0) return candidate;
  const { shown, fields, mark } = candidate;
  const parents = new Map(shown.map(({ id, parentMessageId }) => [id, parentMessageId]));
  const messages = candidate.messages.flatMap((message) => {
    const { parentMessageId: given, ...other } = message;
    let parent = given;
    while (parent !== undefined && deleted.has(parent)) parent = parents.get(parent);
    if (deleted.has(message.id)) return [];
    return parent === given ? message : { ...other, ...(parent && { parentMessageId: parent }) };
  });
  if (messages.length === candidate.messages.length) return candidate;
  const metadata = metadataWith(fields.metadata, withKept(mark, messages));
  return { ...candidate, messages, fields: { ...fields, metadata } };
}
