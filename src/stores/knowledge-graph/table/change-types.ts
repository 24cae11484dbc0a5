/** The requests that change the graph, their results, and the limits that they must keep. changes.ts applies them. */
import type { NewTriple, Operation, Triple, TripleKey } from '../model/triple.js';
import type { Key } from './triple-table.js';

export interface AddRequest {
  readonly kind: 'add';
  readonly triples: readonly NewTriple[];
  /** Closes the valid facts of the same subjects and predicates. */
  readonly replaces: boolean;
  /** The triples that must fit: `triples`, and those of later requests. */
  readonly mustFit: readonly NewTriple[];
  /** The triples are of an import: a fact that was ended here since does not come back. */
  readonly isImport?: boolean;
  /** A fact that was deleted here since does not come back either. */
  readonly leavesDeleted?: boolean;
}

/** `lastTs`: the newest fact that the caller saw. If there is a newer one, nothing is removed. */
export type RemovedKey = TripleKey & { readonly lastTs?: number };

export interface RemoveRequest {
  readonly kind: 'delete' | 'close';
  readonly keys: readonly RemovedKey[];
  /** When the facts of `close` ended; the default is now. */
  readonly validTo?: number | undefined;
}

/** Requests that wait while the store cannot be written. */
export type DeferrableRequest = AddRequest | RemoveRequest;

/** Deletes the triples that have expired. */
export interface ExpireRequest {
  readonly kind: 'expire';
}

export type ChangeRequest = DeferrableRequest | ExpireRequest;

export interface Change {
  /** Each triple as it is stored now (added) or was (deleted, ended), in the order of the request. */
  readonly triples: readonly (Triple & { readonly isChanged: boolean })[];
  /** The facts that `replaces` ended. */
  readonly closed: readonly Triple[];
}

export interface Limits {
  readonly maxTriples: number;
  readonly evict: 'off' | 'oldest';
  /** Infinity if facts do not expire. */
  readonly ttlDays: number;
}

/** An operation that is in the table and must still be written to the log. */
export interface PendingOperation {
  readonly key: Key;
  readonly names: TripleKey;
  readonly operation: Operation;
  readonly line: string;
}
