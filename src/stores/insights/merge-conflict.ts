/**
 * Reads an insight with a git merge conflict. After an insight was edited on two branches, git's conflict
 * markers are in the file, so it is not JSON. Both sides are read and joined, so that no text is lost and the
 * insight stays readable. The next write stores the joined insight.
 * Format of the markers: git-merge(1), "How conflicts are presented" (styles merge, diff3, zdiff3).
 */
import type { StoredInsight } from './stored-insight.js';

const OURS = /^<{7}( |$)/;
const BASE = /^\|{7}( |$)/;
const MIDDLE = /^={7}$/;
const THEIRS_END = /^>{7}( |$)/;

/** The text between the two sides if their contents differ. */
const DIVIDER = '\n\n--- the other branch ---\n\n';

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

/**
 * Joins both sides. The newer side has priority; texts, tags and fields that only the older side has are
 * kept.
 */
export function joinSides(ours: StoredInsight, theirs: StoredInsight): StoredInsight {
  const [newer, older] =
    ours.insight.updated_at >= theirs.insight.updated_at ? [ours, theirs] : [theirs, ours];
  const [a, b] = [newer.insight, older.insight];
  const tags = [...new Set([...(a.tags ?? []), ...(b.tags ?? [])])];
  return {
    insight: {
      ...a,
      content: a.content === b.content ? a.content : `${a.content}${DIVIDER}${b.content}`,
      ...(tags.length > 0 && { tags }),
      ...((a.metadata ?? b.metadata) && { metadata: { ...b.metadata, ...a.metadata } }),
      created_at: Math.min(a.created_at, b.created_at),
    },
    extra: { ...older.extra, ...newer.extra },
  };
}
