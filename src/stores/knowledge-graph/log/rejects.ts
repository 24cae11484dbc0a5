/**
 * Records the damaged lines of the graph's files for the user, as JSON Lines, each damaged line once. Git
 * ignores the file. It may be deleted at any time.
 */

import { parsedJson } from '../../../base/json.js';
import { objectIn, textIn } from '../../../base/json-fields.js';
import { appendLinesUnlocked } from '../../../files/atomic/append-file.js';
import { readWhole } from '../../../files/read/whole-file.js';
import type { Damage } from './replay.js';

/** The maximum size, for a file that is damaged again and again. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Appends the lines that are not in the file yet. FILESYSTEM_ERROR. */
export async function recordRejects(path: string, damage: readonly Damage[]): Promise<void> {
  const found = await readWhole(path);
  const known = new Set(found?.bytes.toString().split('\n').map(textOf));
  let room = MAX_BYTES - (found?.bytes.byteLength ?? 0);
  const lines: string[] = [];
  for (const { path: file, line, text } of damage) {
    const entry = `${JSON.stringify({ file, line, text })}\n`;
    if (known.has(text) || entry.length > room) continue;
    room -= entry.length;
    known.add(text);
    lines.push(entry);
  }
  if (lines.length > 0) appendLinesUnlocked(path, lines);
}

/** A line that is not an entry is incomplete after a crash, or was edited. */
function textOf(line: string): string {
  return textIn(objectIn(parsedJson(line))['text']) ?? line;
}
