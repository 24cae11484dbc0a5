/** The output for a conversation that a rule selects for pruning or archiving, with the reason. */
import { countOf } from '../../base/text/display-text.js';
import { totalBytes } from '../../base/total-bytes.js';
import type { Candidate } from '../../maintenance/retention/prunable-conversations.js';
import { nameOfConversation } from '../arguments/find-conversation.js';
import { type PlanOptions, printList } from '../terminal/output.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';
import type { Times } from '../terminal/times.js';

export const jsonOf = ({ head, lastMessageAt, sizeBytes, reason }: Candidate) => {
  const { conversationId, clientId, title } = head;
  const named = { conversationId, ...(clientId && { clientId }), ...(title && { title }) };
  return { ...named, lastMessageAt, sizeBytes, reason };
};

/** Prints one line for each conversation, then their number, `what` will be done, and their size. */
export function printCandidates(
  chosen: readonly Candidate[],
  what: string,
  times: Times,
  options: PlanOptions,
  print: (line: string) => void,
): void {
  const lines = chosen.map(({ head, lastMessageAt, reason, sizeBytes }) => {
    const title = head.title === undefined ? '' : `  ${oneLine(head.title)}`;
    const day = times.minute(lastMessageAt).slice(0, 10);
    const facts = `last message ${day}; ${oneLine(reason)}; ${sizeOf(sizeBytes)}`;
    return `${oneLine(nameOfConversation(head))}${title}  (${facts})`;
  });
  printList(lines, options, print);
  print(`${countOf(chosen.length, 'conversation')} ${what}, ${sizeOf(totalBytes(chosen))}`);
}
