/**
 * Forgetting on purpose: what a request or the policy chooses goes to the trash, each conversation by one
 * rename under its lock, and what has been in the trash for its period is removed. A plan comes first;
 * carrying it out leaves alone whatever has changed since. A run that is killed has done a part of the
 * plan; the next one does the rest.
 */
import { type Clock, DAY_MS, isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { reasonOfOne } from '../skippable-errors.js';
import type { MeasuredSize, StoreSize } from '../store-size.js';
import type { TrashBin, TrashedItem } from '../trash-bin.js';
import { type Candidate, chooseByRules, chooseOldest, type PruneRule } from './candidates.js';
import type { LastRun, LastRunFile, PruneReport } from './last-run.js';
import type { RetentionPolicyFile } from './policy.js';

/** From this share of the limit on, the oldest go. */
const PRESSURE = 0.8;

export interface PruneRequest {
  readonly rules: readonly PruneRule[];
  readonly bySize: boolean;
  /** Also removes what has been in the trash for its period. */
  readonly emptiesTrash?: boolean;
}

export interface PrunePlan {
  readonly conversations: readonly Candidate[];
  /** What would be removed from the trash permanently. */
  readonly trash: readonly TrashedItem[];
  readonly size: MeasuredSize;
}

export interface RetentionOptions {
  readonly conversations: ConversationStore;
  readonly trash: TrashBin;
  readonly size: StoreSize;
  readonly policy: RetentionPolicyFile;
  readonly lastRun: LastRunFile;
  /** 0: what is in the trash stays. */
  readonly trashKeepDays: number;
  readonly clock: Clock;
}

type Growing = { [K in keyof PruneReport]: PruneReport[K][number][] };

export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  get policy(): RetentionPolicyFile {
    return this.#options.policy;
  }

  get trashKeepDays(): number {
    return this.#options.trashKeepDays;
  }

  /** The account of the last run that the policy asked for. */
  lastRun(): Promise<LastRun | undefined> {
    return this.#options.lastRun.read();
  }

  /** Changes nothing. FILESYSTEM_ERROR. */
  async plan(request: PruneRequest, signal?: AbortSignal): Promise<PrunePlan> {
    const { conversations: store, size: measurer, clock } = this.#options;
    const size = await measurer.measure();
    const byRules = await chooseByRules(store, request.rules, clock.now(), signal);
    const bySize = request.bySize ? await this.#bySize(size, byRules, signal) : [];
    const trash = await this.#outOfTrash(request, size);
    return { conversations: [...byRules, ...bySize], trash, size };
  }

  /** The same; without rules and `bySize` what the policy asks for. VALIDATION_ERROR where there is none. */
  async planFor(request: PruneRequest, signal?: AbortSignal): Promise<PrunePlan> {
    if (request.rules.length > 0 || request.bySize) return this.plan(request, signal);
    const plan = await this.planOfPolicy(signal);
    if (plan !== undefined) return plan;
    throw new AppError('VALIDATION_ERROR', 'No rule was given, and there is no retention policy.', {
      hint: 'Give an age, a module, a tag or the size as a rule, or set a policy first.',
    });
  }

  /** What `policy` asks for today. */
  async planOfPolicy(signal?: AbortSignal): Promise<PrunePlan | undefined> {
    const policy = await this.policy.read();
    return policy && this.plan({ ...policy, emptiesTrash: true }, signal);
  }

  /** The trash goes first. LOCKED, FILESYSTEM_ERROR, the signal's reason: what was done by then stays done. */
  async carryOut(
    { conversations, trash }: PrunePlan,
    {
      signal,
      onProgress,
    }: { signal?: AbortSignal | undefined; onProgress?(done: number, total: number): void } = {},
  ): Promise<PruneReport> {
    const removed: TrashedItem[] = [];
    for (const item of trash) {
      signal?.throwIfAborted();
      if (await this.#options.trash.remove(item)) removed.push(item);
    }
    const report: Growing = { moved: [], removed, skipped: [] };
    for (const candidate of conversations) {
      signal?.throwIfAborted();
      await this.#move(candidate, report);
      onProgress?.(report.moved.length + report.skipped.length, conversations.length);
    }
    return report;
  }

  /** Carries out what the policy asks for and leaves the account; `undefined` without a policy. */
  async run(signal?: AbortSignal): Promise<LastRun | undefined> {
    const plan = await this.planOfPolicy(signal);
    if (plan === undefined) return undefined;
    const report = await this.carryOut(plan, { signal });
    return this.#options.lastRun.write(report, await this.#options.size.measure());
  }

  async #move(candidate: Candidate, report: Growing): Promise<void> {
    const { conversationId } = candidate.head;
    const before = JSON.stringify(candidate.head);
    const isSame = (now: object) => JSON.stringify(now) === before;
    try {
      const trashName = await this.#options.conversations.trashIf(conversationId, isSame);
      if (trashName !== undefined) report.moved.push({ ...candidate, trashName });
      else report.skipped.push({ conversationId, reason: 'it has changed since it was chosen' });
    } catch (error) {
      report.skipped.push({ conversationId, reason: reasonOfOne(error) });
    }
  }

  async #bySize(
    { sizeBytes, limitBytes }: MeasuredSize,
    chosen: readonly Candidate[],
    signal: AbortSignal | undefined,
  ): Promise<Candidate[]> {
    if (limitBytes === undefined || sizeBytes < limitBytes * PRESSURE) return [];
    const going = chosen.reduce((sum, each) => sum + each.sizeBytes, 0);
    const excess = sizeBytes - going - limitBytes * PRESSURE;
    const percent = Math.floor((sizeBytes / limitBytes) * 100);
    const reason = `the store is at ${percent} % of its limit, and this is one of the oldest conversations`;
    const except = new Set(chosen.map(({ head }) => head.conversationId));
    return chooseOldest(this.#options.conversations, excess, { except, reason, signal });
  }

  /** What is past its period; where the store is full, also the oldest that do not fit beside it. */
  async #outOfTrash(request: PruneRequest, size: MeasuredSize): Promise<TrashedItem[]> {
    const { trash, clock, trashKeepDays } = this.#options;
    const before = clock.now() - trashKeepDays * DAY_MS;
    const isPast = request.emptiesTrash && trashKeepDays > 0;
    const going = isPast ? await trash.choose({ before }) : [];
    const { sizeBytes, trashBytes, limitBytes } = size;
    if (!request.bySize || limitBytes === undefined || sizeBytes < limitBytes * PRESSURE)
      return going;
    let excess = sizeBytes + trashBytes - limitBytes;
    excess -= going.reduce((sum, item) => sum + item.sizeBytes, 0);
    const names = new Set(going.map(({ name }) => name));
    for (const item of (await trash.choose({ before: clock.now() })).reverse()) {
      if (excess <= 0) break;
      if (names.has(item.name)) continue;
      going.push(item);
      excess -= item.sizeBytes;
    }
    return going;
  }
}

/** Whether the account is one of this UTC date (`yyyy-mm-dd`). */
export const isOfDate = (run: LastRun | undefined, date: string): boolean =>
  run !== undefined && isoTime(Date.parse(run.at)).startsWith(date);
