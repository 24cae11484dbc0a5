/**
 * Finds the conflict markers that git writes into a file when two branches changed the same lines.
 * Format of the markers: git-merge(1), "How conflicts are presented" (styles merge, diff3, zdiff3).
 */

const OURS = /^<{7}( |$)/;
const BASE = /^\|{7}( |$)/;
const MIDDLE = /^={7}$/;
const THEIRS_END = /^>{7}( |$)/;

export const isConflictMarker = (line: string): boolean =>
  [OURS, BASE, MIDDLE, THEIRS_END].some((marker) => marker.test(line));

/** The note of a tool's answer if a note has such markers: what the user should do. */
export const CONFLICT_NOTE =
  'The note has conflict markers of git. Decide which lines to keep, then remove the lines that begin with <<<<<<<, ======= and >>>>>>>.';

/** Returns the whole file of each side; `undefined` if the text has no complete conflict. */
export function conflictSides(text: string): { ours: string; theirs: string } | undefined {
  const ours: string[] = [];
  const theirs: string[] = [];
  let state: 'both' | 'ours' | 'base' | 'theirs' = 'both';
  let conflicts = 0;
  for (const line of text.split(/\r?\n/)) {
    if (state === 'both' && OURS.test(line)) state = 'ours';
    else if (state === 'ours' && BASE.test(line)) state = 'base';
    else if ((state === 'ours' || state === 'base') && MIDDLE.test(line)) state = 'theirs';
    else if (state === 'theirs' && THEIRS_END.test(line)) {
      state = 'both';
      conflicts += 1;
    } else {
      if (state === 'both' || state === 'ours') ours.push(line);
      if (state === 'both' || state === 'theirs') theirs.push(line);
    }
  }
  if (conflicts === 0 || state !== 'both') return undefined;
  return { ours: ours.join('\n'), theirs: theirs.join('\n') };
}

/** True if the text has at least one complete conflict. */
export const hasMergeConflict = (text: string): boolean => conflictSides(text) !== undefined;
