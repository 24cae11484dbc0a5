/**
 * A branch has copies of its source's messages, but their answers were billed only once. A message of a
 * branch is a copy if the source has a message with the same time, role, model, billed tokens and cost. Its
 * cost counts for the source only; if the source no longer exists, it counts for the branch.
 */
import type { ConversationFigures } from './conversation-figures.js';
import type { MessageFigures } from './message-figures.js';

export type CostOnce = (message: MessageFigures) => MessageFigures;

/** For each conversation: a function that removes billed tokens and cost from copied messages. */
export function costsOnce(
  all: readonly ConversationFigures[],
): (conversation: ConversationFigures) => CostOnce {
  const byId = new Map(all.map((figures) => [figures.head.conversationId, figures]));
  return ({ head }) => {
    const source = head.branchOf && byId.get(head.branchOf.conversationId);
    if (source === undefined) return (message) => message;
    const billed = new Set(source.messages.filter(isBilled).map(keyOf));
    return (message) =>
      isBilled(message) && billed.has(keyOf(message)) ? withoutCost(message) : message;
  };
}

const isBilled = ({ billedTokens, cost }: MessageFigures) =>
  billedTokens !== undefined || cost !== undefined;

const keyOf = ({ time, role, model, billedTokens, cost }: MessageFigures): string =>
  JSON.stringify([time, role, model, billedTokens, cost?.currency, cost?.total]);

function withoutCost({ billedTokens: _, cost: __, ...others }: MessageFigures): MessageFigures {
  return others;
}
