/** Checks a search request at run time, because a JavaScript program can pass values of other types. */
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { MATCH_TYPES } from '../fts/query/match-types.js';

const requestSchema = z.looseObject({
  query: z.string(),
  matchType: z.enum(MATCH_TYPES),
  limit: z.int().min(1),
  offset: z.int().min(0),
  signal: z.instanceof(AbortSignal).optional(),
  filters: z.looseObject({}).optional(),
  context: z.string().optional(),
  tags: z.array(z.string()).optional(),
  includeExpired: z.boolean().optional(),
});

/** Throws VALIDATION_ERROR with the first wrong field and its problem. */
export function requireSearch(request: object): void {
  const [issue] = requestSchema.safeParse(request).error?.issues ?? [];
  if (issue === undefined) return;
  const field = issue.path.map(String).join('.');
  throw new AppError('VALIDATION_ERROR', `${field}: ${issue.message}.`, { details: { field } });
}
