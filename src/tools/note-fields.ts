/** Inputs and outputs that several tools of the memory bank share. No tool of its own. */
import { z } from 'zod';
import { estimateTextTokens } from '../base/tokens.js';
import type { NoteInfo, SkippedFile } from '../stores/memory-bank/memory-bank.js';

export const notePath = (what = 'The note') =>
  z.string().describe(`${what}: a path such as ideas/garden.md.`);

export const expectedHash = z
  .string()
  .describe(
    'Hash of the note when you read it; if the note was changed since, the error is CONFLICT.',
  )
  .exactOptional();

export const noteFolder = z
  .string()
  .transform((folder) => folder.replace(/^\.?\/+|\/+$/g, ''))
  .describe('Only notes in or below this folder.')
  .exactOptional();

export const noteSchema = z.object({
  path: z.string(),
  sizeBytes: z.number().int(),
  modifiedAt: z.string(),
  hash: z.string(),
});

export const skippedSchema = z
  .array(z.object({ path: z.string(), code: z.string(), message: z.string() }))
  .describe('Markdown files that are not notes, and why (at most 20).');

const MOST_SKIPPED = 20;

export function toListedNote({ path, sizeBytes, modifiedAt, hash }: NoteInfo) {
  return { path, sizeBytes, modifiedAt, hash };
}

export function toSkipped(skipped: readonly SkippedFile[]) {
  return skipped
    .slice(0, MOST_SKIPPED)
    .map(({ path, error: { code, message } }) => ({ path, code, message }));
}

/**
 * The lines, from the first on, that fit into the budget. A first line that is longer than it comes
 * alone and cut: `isCut`.
 */
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
  // Not in the middle of a character of two units.
  return line.slice(0, line.slice(0, fits).isWellFormed() ? fits : fits - 1);
}
