/** Input and output fields that several tools of the memory bank share. */
import { z } from 'zod';
import { estimateTextTokens } from '../../base/text/estimate-tokens.js';
import type { NoteInfo, SkippedFile } from '../../stores/memory-bank/memory-bank.js';
import { optionalText } from '../define-tool.js';

export const notePath = (description = 'Path of the note, such as ideas/garden.md.') =>
  z.string().describe(description);

export const expectedHash = optionalText(
  'Hash of the note when you read it; CONFLICT if the note was changed since.',
);

export const noteFolder = z
  .string()
  .transform((folder) => folder.replace(/^\.?(?:\/+|$)|(?<!\/)\/+$/g, ''))
  .describe('Only notes in or below this folder.')
  .exactOptional();

export const noteSchema = z.object({
  path: z.string(),
  sizeBytes: z.int(),
  modifiedAt: z.string(),
  hash: z.string(),
});

export const skippedSchema = z
  .array(z.object({ path: z.string(), code: z.string(), message: z.string() }))
  .describe(
    'Markdown files that are not notes, folders that cannot be opened, and why (at most 20).',
  );

const MAX_SKIPPED = 20;

export function toListedNote({ path, sizeBytes, modifiedAt, hash }: NoteInfo) {
  return { path, sizeBytes, modifiedAt, hash };
}

export function toSkipped(skipped: readonly SkippedFile[]) {
  return skipped
    .slice(0, MAX_SKIPPED)
    .map(({ path, error: { code, message } }) => ({ path, code, message }));
}

/** The first lines within `maxTokens`. A too long first line is cut and comes alone, with `isCut`. */
export function linesWithin(lines: readonly string[], maxTokens: number) {
  let room = maxTokens;
  const over = lines.findIndex((line) => {
    room -= estimateTextTokens(line) + 1;
    return room < 0;
  });
  if (over !== 0) return { given: over < 0 ? lines : lines.slice(0, over), isCut: false };
  return { given: [beginningOf(lines[0] ?? '', maxTokens)], isCut: true };
}

function beginningOf(line: string, maxTokens: number): string {
  let [fits, over] = [0, line.length + 1];
  while (over - fits > 1) {
    const middle = Math.floor((fits + over) / 2);
    if (estimateTextTokens(line.slice(0, middle)) < maxTokens) fits = middle;
    else over = middle;
  }
  // The cut is never inside a surrogate pair.
  return line.slice(0, line.slice(0, fits).isWellFormed() ? fits : fits - 1);
}
