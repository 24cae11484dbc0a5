/** The output for a conversation that a rule selects for pruning or archiving, with the reason. */
import type { Candidate } from '../../maintenance/retention/prunable-conversations.js';
import { nameOfConversation } from '../find-conversation.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';

export const jsonOf = ({ head, lastMessageAt, sizeBytes, reason }: Candidate) => {
  const { conversationId, clientId, title } = head;
  const named = { conversationId, ...(clientId && { clientId }), ...(title && { title }) };
  return { ...named, lastMessageAt, sizeBytes, reason };
};

export function lineOf({ head, reason, sizeBytes }: Candidate): string {
  const title = head.title === undefined ? '' : `  ${oneLine(head.title)}`;
  return `${oneLine(nameOfConversation(head))}${title}  (${oneLine(reason)}; ${sizeOf(sizeBytes)})`;
}
