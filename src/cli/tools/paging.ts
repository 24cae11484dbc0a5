/** Joins the pages of a tool into one answer, for `--all` and for a `--limit` that one call does not reach. */

import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { Answer } from '../views/view.js';
import type { Field } from './tool-options.js';

export interface Pages {
  /** The input of the first page that replaces the given input. */
  readonly firstPage: Readonly<Record<string, unknown>>;
  /** Maximum number of items; `undefined` without `--limit` and `--all`: one call is enough. */
  readonly most: number | undefined;
}

const limitOf = (fields: readonly Field[]) =>
  fields.find(({ name }) => name === 'limit')?.schema.maximum;

/** True if the tool has `limit`, and `offset` or `cursor`. */
export const canBePaged = (fields: readonly Field[]): boolean =>
  limitOf(fields) !== undefined &&
  fields.some(({ name }) => name === 'offset' || name === 'cursor');

/** Removes `limit` from `options` if it is greater than a page. Throws VALIDATION_ERROR. */
export function pagesOf(fields: readonly Field[], options: Record<string, unknown>): Pages {
  const page = limitOf(fields);
  const { all, limit } = options;
  const wanted = all === true ? Number.POSITIVE_INFINITY : Number(limit);
  if (page === undefined || !canBePaged(fields) || Number.isNaN(wanted)) {
    return { firstPage: {}, most: undefined };
  }
  // An answer has a maximum length, so also fewer items than a page may need several calls.
  if (wanted <= page) return { firstPage: {}, most: wanted };
  if (wanted !== Number.POSITIVE_INFINITY && !Number.isSafeInteger(wanted)) {
    throw new AppError('VALIDATION_ERROR', '--limit must be a whole number.');
  }
  options['limit'] = undefined;
  return { firstPage: { limit: page }, most: wanted };
}

/** The first answer with the items of all pages. */
export async function allPages(
  input: Readonly<Record<string, unknown>>,
  { most }: Pages,
  callTool: (input: Readonly<Record<string, unknown>>) => Promise<Answer>,
): Promise<Answer> {
  const first = await callTool(input);
  if (most === undefined) return first;
  // The first list of an answer has the items; other lists, such as skipped files, are in each page.
  const name = Object.keys(first).find((key) => Array.isArray(first[key]));
  if (name === undefined) return first;
  const items = [...(first[name] as readonly unknown[])];
  let last = first;
  while (last['hasMore'] === true && items.length < most) {
    const { nextCursor, nextOffset } = last;
    const limit = Math.min(Number(input['limit']), most - items.length);
    const next = nextCursor === undefined ? { offset: nextOffset } : { cursor: nextCursor };
    last = await callTool({ ...input, ...next, limit });
    const more = last[name] as readonly unknown[];
    if (more.length === 0) break; // one item is longer than an answer
    items.push(...more);
  }
  const { hasMore, nextCursor, nextOffset } = last;
  const rest = { hasMore, nextCursor, nextOffset };
  const end = Object.entries(rest).filter(([, value]) => value !== undefined);
  const { nextCursor: _cursor, nextOffset: _offset, ...facts } = first;
  return { ...facts, ...Object.fromEntries(end), [name]: items };
}

/** A sentence if all results come before `offset`, or if a note has no line `startLine`. */
export function noneLeft(
  { offset, startLine }: Readonly<Record<string, unknown>>,
  { total, totalLines }: Answer,
): string | undefined {
  if (typeof startLine === 'number' && typeof totalLines === 'number') {
    if (startLine === 1 || startLine <= totalLines) return undefined;
    return `The note has ${countOf(totalLines, 'line')}, so there is no line ${startLine}.`;
  }
  if (typeof offset !== 'number' || typeof total !== 'number') return undefined;
  if (total === 0 || offset < total) return undefined;
  return `No result comes after --offset ${offset}. In all: ${countOf(total, 'result')}.`;
}
