/** Finds the names that a mistyped name may mean. */

/** Similar names have this many equal letters at the start. */
const SIMILAR_START = 4;

export const similarNames = (typed: string, names: readonly string[]): string[] =>
  names.filter((name) => sharedStart(name, typed) >= SIMILAR_START);

function sharedStart(name: string, other: string): number {
  const [a, b] = [name.toLowerCase(), other.toLowerCase()];
  const end = [...a].findIndex((letter, index) => letter !== b[index]);
  return end === -1 ? a.length : end;
}

const MAX_TYPING_ERRORS = 2;

/** Returns the name that was probably meant; `undefined` if none is similar enough. */
export const mistypedName = (typed: string, names: readonly string[]): string | undefined =>
  names
    .map((name) => ({ name, errors: typingErrors(typed, name) }))
    .filter(({ errors }) => errors <= MAX_TYPING_ERRORS)
    .sort((a, b) => a.errors - b.errors)[0]?.name;

/** The number of letters to add, remove or replace (Levenshtein distance). */
function typingErrors(typed: string, name: string): number {
  let row = Array.from({ length: name.length + 1 }, (_, at) => at);
  for (const [index, letter] of [...typed].entries()) {
    const next = [index + 1];
    for (let at = 0; at < name.length; at += 1) {
      const replaced = (row[at] ?? 0) + (letter === name[at] ? 0 : 1);
      next.push(Math.min(replaced, (row[at + 1] ?? 0) + 1, (next[at] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
