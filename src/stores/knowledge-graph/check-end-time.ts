/** Checks the time at which facts are to end. */
import { isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import type { KnowledgeGraph } from './knowledge-graph.js';
import type { TripleKey } from './model/triple.js';

/** Throws VALIDATION_ERROR if one of the facts that are valid now began after `end`. */
export async function requireBegun(
  kg: Pick<KnowledgeGraph, 'query'>,
  keys: readonly TripleKey[],
  end: number,
): Promise<void> {
  for (const { subject, predicate, object } of keys) {
    const { triples } = await kg.query({ subject, predicate, object }, { offset: 0, limit: 1 });
    const [fact] = triples;
    if (fact === undefined || fact.ts <= end) continue;
    throw new AppError(
      'VALIDATION_ERROR',
      `The fact ${subject} / ${predicate} / ${object} is stored as true since ${isoTime(fact.ts)}, so it cannot end at ${isoTime(end)}.`,
      {
        hint: 'Nothing was changed. If it was true earlier, delete it without `close`, and add it again in `triples`, with an earlier `ts`.',
        details: { field: 'validTo' },
      },
    );
  }
}
