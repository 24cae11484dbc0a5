/** The tool `mb_edit`: makes one change to a note: replace, insert, rename or overwrite. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { CONFLICT_NOTE, hasMergeConflict } from '../../stores/conflict-markers.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { notesWithOldLink } from '../../stores/memory-bank/note-links.js';
import {
  insertAfterLine,
  linesOf,
  replacePassage,
  replaceText,
} from '../../stores/memory-bank/note-text.js';
import { joinedNote, maskedNoteOf } from '../answers/masked-note.js';
import { defineTool, EDITS, optionalText, success } from '../define-tool.js';
import { expectedHash, notePath, noteSchema, toListedNote } from '../fields/note-fields.js';

/** A note about a rename names at most so many notes. */
const MAX_LINKING = 10;

const input = z.strictObject({
  path: notePath(),
  hash: expectedHash,
  oldText: z
    .string()
    .min(1)
    .describe('The exact text of a passage that occurs once.')
    .exactOptional(),
  newText: optionalText('The text that replaces oldText.'),
  insertLine: z
    .int()
    .min(0)
    .describe('Insert after the line with this number; 0: at the beginning.')
    .exactOptional(),
  insertText: z.string().min(1).describe('Whole lines to insert.').exactOptional(),
  newPath: notePath('New path of the note.').exactOptional(),
  content: optionalText('The whole new text; needs hash.'),
});

export const mbEdit = defineTool({
  name: 'mb_edit',
  aliases: ['mb/edit'],
  toolset: 'memory_bank',
  title: 'Edit a note',
  description:
    'Changes a note in one of four ways: newText replaces oldText, which must occur exactly once; insertText is added after insertLine; newPath renames it; content replaces everything. Pass the hash of mb_read, so that edits by others are not overwritten.',
  input: () => input,
  output: () =>
    z.object({
      success,
      ...noteSchema.shape,
      totalLines: z.int().exactOptional(),
      renamedFrom: z.string().exactOptional(),
      note: optionalText(
        'What was not stored, such as secrets, or what is still to do in the note.',
      ),
    }),
  annotations: EDITS,
  writesLater: true,
  async run(args, { memoryBank }) {
    const { path, hash, newPath } = args;
    const change = changeOf(args);
    if (change !== undefined) return edited(memoryBank, path, hash, change);
    const info = await memoryBank.rename(path, newPath ?? path, hash);
    return {
      ...info,
      renamedFrom: path,
      ...joinedNote([await oldLinksNote(memoryBank, path, info.path)]),
    };
  },
});

/** `undefined` if no note has such a link. */
async function oldLinksNote(bank: MemoryBank, old: string, renamed: string) {
  const paths = await notesWithOldLink(bank, { old, renamed });
  if (paths.length === 0) return undefined;
  const more = paths.length > MAX_LINKING ? ` and ${paths.length - MAX_LINKING} more` : '';
  return `These notes still have links to ${old}: ${paths.slice(0, MAX_LINKING).join(', ')}${more}.`;
}

type Change = (content: string) => string;

async function edited(bank: MemoryBank, path: string, hash: string | undefined, change: Change) {
  const { masked, ...note } = await bank.edit(path, hash, change, { mayDefer: true });
  const totalLines = linesOf(note.content).length;
  const conflict = hasMergeConflict(note.content) ? CONFLICT_NOTE : undefined;
  return {
    ...toListedNote(note),
    totalLines,
    ...joinedNote([maskedNoteOf(masked).note, conflict]),
  };
}

/** `undefined` means a rename. Throws VALIDATION_ERROR unless the arguments make exactly one change. */
function changeOf(args: z.output<typeof input>): Change | undefined {
  const { hash, oldText, newText, insertLine, insertText, newPath, content } = args;
  const changes: (Change | 'rename' | undefined)[] = [
    pair(oldText, newText, (was, is) => (text) => replacePassage(text, was, is)),
    pair(insertLine, insertText, (line, added) => (text) => insertAfterLine(text, line, added)),
    newPath === undefined ? undefined : 'rename',
    content === undefined ? undefined : (text) => replaceText(text, content),
  ];
  const [change, second] = changes.filter((each) => each !== undefined);
  if (change === undefined || second !== undefined) {
    const problem =
      change === undefined ? 'No change was given.' : 'One call can make only one change.';
    throw new AppError('VALIDATION_ERROR', problem, {
      hint: 'Give `oldText` and `newText`, or `insertLine` and `insertText`, or `newPath`, or `content` with `hash`.',
    });
  }
  if (content !== undefined && hash === undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      'To replace the whole text, the hash of the note is required.',
      {
        hint: 'Read the note with `mb_read` and give its `hash`.',
      },
    );
  }
  return change === 'rename' ? undefined : change;
}

function pair<A, B>(a: A | undefined, b: B | undefined, make: (a: A, b: B) => Change) {
  if (a !== undefined && b !== undefined) return make(a, b);
  if (a === undefined && b === undefined) return undefined;
  throw new AppError('VALIDATION_ERROR', 'One of the two arguments for this change is missing.', {
    hint: '`oldText` needs `newText` (which may be empty), `insertLine` needs `insertText`.',
  });
}
