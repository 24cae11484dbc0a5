/** The output of `daybook list` and `daybook save` for people. */
import type { z } from 'zod';
import type { getConversations } from '../../tools/conversations/get-conversations.js';
import type { saveMessage } from '../../tools/conversations/save-message.js';
import { nameOfConversation, namesOf } from '../arguments/find-conversation.js';
import { cut, displayWidth, padEnd, widest } from '../terminal/columns.js';
import { escapeControls, oneLine } from '../terminal/terminal-text.js';
import type { Answer, View } from './view.js';

type Head = z.output<typeof getConversations.output>['conversations'][number];
type Saved = z.output<typeof saveMessage.output>;

/** The width of an id; a longer key is not cut. */
const NAME_WIDTH = 22;
const NAME_HEADING = 'key or id';
const MIN_TITLE_WIDTH = 12;
const GAP = '  ';

/** A heading, then one line per conversation: time of change, messages, key or id, title, module, tags. */
export function conversationTable(answer: Answer, view: View): string {
  const heads = answer['conversations'] as readonly Head[];
  if (heads.length === 0) return '';
  const { paint, times, columns } = view;
  const byId = namesOf(heads);
  const names = heads.map(({ conversationId }) => oneLine(byId.get(conversationId) ?? ''));
  const width = Math.min(NAME_WIDTH, widest([NAME_HEADING, ...names]));
  const counts = heads.map(({ messageCount }) => String(messageCount));
  const countWidth = Math.max(4, widest(counts));
  const heading = [
    'changed'.padEnd(16),
    'msgs'.padStart(countWidth),
    padEnd(NAME_HEADING, width),
    `title (times: ${times.zone})`,
  ].join(GAP);
  const lines = heads.map((head, at) => {
    const facts = [times.minute(head.updatedAt), (counts[at] ?? '').padStart(countWidth)];
    const start = `${facts.join(GAP)}${GAP}${padEnd(names[at] ?? '', width)}`;
    return `${paint.dim(facts.join(GAP))}${GAP}${padEnd(names[at] ?? '', width)}${GAP}${endOf(head, view, columns === undefined ? undefined : columns - displayWidth(start) - GAP.length)}`.trimEnd();
  });
  return [paint.dim(columns === undefined ? heading : cut(heading, columns)), ...lines].join('\n');
}

/** Title, marks, module and tags; at most `room` columns, if `room` is given. */
function endOf(head: Head, { paint }: View, room?: number) {
  const { title = '', module, tags = [], pinned, branchOf } = head;
  const marks = [branchOf && '(branch)', pinned && '(pinned)'].filter((mark) => mark);
  const notes = [...marks, module ?? '', ...tags.map((tag) => `#${tag}`)];
  const note = oneLine(notes.filter((part) => part !== '').join(' '));
  const name = oneLine(title);
  if (room === undefined) return [name, paint.dim(note)].filter((part) => part !== '').join(GAP);
  const shownName = cut(name, Math.max(MIN_TITLE_WIDTH, room));
  const left = room - displayWidth(shownName) - GAP.length;
  const shownNote = left >= 2 ? cut(note, left) : '';
  return [shownName, ...(shownNote === '' ? [] : [paint.dim(shownNote)])].join(GAP);
}

/** One line with the key or id, the title and the path. */
export function savedLine(answer: Answer): string {
  const { seq, created, conversationPath, title, ...head } = answer as Saved;
  const what = created ? 'Started' : 'Continued';
  const name = oneLine(nameOfConversation(head));
  const called = title === undefined ? '' : ` "${oneLine(title)}"`;
  return `${what} ${name}${called}: message ${seq}, in ${escapeControls(conversationPath)}`;
}
