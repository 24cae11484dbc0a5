/** The results of `daybook search` for people, with the messages before and after each result. */
import type { z } from 'zod';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { shortened } from '../../base/text/display-text.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { searchMessages } from '../../tools/conversations/search-messages.js';
import { cut, displayWidth } from '../terminal/columns.js';
import { oneLine } from '../terminal/terminal-text.js';
import type { View } from './view.js';

type Hit = z.output<typeof searchMessages.output>['results'][number];
type Why = NonNullable<Hit['why']>;
type Shown = Pick<View, 'paint' | 'times' | 'columns'>;

/** A message before or after a result. */
interface Neighbour {
  readonly seq: number;
  readonly role: string;
  readonly content: string;
}

const INDENT = '    ';

/** At most `count` messages before and after a result. Empty if its conversation cannot be read now. */
export async function neighboursOf(
  conversations: Pick<ConversationStore, 'part'>,
  { conversationId, seq }: Hit,
  count: number,
): Promise<readonly Neighbour[]> {
  if (count === 0) return [];
  const first = Math.max(1, seq - count);
  const range = { first, count: seq + count - first + 1 };
  const part = await undefinedIfUnreadable(conversations.part(conversationId, range));
  if (part === undefined) return [];
  return part.messages
    .map(({ role, content }, at) => ({ seq: part.first + at, role, content }))
    .filter((message) => message.seq !== seq);
}

/** A line with name, role and time; the messages before; the snippet and reason; the messages after. */
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
