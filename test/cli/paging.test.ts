/** Lists that a tool gives in pages, as one answer. */
import { describe, expect, it } from 'vitest';
import { allPages, canBePaged, pagesOf } from '../../src/cli/tools/paging.js';
import { fieldsOf } from '../../src/cli/tools/tool-options.js';
import { tools } from '../../src/tools/index.js';

const fields = (name: string) => {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(name);
  return fieldsOf(tool);
};

/** A tool with so many items, which come at most `page` at a time. */
function counting(total: number, page: number) {
  const asked: unknown[] = [];
  const ask = async (input: Readonly<Record<string, unknown>>) => {
    asked.push(input);
    const { offset = 0, limit } = input as { offset?: number; limit: number };
    const items = Array.from({ length: total }, (_, n) => n);
    const results = items.slice(offset, offset + Math.min(limit, page));
    const next = offset + results.length;
    const hasMore = next < total;
    return { total, hasMore, ...(hasMore && { nextOffset: next }), results, skipped: ['x'] };
  };
  return { ask, asked };
}

describe('pages', () => {
  it.each([
    ['get_conversations', true],
    ['mb_list', true],
    ['search_insights', true],
    ['kg_stats', false],
    ['mb_read', false],
  ])('of %s: %s', (name, isPaged) => {
    expect(canBePaged(fields(name))).toBe(isPaged);
  });

  it('continue up to the limit, because one answer may be too short for all', async () => {
    const options = { limit: '100' };
    const pages = pagesOf(fields('get_conversations'), options);
    expect(pages).toEqual({ firstPage: {}, most: 100 });
    expect(options).toEqual({ limit: '100' });
    const answer = await allPages({ limit: 100, offset: 0 }, pages, counting(250, 40).ask);
    expect(answer['results']).toHaveLength(100);
    expect(answer).toMatchObject({ total: 250, hasMore: true, nextOffset: 100 });
  });

  it.each([{}, { limit: 'many' }])('are a single one for %j', (options) => {
    const one = { firstPage: {}, most: undefined };
    expect(pagesOf(fields('get_conversations'), options)).toEqual(one);
  });

  it('are as large as one call allows if more is wanted', () => {
    const options = { limit: '5000' };
    const pages = pagesOf(fields('get_conversations'), options);
    expect(pages).toEqual({ firstPage: { limit: 100 }, most: 5000 });
    expect(pagesOf(fields('get_conversations'), { all: true }).most).toBe(Number.POSITIVE_INFINITY);
  });

  it.each([
    [250, 100, 230, 230, true],
    [250, 100, Number.POSITIVE_INFINITY, 250, false],
    [250, 7, Number.POSITIVE_INFINITY, 250, false],
    [0, 100, 200, 0, false],
  ])('of %i items, %i in a call, %i wanted: %i are returned', async (total, page, most, count, hasMore) => {
    const { ask } = counting(total, page);
    const answer = await allPages({ limit: 100, offset: 0 }, { firstPage: {}, most }, ask);
    expect(answer['results']).toEqual(Array.from({ length: count }, (_, n) => n));
    expect(answer['hasMore']).toBe(hasMore);
    expect(answer['nextOffset']).toBe(hasMore ? count : undefined);
    expect(answer['skipped']).toEqual(['x']);
  });
});
