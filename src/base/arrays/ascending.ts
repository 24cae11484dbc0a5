/** Arrays of ascending numbers. */

/** Those of `numbers` that are also in `others`, in time linear in both. */
export function sharedWith(numbers: readonly number[], others: readonly number[]): number[] {
  let at = 0;
  return numbers.filter((number) => {
    while ((others[at] ?? Number.POSITIVE_INFINITY) < number) at++;
    return others[at] === number;
  });
}
