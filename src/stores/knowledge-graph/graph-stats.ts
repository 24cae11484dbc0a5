/** Counts the facts of the graph and reports the state of its files. */
import { readStampNow } from '../../files/read/stamp.js';
import type { GraphState } from './graph-state.js';
import { hasExpired } from './model/triple.js';
import { isCurrent } from './model/valid-time.js';
import type { QueryTime } from './table/graph-query.js';

export interface GraphStats {
  /** The number of facts that have not ended. */
  readonly open: number;
  /** The number of facts that have ended. */
  readonly closed: number;
  /** The number of deletions in the files. */
  readonly deletions: number;
  readonly limit: number;
  readonly subjects: number;
  readonly predicates: readonly { readonly predicate: string; readonly facts: number }[];
  readonly objects: number;
  readonly generation: number;
  readonly snapshotPath: string;
  readonly snapshotBytes: number;
  readonly walPath: string;
  readonly walBytes: number;
  /** The number of damaged lines found since the start. */
  readonly damagedLines: number;
  /** False if the notices only say that git or a person changed the files, or if there are none. */
  readonly isDamaged: boolean;
  readonly notices: readonly string[];
}

const MAX_PREDICATES = 20;

/** Expired facts do not count, because no query returns them. The next write that needs room removes them. */
export function statsOf(
  state: GraphState,
  limit: number,
  { now, notBefore }: QueryTime,
): GraphStats {
  const { content, files } = state;
  const { table, sidecar } = content;
  const { notices } = state;
  let closed = 0;
  let expired = 0;
  for (let row = 0; row < table.rowEnd; row += 1) {
    if (!table.isUsed(row)) continue;
    if (hasExpired(table.ts(row), notBefore)) expired += 1;
    else if (!isCurrent(table.ts(row), table.validTo(row), now)) closed += 1;
  }
  const used = { subjects: 0, objects: 0 };
  const predicates: { predicate: string; facts: number }[] = [];
  for (let term = 0; term < table.terms.count; term += 1) {
    if (table.bySubject.count(term) > 0) used.subjects += 1;
    if (table.byObject.count(term) > 0) used.objects += 1;
    const facts = table.byPredicate.count(term);
    if (facts > 0) predicates.push({ predicate: table.terms.text(term), facts });
  }
  predicates.sort((a, b) => b.facts - a.facts || (a.predicate < b.predicate ? -1 : 1));
  let deletions = 0;
  for (const { operations } of table.histories.values()) {
    if (operations.length === 1 && operations[0]?.kind === 'delete') deletions += 1;
  }
  return {
    open: table.count - closed - expired,
    closed,
    deletions,
    limit,
    ...used,
    predicates: predicates.slice(0, MAX_PREDICATES),
    generation: sidecar?.generation ?? 0,
    snapshotPath: files.snapshot,
    snapshotBytes: Number(content.snapshot?.size ?? 0),
    walPath: files.wal,
    walBytes: Number(readStampNow(files.wal)?.size ?? 0),
    damagedLines: state.damagedLines,
    isDamaged: state.damagedLines > 0 || content.needsHealing || content.lacksSnapshot,
    notices,
  };
}
