/**
 * Retention: moves the conversations that a request or the policy selects to the trash, each by one rename
 * under its lock, and removes what has been in the trash longer than its period. First a plan is made. When
 * it is carried out, conversations that have changed since are skipped. If the process is killed, the next
 * run does the rest.
 */
import { isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { isSameJson } from '../../base/json.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { MeasuredSize, StoreSize } from '../size-limit.js';
import { skipReasonOf, unreadable } from '../skipped-conversations.js';
import type { TrashedItem } from '../trash-bin.js';
import type { LastRun, LastRunFile, PruneReport } from './last-run.js';
import type { RetentionPolicyFile } from './policy.js';
import { type Candidate, chooseByRules, chooseBySize } from './prunable-conversations.js';
import type { PruneRule } from './rule-schema.js';
import { expiredTrash, type TrashRules } from './trash-expiry.js';

export interface PruneRequest {
  readonly rules: readonly PruneRule[];
  readonly bySize: boolean;
  /** Also removes entries that have been in the trash longer than its period. */
  readonly emptiesTrash?: boolean;
}

export interface PrunePlan {
  readonly conversations: readonly Candidate[];
  /** The entries that would be permanently removed from the trash. */
  readonly trash: readonly TrashedItem[];
  readonly size: MeasuredSize;
}

export interface RetentionOptions extends TrashRules {
  readonly conversations: ConversationStore;
  readonly size: StoreSize;
  readonly policy: RetentionPolicyFile;
  readonly lastRun: LastRunFile;
}

type MutableReport = { [K in keyof PruneReport]: PruneReport[K][number][] };

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

  /** Returns the report of the last run of the policy; `undefined` if there is none. */
  lastRun(): Promise<LastRun | undefined> {
    return this.#options.lastRun.read();
  }

  /** Returns what the request would move and remove. Changes nothing. FILESYSTEM_ERROR. */
  async plan(request: PruneRequest, signal?: AbortSignal): Promise<PrunePlan> {
    const { conversations: store, size: measurer, clock } = this.#options;
    const { size, sizeIn } = await measurer.measureEach();
    const sizeOf = (id: string) => sizeIn(store.path(id));
    const byRules = await chooseByRules(store, request.rules, clock.now(), { signal, sizeOf });
    const bySize = request.bySize
      ? await chooseBySize(store, size, { chosen: byRules, signal, sizeOf })
      : [];
    const trash = await expiredTrash(this.#options, request, size);
    return { conversations: [...byRules, ...bySize], trash, size };
  }

  /** Like `plan`. Without rules and `bySize` the policy is used; VALIDATION_ERROR if there is none. */
  async planFor(request: PruneRequest, signal?: AbortSignal): Promise<PrunePlan> {
    if (request.rules.length > 0 || request.bySize) return this.plan(request, signal);
    const plan = await this.planOfPolicy(signal);
    if (plan !== undefined) return plan;
    throw new AppError('VALIDATION_ERROR', 'No rule was given, and there is no retention policy.', {
      hint: 'Give `olderThanDays`, `module`, `tag` or `bySize`, or set a policy with daybook retention add.',
    });
  }

  /** Returns the plan of the policy; `undefined` if there is no policy. */
  async planOfPolicy(signal?: AbortSignal): Promise<PrunePlan | undefined> {
    const policy = await this.policy.read();
    return policy && this.plan({ ...policy, emptiesTrash: true }, signal);
  }

  /** First empties the trash, then moves conversations. Stops at LOCKED, FILESYSTEM_ERROR or an abort. */
  async carryOut(
    { conversations, trash }: PrunePlan,
    {
      signal,
      onProgress,
    }: { signal?: AbortSignal | undefined; onProgress?(done: number, total: number): void } = {},
  ): Promise<PruneReport> {
    const removed = await this.#options.trash.removeAll(trash, signal);
    const report: MutableReport = { moved: [], removed, skipped: [] };
    for (const candidate of conversations) {
      signal?.throwIfAborted();
      await this.#move(candidate, report);
      onProgress?.(report.moved.length + report.skipped.length, conversations.length);
    }
    return report;
  }

  /** Executes the plan of the policy and writes the report. Returns `undefined` if there is no policy. */
  async run(signal?: AbortSignal): Promise<LastRun | undefined> {
    const plan = await this.planOfPolicy(signal);
    if (plan === undefined) return undefined;
    const { skipped, ...report } = await this.carryOut(plan, { signal });
    const unread = unreadable(this.#options.conversations);
    return this.#options.lastRun.write(
      { ...report, skipped: [...skipped, ...unread] },
      await this.#options.size.measure(),
    );
  }

  async #move(candidate: Candidate, report: MutableReport): Promise<void> {
    const { conversationId } = candidate.head;
    const isSame = (now: object) => isSameJson(now, candidate.head);
    const reason = await skipReasonOf(async () => {
      const trashName = await this.#options.conversations.trashIf(conversationId, isSame);
      if (trashName !== undefined) report.moved.push({ ...candidate, trashName });
      return trashName !== undefined;
    });
    if (reason !== undefined) report.skipped.push({ conversationId, reason });
  }
}

/** Whether the report is of this UTC date (`yyyy-mm-dd`). */
export const isOfDate = (run: LastRun | undefined, date: string): boolean =>
  run !== undefined && isoTime(Date.parse(run.at)).startsWith(date);
