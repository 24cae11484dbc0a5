/** The output for a conversation that a rule selects for pruning or archiving, with the reason. */
import type { Candidate } from '../../maintenance/retention/prunable-conversations.js';
import { nameOfConversation } from '../arguments/find-conversation.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';
import type { Times } from '../terminal/times.js';

export const jsonOf = ({ head, lastMessageAt, sizeBytes, reason }: Candidate) => {
  const { conversationId, clientId, title } = head;
  const named = { conversationId, ...(clientId && { clientId }), ...(title && { title }) };
  return { ...named, lastMessageAt, sizeBytes, reason };
};

export const lineIn =
  (times: Times) =>
  ({ head, lastMessageAt, reason, sizeBytes }: Candidate): string => {
    const title = head.title === undefined ? '' : `  ${oneLine(head.title)}`;
    const day = times.minute(lastMessageAt).slice(0, 10);
    const facts = `last message ${day}; ${oneLine(reason)}; ${sizeOf(sizeBytes)}`;
    return `${oneLine(nameOfConversation(head))}${title}  (${facts})`;
  };
