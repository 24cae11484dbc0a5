/** The number of typing errors (edits) that a fuzzy search allows in a word: one from four characters on, two from eight on. */
export function allowedEdits(word: string): number {
  const { length } = [...word];
  return length < 4 ? 0 : length < 8 ? 1 : 2;
}
