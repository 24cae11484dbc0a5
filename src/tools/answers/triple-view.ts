/** Input and output fields of facts of the knowledge graph. */
import { z } from 'zod';
import { AppError } from '../../base/errors.js';
import type { TripleKey } from '../../stores/knowledge-graph/model/triple.js';
import { flag, optionalText } from '../define-tool.js';
import { countWithin } from './answer-budget.js';
import { nextPage } from './offset-page.js';

/**
 * A name in a new fact: without outer spaces, and composed (Unicode NFC), so that two names that look the
 * same are one name. Imports and lines written by hand stay as they are.
 */
const newName = z.string().transform((text) => text.trim().normalize('NFC'));

// These have no maximum length, because the store reports a part that is too long with its own code.
const subject = z.string();
const predicate = z.string();
const object = z.string();
const MAX_TRIPLES = 1_000;

/** A list of triples, or the parts of a single triple. */
export const keyFields = {
  triples: z
    .array(z.strictObject({ subject, predicate, object }))
    .max(MAX_TRIPLES)
    .describe('Facts, each of subject, predicate and object.')
    .exactOptional(),
  subject: subject.describe('Subject of a single fact, instead of triples.').exactOptional(),
  predicate: predicate.describe('Predicate of a single fact.').exactOptional(),
  object: object.describe('Object of a single fact.').exactOptional(),
};

/** `keyFields`, with the time and the source of new facts. */
export const newTripleFields = {
  subject: newName.describe('Subject of a single fact, instead of triples.').exactOptional(),
  predicate: newName.describe('Predicate of a single fact.').exactOptional(),
  object: newName.describe('Object of a single fact.').exactOptional(),
  triples: z
    .array(
      z.strictObject({
        subject: newName,
        predicate: newName,
        object: newName,
        ts: optionalText('When the fact began, ISO 8601 (default: now).'),
        conversationId: optionalText('Conversation it comes from.'),
        messageId: optionalText('Message it comes from.'),
      }),
    )
    .max(MAX_TRIPLES)
    .describe(
      'Facts, each of subject, predicate and object (1 to 200 characters each); ts is optional: when the fact began.',
    )
    .exactOptional(),
};

interface Given<T> extends Partial<TripleKey> {
  readonly triples?: readonly T[];
}

/** The given triples. Throws VALIDATION_ERROR if both forms, or neither, were given. */
export function triplesOf<T extends TripleKey>(given: Given<T>): readonly (T | TripleKey)[] {
  const { triples, subject: s, predicate: p, object: o } = given;
  const isNone = s === undefined && p === undefined && o === undefined;
  if (triples !== undefined && triples.length > 0 && isNone) return triples;
  if (triples === undefined && s !== undefined && p !== undefined && o !== undefined) {
    return [{ subject: s, predicate: p, object: o }];
  }
  throw new AppError(
    'VALIDATION_ERROR',
    'Give either `triples`, or `subject`, `predicate` and `object` of a single fact.',
    { details: { fields: ['triples', 'subject', 'predicate', 'object'] } },
  );
}

export const tripleSchema = z.object({
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  ts: z.string().describe('The time when the fact began.'),
  validTo: optionalText('The time when it ends; absent if it has no end.'),
  conversationId: z.string().exactOptional(),
  messageId: z.string().exactOptional(),
});

const MAX_LISTED = 50;
/** For each list, because a call can change 1000 long facts. */
const MAX_LIST_TOKENS = 4_000;

/** The facts that a tool shows after a change. If there are too many, those with `isFirst` come first. */
export function listed<T>(views: readonly T[], isFirst: (view: T) => boolean = () => false): T[] {
  const fits = (some: readonly T[]) => Math.min(MAX_LISTED, countWithin(some, MAX_LIST_TOKENS));
  if (fits(views) >= views.length) return [...views];
  const sorted = [...views.filter(isFirst), ...views.filter((view) => !isFirst(view))];
  return sorted.slice(0, fits(sorted));
}

/** Fields of every tool that lists facts. */
export const pageFields = {
  limit: z.int().min(1).max(1_000).describe('Maximum number of results.').default(50),
  offset: z.int().min(0).describe('Number of results to skip.').default(0),
};

export const visibilityFields = {
  asOf: optionalText('Facts that were true at this time, ISO 8601.'),
  includeClosed: flag('Also facts that have ended.'),
};

export const pageSchema = {
  total: z.int().describe('Number of matching facts on all pages.'),
  ...nextPage,
};
