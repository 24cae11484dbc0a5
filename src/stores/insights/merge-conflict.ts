/**
 * Joins the two sides of an insight with a git merge conflict. After an insight was edited on two branches,
 * git's conflict markers are in the file, so it is not JSON. insight-file.ts reads both sides; joined, no text is
 * lost and the insight stays readable. The next write stores the joined insight.
 */
import { distinctTags } from '../tags.js';
import type { StoredInsight } from './schema.js';

/** The text between the two sides if their contents differ. */
const DIVIDER = '\n\n--- the other branch ---\n\n';

/** The newer side has priority; texts, tags and fields that only the older side has are kept. */
export function joinSides(ours: StoredInsight, theirs: StoredInsight): StoredInsight {
  const [newer, older] =
    ours.insight.updated_at >= theirs.insight.updated_at ? [ours, theirs] : [theirs, ours];
  const [a, b] = [newer.insight, older.insight];
  const tags = distinctTags([...(a.tags ?? []), ...(b.tags ?? [])]);
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
