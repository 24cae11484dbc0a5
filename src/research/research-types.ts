/** The types of research: questions, callers and results. */
import type { GracePeriod } from '../base/async/grace-period.js';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { PerplexityAnswer } from '../providers/perplexity-answer.js';
import type { SearchFilters } from '../providers/perplexity-filters.js';
import type { AskKind, EFFORTS, Perplexity } from '../providers/perplexity-types.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { ResearchJobFiles } from '../stores/research-jobs/research-job-files.js';
import type { TextMasker } from '../stores/text-masker.js';
import type { ResearchTiming } from './timing.js';

export interface ResearchDeps {
  readonly store: ConversationStore;
  readonly jobs: ResearchJobFiles;
  /** `undefined` without a key: questions then fail with NOT_CONFIGURED, but reading works. */
  readonly perplexity: Perplexity | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum number of messages in a conversation. */
  readonly maxMessages?: number;
  /** Removes from questions what must not be stored, before they are sent. */
  readonly masker?: TextMasker;
  /** Rejects with STORAGE_FULL if the store may not grow. */
  readonly requireRoom?: () => Promise<void>;
  readonly grace: GracePeriod;
  readonly timing: Partial<ResearchTiming> & Pick<ResearchTiming, 'waitMs'>;
}

export interface Question {
  readonly query: string;
  readonly filters: SearchFilters;
  readonly relatedQuestions: boolean;
  readonly showThinking: boolean;
  /** Deep research only. */
  readonly reasoningEffort?: (typeof EFFORTS)[number];
}

export interface FollowupQuestion extends Question {
  /** True: continues although an earlier run is `unknown`, and removes its record. */
  readonly discardLostRun: boolean;
}

/** The caller that waits. It can cancel and receive progress. */
export interface Caller {
  readonly signal?: AbortSignal;
  progress?(report: { progress: number; message: string }): void;
}

export interface ResearchResult {
  readonly kind: AskKind;
  readonly status: 'completed' | 'in_progress';
  /** Absent while in progress. */
  readonly answer?: PerplexityAnswer;
  /** Absent only if a new conversation could not be stored. */
  readonly conversationId?: string;
  readonly conversationPath?: string;
  readonly isFollowup: boolean;
  readonly saved: boolean;
  readonly notSavedReason?: string;
  readonly notes: readonly string[];
}

export interface RunReport {
  readonly state: 'in_progress' | 'unknown' | 'failed' | 'unsaved';
  readonly query?: string;
  readonly startedAt?: string;
  readonly runId?: string;
  readonly reason?: string;
  /** The paid answer of a run, if it could not be stored. */
  readonly answer?: string;
}

export interface ResearchHistory {
  readonly conversationId: string;
  readonly conversationPath: string;
  readonly run?: RunReport;
}
