/** The output fields of a tool that returns a list in pages, with `offset`. */
import { z } from 'zod';
import { optionalInt } from '../define-tool.js';

/** The tool adds `total` itself, with its own description. */
export const nextPage = {
  hasMore: z.boolean(),
  nextOffset: optionalInt('The offset of the next page.'),
};

/** For a page of `count` items that starts at `offset`, in a list of `total` items. */
export function pagination(total: number, offset: number, count: number) {
  const next = offset + count;
  const hasMore = next < total && count > 0;
  return { total, hasMore, ...(hasMore && { nextOffset: next }) };
}
