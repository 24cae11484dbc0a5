/**
 * Selects the conversations that `daybook prune` or `daybook archive` would take, each with the reason. Changes
 * nothing. Pinned conversations are never selected. Afterwards two kinds are skipped under their lock: a conversation
 * that has changed since (retention.ts, archives.ts), and one whose research is running (`requireDeletable` in
 * stores/conversations/conversation-trash.ts).
 */

import { TimeSlice } from '../../base/async/time-slice.js';
import { DAY_MS, isoTime } from '../../base/clock.js';
import { undefinedIfUnreadable } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { totalBytes } from '../../base/total-bytes.js';
import { folderSize } from '../../files/read/folder-size.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { ConversationHead } from '../../stores/conversations/document/schema.js';
import { fitsModule } from '../../stores/modules.js';
import { hasTag } from '../../stores/tags.js';
import { isNearlyFull, type MeasuredSize, NEARLY_FULL, percentOfLimit } from '../size-limit.js';
import type { PruneRule } from './rule-schema.js';

export interface Candidate {
  /** The head at the time of the selection. */
  readonly head: ConversationHead;
  readonly lastMessageAt: string;
  /** The size of all files of the conversation. */
  readonly sizeBytes: number;
  readonly reason: string;
}

export interface Dated {
  readonly head: ConversationHead;
  /** For a conversation without messages, the time of its creation. */
  readonly lastMessageAt: string;
}

type Store = Pick<ConversationStore, 'list' | 'known' | 'peek' | 'path'>;

/** Returns the size of all files of the conversation. */
export type SizeOf = (conversationId: string) => Promise<number>;

/** Those that match a rule, the one with the oldest last message first. FILESYSTEM_ERROR. */
export async function chooseByRules(
  store: Store,
  rules: readonly PruneRule[],
  nowMs: number,
  { signal, sizeOf = sizeIn(store) }: { signal?: AbortSignal | undefined; sizeOf?: SizeOf } = {},
): Promise<Candidate[]> {
  const chosen: Candidate[] = [];
  const mayBeChosen = (head: ConversationHead) => rules.some((rule) => mayFit(rule, head, nowMs));
  for await (const dated of datedOf(store, mayBeChosen, signal)) {
    const rule = rules.find((each) => fits(each, dated, nowMs));
    if (rule === undefined) continue;
    const sizeBytes = await sizeOf(dated.head.conversationId);
    chosen.push({ ...dated, sizeBytes, reason: reasonOf(rule, dated, nowMs) });
  }
  return oldestFirst(chosen);
}

/**
 * While the store is nearly full: those with the oldest last messages, until the store would be smaller. The
 * conversations in `chosen` are counted as gone, and not chosen again. FILESYSTEM_ERROR.
 */
export async function chooseBySize(
  store: Store,
  size: MeasuredSize,
  {
    chosen: given,
    signal,
    sizeOf,
  }: {
    readonly chosen: readonly Candidate[];
    readonly signal: AbortSignal | undefined;
    readonly sizeOf: SizeOf;
  },
): Promise<Candidate[]> {
  if (!isNearlyFull(size)) return [];
  const reason = `the store is at ${percentOfLimit(size)} % of its limit, and this is one of the oldest conversations`;
  const except = new Set(given.map(({ head }) => head.conversationId));
  const mayBeChosen = ({ pinned, conversationId }: ConversationHead) =>
    !pinned && !except.has(conversationId);
  const dated: Dated[] = [];
  for await (const found of datedOf(store, mayBeChosen, signal)) dated.push(found);
  const chosen: Candidate[] = [];
  let excess = size.sizeBytes - size.limitBytes * NEARLY_FULL - totalBytes(given);
  for (const each of oldestFirst(dated)) {
    if (excess <= 0) break;
    const itsBytes = await sizeOf(each.head.conversationId);
    chosen.push({ ...each, sizeBytes: itsBytes, reason });
    excess -= itsBytes;
  }
  return chosen;
}

/** Checks the rule with the head alone, so that no file is read if it cannot match. */
function mayFit(rule: PruneRule, head: ConversationHead, nowMs: number): boolean {
  if (head.pinned) return false;
  const { olderThanDays, module, tag } = rule;
  if (!fitsModule(head.module, module)) return false;
  if (tag !== undefined && !hasTag(head.tags ?? [], tag)) return false;
  return olderThanDays === undefined || head.createdAt < limitOf(olderThanDays, nowMs);
}

const fits = (rule: PruneRule, { head, lastMessageAt }: Dated, nowMs: number): boolean =>
  mayFit(rule, head, nowMs) &&
  (rule.olderThanDays === undefined || lastMessageAt < limitOf(rule.olderThanDays, nowMs));

const limitOf = (days: number, nowMs: number) => isoTime(Math.max(0, nowMs - days * DAY_MS));

const sizeIn =
  (store: Store): SizeOf =>
  async (id) =>
    (await folderSize(store.path(id))).sizeBytes;

/** The times of last messages that are in memory. Another file is read for its time. */
function knownTimes(store: Store): ReadonlyMap<string, string> {
  const times = new Map<string, string>();
  for (const { head, lastMessageAt } of store.known()) {
    if (lastMessageAt !== undefined) times.set(head.conversationId, lastMessageAt);
  }
  return times;
}

/** Reads the times of the conversations that `mayBeChosen` accepts by their heads. */
async function* datedOf(
  store: Store,
  mayBeChosen: (head: ConversationHead) => boolean,
  signal: AbortSignal | undefined,
): AsyncGenerator<Dated> {
  const heads = await store.list();
  const known = knownTimes(store);
  const slice = new TimeSlice({ signal });
  for (const head of heads) {
    if (slice.isSpent()) await slice.yield();
    signal?.throwIfAborted();
    if (!mayBeChosen(head)) continue;
    const dated = await withTime(store, head, known);
    if (dated !== undefined) yield dated;
  }
}

/** Returns `undefined` for a missing or unreadable conversation, so that it is not removed automatically. */
async function withTime(
  store: Store,
  head: ConversationHead,
  known: ReadonlyMap<string, string>,
): Promise<Dated | undefined> {
  const time = known.get(head.conversationId);
  if (time !== undefined) return { head, lastMessageAt: time };
  const found = await undefinedIfUnreadable(store.peek(head.conversationId));
  if (found === undefined) return undefined;
  const lastMessageAt = found.message(found.head.messageCount)?.createdAt ?? found.head.createdAt;
  return { head: found.head, lastMessageAt };
}

function reasonOf({ module, tag }: PruneRule, { lastMessageAt }: Dated, nowMs: number): string {
  const days = Math.floor((nowMs - Date.parse(lastMessageAt)) / DAY_MS);
  const age = `no message for ${countOf(days, 'day')}`;
  const where = [
    ...(module === undefined ? [] : [`module ${module}`]),
    ...(tag === undefined ? [] : [`tag ${tag}`]),
  ];
  return [age, ...where].join(', ');
}

const oldestFirst = <T extends Dated>(dated: T[]): T[] =>
  dated.sort((a, b) => (a.lastMessageAt < b.lastMessageAt ? -1 : 1));
