/**
 * Facts of the knowledge graph as tools take and show them. No tool of its own.
 */
import { z } from 'zod';
import { isoTime } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import type { Triple, TripleKey } from '../stores/knowledge-graph/model/triple.js';
import { countWithin } from './answer-budget.js';
import { nextPage } from './offset-page.js';

// Lengths are the store's to judge: a part that is too long has an error code of its own.
const subject = z.string();
const predicate = z.string();
const object = z.string();
const MOST_TRIPLES = 1_000;

/** A list of triples, or the parts of one. */
export const keyFields = {
  triples: z
    .array(z.strictObject({ subject, predicate, object }))
    .max(MOST_TRIPLES)
    .describe('Triples, each of subject, predicate and object.')
    .exactOptional(),
  subject: subject.describe('Subject of a single triple, instead of triples.').exactOptional(),
  predicate: predicate.describe('Predicate of a single triple.').exactOptional(),
  object: object.describe('Object of a single triple.').exactOptional(),
};

/** The same with what only new facts have. */
export const newTripleFields = {
  ...keyFields,
  triples: z
    .array(
      z.strictObject({
        subject,
        predicate,
        object,
        ts: z.string().describe('Since when it is true, ISO 8601 (default: now).').exactOptional(),
        conversationId: z.string().describe('Conversation it comes from.').exactOptional(),
        messageId: z.string().describe('Message it comes from.').exactOptional(),
      }),
    )
    .max(MOST_TRIPLES)
    .describe('Facts, each of subject, predicate and object: 1 to 200 characters each.')
    .exactOptional(),
};

interface Given<T> {
  readonly triples?: readonly T[];
  readonly subject?: string;
  readonly predicate?: string;
  readonly object?: string;
}

/** What was named, one way or the other. VALIDATION_ERROR where it is both or neither. */
export function triplesOf<T extends TripleKey>(given: Given<T>): readonly (T | TripleKey)[] {
  const { triples, subject: s, predicate: p, object: o } = given;
  const isNone = s === undefined && p === undefined && o === undefined;
  if (triples !== undefined && triples.length > 0 && isNone) return triples;
  if (triples === undefined && s !== undefined && p !== undefined && o !== undefined) {
    return [{ subject: s, predicate: p, object: o }];
  }
  throw new AppError(
    'VALIDATION_ERROR',
    'Give either `triples`, or `subject`, `predicate` and `object` of one.',
    { details: { fields: ['triples', 'subject', 'predicate', 'object'] } },
  );
}

export const tripleSchema = z.object({
  subject: z.string(),
  predicate: z.string(),
  object: z.string(),
  ts: z.string().describe('The time since when it is true.'),
  validTo: z.string().describe('The time when it ends; absent if it has no end.').exactOptional(),
  conversationId: z.string().exactOptional(),
  messageId: z.string().exactOptional(),
});

export function toView({ ts, validTo, ...triple }: Triple) {
  return {
    ...triple,
    ts: isoTime(ts),
    ...(validTo !== undefined && { validTo: isoTime(validTo) }),
  };
}

const MOST_LISTED = 50;
/** Of each list: a call of a thousand long facts must not come back as an answer of their length. */
const LIST_TOKENS = 4_000;

/** The facts that a tool shows after a change. If there are too many, those with `isOdd` come first. */
export function listed<T>(views: readonly T[], isOdd: (view: T) => boolean = () => false): T[] {
  const fits = (some: readonly T[]) => Math.min(MOST_LISTED, countWithin(some, LIST_TOKENS));
  if (fits(views) >= views.length) return [...views];
  const sorted = [...views.filter(isOdd), ...views.filter((view) => !isOdd(view))];
  return sorted.slice(0, fits(sorted));
}

/** Fields of every tool that lists facts. */
export const pageFields = {
  limit: z.number().int().min(1).max(1_000).describe('Maximum number of facts.').default(50),
  offset: z.number().int().min(0).describe('Number of facts to skip.').default(0),
};

export const visibilityFields = {
  asOf: z.string().describe('Facts that were true at this time, ISO 8601.').exactOptional(),
  includeClosed: z.boolean().describe('Also facts that have ended.').default(false),
};

export const pageSchema = {
  total: z.number().int().describe('Number of matching facts on all pages.'),
  ...nextPage,
};
