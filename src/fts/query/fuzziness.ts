/** How many typing errors a fuzzy search allows. */

/** The number of edits by which a word may differ: one from four characters on, two from eight on. */
export function allowedEdits(word: string): number {
  const { length } = [...word];
  return length < 4 ? 0 : length < 8 ? 1 : 2;
}
