/**
 * Lists that a tool gives in pages, as one answer: with `--all`, and with a `--limit` above what one
 * call of the tool gives.
 */
import { AppError } from '../../base/errors.js';
import type { Field } from './tool-options.js';

type Answer = Readonly<Record<string, unknown>>;

export interface Pages {
  /** The input of a page, where it differs from what was typed. */
  readonly firstPage: Readonly<Record<string, unknown>>;
  /** Most items; `undefined` where one call gives all that is wanted. */
  readonly most: number | undefined;
}

const limitOf = (fields: readonly Field[]) =>
  fields.find(({ name }) => name === 'limit')?.schema.maximum;

/** Whether the tool takes a limit and says where the next page begins. */
export const canBePaged = (fields: readonly Field[]): boolean =>
  limitOf(fields) !== undefined &&
  fields.some(({ name }) => name === 'offset' || name === 'cursor');

/** Takes `limit` out of the options where it is more than a page. VALIDATION_ERROR. */
export function pagesOf(fields: readonly Field[], options: Record<string, unknown>): Pages {
  const page = limitOf(fields);
  const { all, limit } = options;
  const wanted = all === true ? Number.POSITIVE_INFINITY : Number(limit);
  if (page === undefined || !canBePaged(fields) || !(wanted > page)) {
    return { firstPage: {}, most: undefined };
  }
  if (wanted !== Number.POSITIVE_INFINITY && !Number.isSafeInteger(wanted)) {
    throw new AppError('VALIDATION_ERROR', '--limit must be a whole number.');
  }
  options['limit'] = undefined;
  return { firstPage: { limit: page }, most: wanted };
}

/** The answers of all pages as one. */
export async function allPages(
  input: Readonly<Record<string, unknown>>,
  { most }: Pages,
  ask: (input: Readonly<Record<string, unknown>>) => Promise<Answer>,
): Promise<Answer> {
  const first = await ask(input);
  if (most === undefined) return first;
  const name = Object.keys(first).find((key) => isList(first[key]));
  if (name === undefined) return first;
  const items = [...(first[name] as readonly unknown[])];
  let last = first;
  while (last['hasMore'] === true && items.length < most) {
    const { nextCursor, nextOffset } = last;
    const limit = Math.min(Number(input['limit']), most - items.length);
    const next = nextCursor === undefined ? { offset: nextOffset } : { cursor: nextCursor };
    last = await ask({ ...input, ...next, limit });
    const more = last[name] as readonly unknown[];
    if (more.length === 0) break; // an answer without room for one item
    items.push(...more);
  }
  const { hasMore, nextCursor, nextOffset } = last;
  const rest = { hasMore, nextCursor, nextOffset };
  const end = Object.entries(rest).filter(([, value]) => value !== undefined);
  const { nextCursor: _cursor, nextOffset: _offset, ...facts } = first;
  return { ...facts, ...Object.fromEntries(end), [name]: items };
}

/** The list of a page; other lists of an answer, such as what was skipped, come with every page. */
const isList = (value: unknown) => Array.isArray(value);
