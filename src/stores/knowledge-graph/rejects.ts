/**
 * Lines of the graph's files that are not believed, kept for a person to look at: one JSON line each,
 * every damaged line once. Git ignores the file; it may be deleted at any time.
 */
import { addLines } from '../../files/growing-file.js';
import { readWhole } from '../../files/json-doc.js';
import type { Damage } from './graph-reader.js';

/** A file full of rubbish must not be copied for ever. */
const MAX_BYTES = 8 * 1024 * 1024;

/** FILESYSTEM_ERROR. */
export async function recordRejects(path: string, damage: readonly Damage[]): Promise<void> {
  const found = await readWhole(path);
  const known = new Set(found?.bytes.toString().split('\n').map(textOf));
  let room = MAX_BYTES - (found?.bytes.byteLength ?? 0);
  const lines: string[] = [];
  for (const { path: file, line, text } of damage) {
    const entry = `${JSON.stringify({ file, line, text })}\n`;
    room -= entry.length;
    if (known.has(text) || room < 0) continue;
    known.add(text);
    lines.push(entry);
  }
  if (lines.length > 0) addLines(path, lines);
}

function textOf(line: string): string {
  try {
    return String(Object(JSON.parse(line)).text);
  } catch {
    return line; // cut by a crash, or edited
  }
}
