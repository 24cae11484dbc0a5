/**
 * A branch that has only tool calls or thinking is not read, unless the source shows it. Its message is the last
 * one of the stored conversation then. When the source shows another branch, the message moves to a branch.
 */
import type { Conversation } from '../../stores/conversations/document/schema.js';
import type { Candidate } from './planned-conversation.js';

type Stored = Conversation['messages'][number];

export interface TextlessBranch {
  readonly message: Stored;
  /** The message before it, which the source still shows. */
  readonly previous?: Stored | undefined;
}

/** The branch that would be lost if the messages that the source shows now replaced the stored ones. */
export function textlessBranchOf(
  { messages }: Pick<Conversation, 'messages'>,
  shown: Pick<Candidate, 'messages' | 'isElsewhere'>,
): TextlessBranch | undefined {
  const [message, previous] = [messages.at(-1), messages.at(-2)];
  if (message?.content !== '' || !shown.isElsewhere(message.id)) return undefined;
  // Otherwise the branch begins with a text, and the import reads all of it.
  const isFork = previous === undefined || shown.messages.some(({ id }) => id === previous.id);
  return isFork ? { message, previous } : undefined;
}
