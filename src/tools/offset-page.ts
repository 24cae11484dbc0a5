/** The fields of an answer that is one page of a longer list, with `offset`. */
import { z } from 'zod';

/** In the schema of the answer. The tool describes `total` itself. */
export const nextPage = {
  hasMore: z.boolean(),
  nextOffset: z.number().int().describe('The offset of the next page.').exactOptional(),
};

/** `count` items were returned from `offset` on, of `total`. */
export function pageOf(total: number, offset: number, count: number) {
  const next = offset + count;
  const hasMore = next < total && count > 0;
  return { total, hasMore, ...(hasMore && { nextOffset: next }) };
}
