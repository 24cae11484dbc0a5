/** Which settings a mistyped name may mean. */

/** Similar names have this many equal letters at the start. */
const SIMILAR_START = 4;

export const similarNames = (typed: string, names: readonly string[]): string[] =>
  names.filter((name) => sharedStart(name, typed) >= SIMILAR_START);

function sharedStart(name: string, other: string): number {
  const [a, b] = [name.toLowerCase(), other.toLowerCase()];
  const end = [...a].findIndex((letter, index) => letter !== b[index]);
  return end === -1 ? a.length : end;
}
