/**
 * Computes the facts of a triple from its operations, sorted by time and operation id. The order in which the
 * operations are read has no effect. So the result is the same if a log is replayed twice, if a line is read
 * late, and for the lines of two git branches in any order.
 */
import type { Operation } from './triple.js';
import { closedBy } from './valid-time.js';

const KINDS = ['add', 'close', 'delete'];

/** Returns a number below 0 if `a` comes first; 0 only for two records of the same operation. */
export function compareOperations(a: Operation, b: Operation): number {
  return (
    a.at - b.at ||
    a.hi - b.hi ||
    a.lo - b.lo ||
    KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) ||
    a.ts - b.ts ||
    (a.validTo === b.validTo ? compareOrigins(a, b) : a.validTo - b.validTo)
  );
}

/** Has an effect only if a person wrote one operation twice with different origins. */
function compareOrigins(a: Operation, b: Operation): number {
  const [left, right] = [a, b].map(({ origin = {} }) =>
    JSON.stringify([origin.conversationId ?? '', origin.messageId ?? '']),
  );
  if (left === right) return 0;
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/**
 * Returns the operations with one more, sorted; `undefined` if they contain it already or it is older than
 * the last deletion. Operations before the last deletion have no effect any more and are removed.
 */
export function withOperation(
  operations: readonly Operation[],
  operation: Operation,
): readonly Operation[] | undefined {
  const next: Operation[] = [];
  let isPlaced = false;
  for (const other of operations) {
    const order = isPlaced ? 1 : compareOperations(operation, other);
    if (order === 0) return undefined;
    if (order < 0) {
      if (other.kind === 'delete' && next.length === 0) return undefined; // older than the deletion
      next.push({ ...operation });
      isPlaced = true;
    }
    next.push(other);
  }
  if (!isPlaced) next.push({ ...operation });
  return next.slice(
    Math.max(
      0,
      next.findLastIndex(({ kind }) => kind === 'delete'),
    ),
  );
}

/** Returns the facts that result from the sorted operations on one triple, in order. At most one is open. */
export function fold(operations: readonly Operation[]): readonly Operation[] {
  let facts: Operation[] = [];
  for (const operation of operations) {
    if (operation.kind === 'delete') facts = [];
    else if (operation.kind === 'close') facts = facts.map((fact) => closedBy(fact, operation));
    else if (!hasFact(facts, operation)) facts.push(operation);
  }
  return facts;
}

/** Whether the facts have this one already: an open fact, or one with the same beginning and end. */
function hasFact(facts: readonly Operation[], added: Operation): boolean {
  if (added.validTo === Number.POSITIVE_INFINITY) {
    return facts.some(({ validTo }) => validTo === Number.POSITIVE_INFINITY);
  }
  return facts.some(({ ts, validTo }) => ts === added.ts && validTo === added.validTo);
}
