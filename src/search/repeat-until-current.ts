/** Repeats a search while one of its hits has changed on disk since it was indexed. */

/** The first search and its repetitions. */
const MAX_TRIES = 3;

/** Returns the last answer after `MAX_TRIES` searches, even if it is not current. */
export async function repeatUntilCurrent<T extends { readonly isCurrent: boolean }>(
  search: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    const answer = await search();
    if (answer.isCurrent || tries >= MAX_TRIES) return answer;
  }
}
