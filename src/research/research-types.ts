/**
 * The types of research: questions, callers, results, and the times that limit waiting and polling.
 * Types and defaults only.
 */
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type {
  AskKind,
  EFFORTS,
  PerplexityAnswer,
  SearchFilters,
} from '../providers/perplexity-answer.js';
import type { Perplexity } from '../providers/perplexity-types.js';
import type { ConversationStore } from '../stores/conversations/conversations.js';
import type { ResearchJobs } from '../stores/research-jobs/research-jobs.js';
import type { TextScreen } from '../stores/text-screen.js';

export interface RunTiming {
  readonly pollMinMs: number;
  readonly pollMaxMs: number;
  /** After this time, a run that has not ended becomes `unknown`. Another process can still take it over. */
  readonly maxRunMs: number;
  /** How long `close` waits for a create that is being sent. */
  readonly closeGraceMs: number;
}

export interface ResearchDeps {
  readonly store: ConversationStore;
  readonly jobs: ResearchJobs;
  /** `undefined` without a key: questions then fail with NOT_CONFIGURED, but reading works. */
  readonly perplexity: Perplexity | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Maximum number of messages in a conversation. */
  readonly maxMessages?: number;
  /** Removes from questions what must not be stored, before they are sent. */
  readonly screen?: TextScreen;
  /** Rejects with STORAGE_FULL if the store may not grow. */
  readonly checkRoom?: () => Promise<void>;
  readonly timing?: Partial<ResearchTiming>;
}

export interface ResearchTiming extends RunTiming {
  /** How long a deep research call waits for the answer before it returns `in_progress`. */
  readonly waitMs: number;
  /** How long `history` waits for a run that it has just taken over. */
  readonly pickUpWaitMs: number;
  /** Between two progress reports of a waiting call. Shorter than the heartbeat of a call (1 s), which would repeat the last report. */
  readonly progressMs: number;
}

export const DEFAULT_TIMING: ResearchTiming = {
  waitMs: 45_000,
  pickUpWaitMs: 3_000,
  progressMs: 900,
  pollMinMs: 2_000,
  pollMaxMs: 15_000,
  maxRunMs: 60 * 60_000,
  closeGraceMs: 5_000,
};

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

/** `ref` is a conversation id or a client key. */
export interface ResearchService {
  search(question: Question, caller?: Caller): Promise<ResearchResult>;
  searchFollowup(ref: string, question: FollowupQuestion, caller?: Caller): Promise<ResearchResult>;
  /** May return `in_progress`; the run continues without the caller. */
  deepResearch(question: Question, caller?: Caller): Promise<ResearchResult>;
  deepResearchFollowup(
    ref: string,
    question: FollowupQuestion,
    caller?: Caller,
  ): Promise<ResearchResult>;
  /** The conversation and its run. Takes over a run that no process follows. */
  history(ref: string): Promise<ResearchHistory>;
  /**
   * Called at the start: follows every run that no live process follows. Never throws, and never sends a
   * create.
   */
  resume(): Promise<void>;
  close(): Promise<void>;
}
