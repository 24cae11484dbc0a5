/** Checks a search request at run time, because a JavaScript program can pass values of other types. */
import { z } from 'zod';
import { AppError } from '../base/errors.js';
import { MATCH_TYPES } from '../fts/query/match-type-names.js';
import { CONVERSATION_ID } from '../stores/conversations/document/conversation-id.js';
import { ROLES } from '../stores/conversations/document/schema.js';

const requestSchema = z.looseObject({
  query: z.string(),
  matchType: z.enum(MATCH_TYPES),
  limit: z.int().min(1),
  offset: z.int().min(0),
  signal: z.instanceof(AbortSignal).optional(),
  filters: z
    .looseObject({
      conversationId: z
        .string()
        .regex(CONVERSATION_ID, 'must be the id of a conversation')
        .optional(),
      module: z.string().optional(),
      tag: z.string().optional(),
      role: z.enum(ROLES).optional(),
      startTime: z.number().optional(),
      endTime: z.number().optional(),
    })
    .optional(),
  context: z.string().optional(),
  tags: z.array(z.string()).optional(),
  includeExpired: z.boolean().optional(),
});

/** Throws VALIDATION_ERROR if `given` has a name that is not in `known`, such as `rot` for `root`. */
export function requireKnownNames(given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new AppError('VALIDATION_ERROR', `There is no option ${JSON.stringify(unknown)}.`, {
    hint: `The options are ${known.join(', ')}.`,
    details: { field: unknown },
  });
}

/** Throws VALIDATION_ERROR if a JavaScript program passes something else, such as `{ signal }`. */
export function requireSignal(signal: unknown): void {
  if (signal === undefined || signal instanceof AbortSignal) return;
  throw new AppError('VALIDATION_ERROR', 'The signal must be an AbortSignal.', {
    details: { field: 'signal' },
  });
}

/** Throws VALIDATION_ERROR with the first wrong field and its problem. */
export function requireSearch(request: object): void {
  const [issue] = requestSchema.safeParse(request).error?.issues ?? [];
  if (issue === undefined) return;
  const field = issue.path.map(String).join('.');
  throw new AppError('VALIDATION_ERROR', `${field}: ${issue.message}.`, { details: { field } });
}
