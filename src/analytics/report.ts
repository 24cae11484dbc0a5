/**
 * A report over a range of days: sums by period, module, role, model and conversation, hours of the week,
 * durations of sessions, and topics. Days are those of the reader's time zone.
 */
import { runInSlices } from '../base/async/time-slice.js';
import type { ConversationHead, Role } from '../stores/conversations/document/schema.js';
import { fitsModule } from '../stores/modules.js';
import type { ConversationFigures } from './conversation-figures.js';
import { costsOnce } from './copied-costs.js';
import { LocalSlots, type Slot } from './local-hours.js';
import type { MessageFigures } from './message-figures.js';
import { type Sums, Tallies, Tally } from './message-sums.js';
import { type Pace, PaceMeter } from './pace.js';
import { type Period, periodOf } from './periods.js';

export interface ReportRequest {
  readonly timeZone: string;
  /** Days such as `2025-01-24`, inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly module?: string;
  readonly role?: Role;
  readonly period: Period;
}

export interface Report {
  readonly totals: Sums;
  /** Oldest first; periods without messages are left out. */
  readonly periods: readonly (readonly [period: string, sums: Sums])[];
  readonly modules: readonly (readonly [module: string, sums: Sums])[];
  readonly roles: readonly (readonly [role: string, sums: Sums])[];
  readonly models: readonly (readonly [model: string, sums: Sums])[];
  /** Most messages first. */
  readonly conversations: readonly ConversationReport[];
  /** Number of messages by weekday (Monday first) and hour. */
  readonly week: readonly (readonly number[])[];
  readonly pace: Pace;
}

export interface ConversationReport {
  readonly figures: ConversationFigures;
  readonly sums: Sums;
  /** Minutes of all its sessions. */
  readonly minutes: number;
}

/** Name of conversations without a module. */
const NO_MODULE = '';

/** Computes the report in slices, because a store may have a million messages. */
export const reportOf = (
  given: Iterable<ConversationFigures>,
  request: ReportRequest,
): Promise<Report> => runInSlices(reportSteps(given, request));

function* reportSteps(
  given: Iterable<ConversationFigures>,
  request: ReportRequest,
): Generator<void, Report> {
  const { period, timeZone } = request;
  const all = [...given]; // as they are now
  const costOnceIn = costsOnce(all);
  const slots = new LocalSlots(timeZone);
  const totals = new Tally();
  const [periods, modules, roles, models] = [0, 1, 2, 3].map(() => new Tallies()) as TalliesByKind;
  const week = Array.from({ length: 7 }, () => new Array<number>(24).fill(0));
  const paceMeter = new PaceMeter();
  const conversations: ConversationReport[] = [];
  const inPeriod = memoizedLast((slot: Slot) => periods.of(periodOf(slot, period)));
  for (const figures of all) {
    yield;
    if (!fitsModule(figures.head.module, request.module)) continue;
    const own = new Tally();
    const costOnce = costOnceIn(figures);
    const times: number[] = [];
    for (const message of figures.messages) {
      const slot = slotWithin(message, slots, request);
      if (slot === undefined) continue;
      times.push(message.time);
      const tallies = [totals, own, inPeriod(slot), roles.of(message.role)];
      tallies.push(modules.of(moduleOf(figures.head)));
      if (message.model !== undefined) tallies.push(models.of(message.model));
      const counted = costOnce(message);
      for (const tally of tallies) tally.add(figures, counted);
      const hours = week[slot.weekday] ?? [];
      hours[slot.hour] = (hours[slot.hour] ?? 0) + 1;
    }
    if (own.messages === 0) continue;
    conversations.push({ figures, sums: own.sums(), minutes: paceMeter.add(times) });
  }
  conversations.sort((a, b) => b.sums.messages - a.sums.messages || byId(a, b));
  return {
    totals: totals.sums(),
    periods: periods.byName(),
    modules: modules.bySize(),
    roles: roles.bySize(),
    models: models.bySize(),
    conversations,
    week,
    pace: paceMeter.pace(),
  };
}

type TalliesByKind = [Tallies, Tallies, Tallies, Tallies];

/** Computes only if the key differs from the last one. Most messages have the slot of the message before. */
function memoizedLast<Key, Value>(compute: (key: Key) => Value): (key: Key) => Value {
  let last: { readonly key: Key; readonly value: Value } | undefined;
  return (key) => {
    if (last?.key !== key) last = { key, value: compute(key) };
    return last.value;
  };
}

const moduleOf = ({ module = NO_MODULE }: ConversationHead) => module;

const byId = (a: ConversationReport, b: ConversationReport) =>
  a.figures.head.conversationId < b.figures.head.conversationId ? -1 : 1;

function slotWithin(message: MessageFigures, slots: LocalSlots, { role, from, to }: ReportRequest) {
  if (Number.isNaN(message.time) || (role !== undefined && message.role !== role)) return undefined;
  const slot = slots.of(message.time);
  const isWithin = (from === undefined || slot.day >= from) && (to === undefined || slot.day <= to);
  return isWithin ? slot : undefined;
}
