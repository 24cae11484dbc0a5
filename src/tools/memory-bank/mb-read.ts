/** The tool `mb_read`: returns a note, or some of its lines, with its hash. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { linesOf } from '../../stores/memory-bank/note-text.js';
import { maxTokens } from '../answers/answer-budget.js';
import { defineTool, optionalInt, READS, success } from '../define-tool.js';
import { linesWithin, notePath, noteSchema } from '../fields/note-fields.js';

export const mbRead = defineTool({
  name: 'mb_read',
  aliases: ['mb/read'],
  toolset: 'memory_bank',
  title: 'Read a note',
  description:
    'Returns a note, or some of its lines, with the hash for mb_edit and mb_delete. A long note is returned in pages: continue with startLine set to nextLine.',
  input: () =>
    z.strictObject({
      path: notePath(),
      startLine: z.int().min(1).describe('First line to return, from 1.').default(1),
      startColumn: z
        .int()
        .min(1)
        .describe('First character to return of startLine, if the line was cut.')
        .default(1),
      endLine: z
        .int()
        .min(1)
        .describe('Last line to return (default: the last line).')
        .exactOptional(),
      maxTokens,
    }),
  output: () =>
    z.object({
      success,
      ...noteSchema.shape,
      totalLines: z.int(),
      startLine: z.int(),
      endLine: z.int().describe('Last line returned; below startLine if there is none.'),
      hasMore: z.boolean().describe('Whether there are more of the requested lines.'),
      nextLine: optionalInt('Pass as startLine for the next page.'),
      nextColumn: optionalInt(
        'Pass as startColumn for the next page: one line is longer than the answer and was cut.',
      ),
      content: z.string(),
    }),
  annotations: READS,
  quotesText: true,
  text({ path, hash, startLine, endLine, totalLines, sizeBytes, modifiedAt, content, ...next }) {
    const { nextLine, nextColumn } = next;
    const column = nextColumn === undefined ? '' : ` and startColumn ${nextColumn}`;
    const more = nextLine === undefined ? '' : `; continue with startLine ${nextLine}${column}`;
    const lines =
      endLine < startLine
        ? `no line from line ${startLine} on, because it has ${countOf(totalLines, 'line')}`
        : `lines ${startLine} to ${endLine} of ${totalLines}`;
    return `${path}, hash ${hash}, ${lines}${more}; ${sizeBytes} bytes, changed ${modifiedAt}\n\n${content}`;
  },
  async run({ path, startLine, startColumn, endLine, maxTokens: budget }, { memoryBank }) {
    if (endLine !== undefined && endLine < startLine) {
      throw new AppError('VALIDATION_ERROR', '`endLine` must not be before `startLine`.');
    }
    const { content, ...info } = await memoryBank.read(path);
    const lines = linesOf(content);
    const [first, ...others] = lines.slice(startLine - 1, endLine);
    const wanted = first === undefined ? [] : [first.slice(startColumn - 1), ...others];
    const { given, isCut } = linesWithin(wanted, budget);
    const nextLine = startLine + given.length - (isCut ? 1 : 0);
    const hasMore = isCut || given.length < wanted.length;
    return {
      ...info,
      totalLines: lines.length,
      startLine,
      endLine: startLine + given.length - 1,
      hasMore,
      ...(hasMore && { nextLine }),
      ...(isCut && { nextColumn: startColumn + (given[0]?.length ?? 0) }),
      content: given.join('\n'),
    };
  },
});
