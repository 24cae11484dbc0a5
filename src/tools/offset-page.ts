/** The fields of an answer that is one page of a longer list, with `offset`. */

/** `count` items were returned from `offset` on, of `total`. */
export function pageOf(total: number, offset: number, count: number) {
  const next = offset + count;
  const hasMore = next < total && count > 0;
  return { total, hasMore, ...(hasMore && { nextOffset: next }) };
}
