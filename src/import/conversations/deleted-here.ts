/**
 * Finds deleted messages that `metadata.source` does not name: an older version deleted them, or a person removed
 * them from the file itself. No file access.
 */
import {
  type Identified,
  isAsImported,
  markAfterDeletion,
  type SourceMark,
  writtenIn,
} from '../../stores/conversations/document/import-mark.js';

/**
 * The mark with the imported messages that are no longer in the conversation as deleted. `path`: what the source
 * has in the place of the conversation, from its first message on. Returns the given mark if something else was
 * changed here too, because then it is not known which messages are new.
 */
export function withDeletedHere(
  { messages }: { readonly messages: readonly Identified[] },
  mark: SourceMark,
  path: readonly Identified[],
): SourceMark {
  const here = new Map(messages.map((message) => [message.id, message]));
  const known = new Set(mark.deleted);
  const left = path.filter(({ id }) => !known.has(id));
  // A message may be deleted by an older version and another one by this version.
  for (const given of left.length < path.length ? [left, path] : [path]) {
    const there = new Set(given.map(({ id }) => id));
    const rest = messages.filter(({ id }) => !there.has(id));
    // The source may show another branch after the last message that both have.
    const common = given.findLastIndex(({ id }) => here.has(id)) + 1;
    for (const shared of [given, given.slice(0, common)]) {
      const all = [...shared.map((message) => here.get(message.id) ?? message), ...rest];
      const written = writtenIn(all, mark);
      const isDeleted = written.some(({ id }) => !here.has(id));
      if (isDeleted && isAsImported({ messages: written }, mark))
        return markAfterDeletion(mark, written, new Set(here.keys()));
    }
  }
  return mark;
}
