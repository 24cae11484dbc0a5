/** Results of `daybook search` for people: the facts and the snippet of a message, and the messages around it. */
import type { z } from 'zod';
import { isAppError } from '../../base/errors.js';
import { shortened } from '../../base/shortened.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { searchMessages } from '../../tools/conversations/search-messages.js';
import { cut, displayWidth } from '../terminal/columns.js';
import { oneLine } from '../terminal/terminal-text.js';
import type { View } from './view.js';

type Hit = z.output<typeof searchMessages.output>['results'][number];
type Why = NonNullable<Hit['why']>;
type Shown = Pick<View, 'paint' | 'times' | 'columns'>;

/** A message beside a result. */
interface Neighbour {
  readonly seq: number;
  readonly role: string;
  readonly content: string;
}

const INDENT = '    ';

/** Up to `count` messages before a result and after it. Empty if its conversation cannot be read any more. */
export async function neighboursOf(
  conversations: Pick<ConversationStore, 'part'>,
  { conversationId, seq }: Hit,
  count: number,
): Promise<readonly Neighbour[]> {
  if (count === 0) return [];
  const first = Math.max(1, seq - count);
  try {
    const part = await conversations.part(conversationId, {
      first,
      count: seq + count - first + 1,
    });
    return part.messages
      .map(({ role, content }, at) => ({ seq: part.first + at, role, content }))
      .filter((message) => message.seq !== seq);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [];
  }
}

/** A line of facts, the snippet, the reason if there is one, and the neighbours in their order around it. */
export function hitBlock(
  hit: Hit,
  neighbours: readonly Neighbour[],
  names: ReadonlyMap<string, string>,
  view: Shown,
): string {
  const lineOf = (neighbour: Neighbour) => neighbourLine(neighbour, view);
  const before = neighbours.filter(({ seq }) => seq < hit.seq).map(lineOf);
  const after = neighbours.filter(({ seq }) => seq > hit.seq).map(lineOf);
  const reason = hit.why === undefined ? [] : [`${INDENT}${view.paint.dim(whyText(hit.why))}`];
  const snippet = `${INDENT}${view.paint.matches(oneLine(hit.snippet))}`;
  return [factsLine(hit, names, view), ...before, snippet, ...reason, ...after].join('\n');
}

function factsLine(
  { conversationId, seq, role, createdAt, title }: Hit,
  names: ReadonlyMap<string, string>,
  { paint, times, columns }: Shown,
): string {
  const name = oneLine(names.get(conversationId) ?? conversationId);
  const facts = `${name} #${seq} ${role} ${times.minute(createdAt)}`;
  const room = columns === undefined ? undefined : columns - displayWidth(facts) - 2;
  const shown = oneLine(title ?? '');
  const heading =
    shown === '' ? '' : `  ${room === undefined ? shown : cut(shown, Math.max(room, 1))}`;
  return paint.dim(facts) + heading;
}

function neighbourLine({ seq, role, content }: Neighbour, { paint, columns }: Shown): string {
  const text = `${INDENT}#${seq} ${role}: ${oneLine(shortened(content))}`;
  return paint.dim(columns === undefined ? text : cut(text, columns));
}

/** Such as `words: tomato; neighbours: shed`. */
function whyText(why: Why): string {
  const parts = Object.entries(why).map(([name, found]) => `${name}: ${[found].flat().join(', ')}`);
  return oneLine(parts.join('; '));
}
