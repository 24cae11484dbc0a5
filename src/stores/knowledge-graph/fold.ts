/**
 * The one rule of the graph: what holds of a triple is decided by its operations sorted by time, then
 * operation id, in whatever order they were read. So a log that is replayed twice, a late line, and
 * the lines of two git branches in any order all give the same.
 */
import type { Operation } from './triple.js';

const KINDS = ['add', 'close', 'delete'];

/** Below 0 where `a` comes first; 0 only for two records of the same operation. */
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

/** Only for one operation that was recorded twice, differently: by hand. */
function compareOrigins(a: Operation, b: Operation): number {
  const [left, right] = [a, b].map(({ origin = {} }) =>
    JSON.stringify([origin.conversationId ?? '', origin.messageId ?? '']),
  );
  if (left === right) return 0;
  return (left ?? '') < (right ?? '') ? -1 : 1;
}

/**
 * The operations with one more, sorted; `undefined` where it is among them. What lies before the last
 * deletion can never count again and is dropped.
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

/** The facts that result from sorted operations on one triple, in their order; at most one is open. */
export function fold(operations: readonly Operation[]): readonly Operation[] {
  let versions: Operation[] = [];
  for (const operation of operations) {
    if (operation.kind === 'delete') versions = [];
    else if (operation.kind === 'close') versions = versions.map((one) => closedBy(one, operation));
    else if (!isKnown(versions, operation)) versions.push(operation);
  }
  return versions;
}

/** Whether a fact counts as holding at `time`, and can be closed: it has no end, or one to come. */
export function isHeld(ts: number, validTo: number, time: number): boolean {
  return validTo === Number.POSITIVE_INFINITY || (ts <= time && time < validTo);
}

function closedBy(version: Operation, { at, validTo }: Operation): Operation {
  if (!isHeld(version.ts, version.validTo, at)) return version;
  return { ...version, validTo: Math.max(version.ts, validTo) };
}

function isKnown(versions: readonly Operation[], added: Operation): boolean {
  if (added.validTo === Number.POSITIVE_INFINITY) {
    return versions.some(({ validTo }) => validTo === Number.POSITIVE_INFINITY);
  }
  return versions.some(({ ts, validTo }) => ts === added.ts && validTo === added.validTo);
}
