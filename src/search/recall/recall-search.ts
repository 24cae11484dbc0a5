/**
 * Asks the recall index about the stored messages: waits until it is built, applies the filters, gets vectors if
 * there are any, and reads the messages of the hits from the files. `search_messages` calls
 * `../message-search.ts`, which decides whether recall or keywords answer a query.
 */
import { type Clock, settledOrLater } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { localDay } from '../../base/local-time.js';
import { throwIfCancelled } from '../../fts/cancellation.js';
import type { AskOptions, RecallAnswer, RecallHit } from '../../recall/answer.js';
import type { Question } from '../../recall/question/question.js';
import { variantsOf } from '../../recall/question/question-without-names.js';
import type { PresentTime } from '../../recall/question/relative-time.js';
import { CONTENT_ONLY_WEIGHTS } from '../../recall/ranking/feature-weights.js';
import { cutRecallSnippet } from '../../recall/recall-snippet.js';
import type { VectorScores, VectorSource } from '../../recall/vector-source.js';
import {
  BUILD_REPORT_MS,
  type MessageQuery,
  type SearchCaller,
  WAIT_FOR_BUILD_MS,
} from '../messages/keyword-search.js';
import {
  conversationFilter,
  type MessageFilters,
  messageFilter,
} from '../messages/message-filters.js';
import type { SearchMode, SearchTier } from '../search-names.js';
import { type RecalledHit, recalledHits } from './recall-hits.js';
import { RecallSync, type RecallSyncOptions } from './recall-sync.js';

/** In mode `semantic` with vectors, words have no weight. */
const VECTOR_ONLY_WEIGHTS = { lexical: 0, pairs: 0, session: 0 };
/** For strategy `topical`: only the words of messages and sessions, and vectors, have weights. */
const TOPICAL_WEIGHTS = { ...CONTENT_ONLY_WEIGHTS, namedSpeaker: 0 };

/** How an answer is ranked: the modes of searches, and the strategies of `get_relevant_snippets`. */
export type RecallMode = SearchMode | 'topical' | 'entity' | 'temporal';

function weightsOf(mode: RecallMode, hasVectors: boolean) {
  if (mode === 'semantic' && hasVectors) return { weights: VECTOR_ONLY_WEIGHTS };
  if (mode === 'topical') return { weights: TOPICAL_WEIGHTS };
  return mode === 'entity' ? { boostsEntities: true } : {};
}

/** The answer, and the tier: whether vectors were used. */
export interface RankedAnswer {
  readonly answer: RecallAnswer;
  readonly tier: SearchTier;
}

export interface RecallSearchOptions extends RecallSyncOptions {
  readonly clock: Clock;
  /** The zone (IANA) of the days that a question names, as in "yesterday". */
  readonly timeZone: () => string;
  /** If absent, recall uses only words, their forms, and neighbouring messages. */
  readonly vectors?: VectorSource;
}

export class RecallSearch {
  readonly #options: RecallSearchOptions;
  readonly #sync: RecallSync;

  constructor(options: RecallSearchOptions) {
    this.#options = options;
    this.#sync = new RecallSync(options);
  }

  get hasVectors(): boolean {
    return this.#options.vectors !== undefined;
  }

  /** Grows with every change of the index. */
  get revision(): number {
    return this.#sync.index.revision;
  }

  /** The present day. Answers to questions such as "what did we do yesterday?" change with it. */
  get today(): string {
    const { ms, timeZone } = this.#now();
    return localDay(ms, timeZone);
  }

  /** Like `ready`, for callers that cannot use keywords instead. Throws TIMEOUT if the build takes too long. */
  async required(caller: SearchCaller = {}): Promise<void> {
    if (await this.ready(caller)) return;
    throw new AppError('TIMEOUT', 'The recall index is still being built.', {
      hint: 'Call again in a few seconds. Until then, `search_messages` finds messages by keywords.',
    });
  }

  /** True if the index is complete; false if that takes too long. Throws CANCELLED or FILESYSTEM_ERROR. */
  async ready(caller: SearchCaller = {}): Promise<boolean> {
    const { signal, progress, maxWaitMs = WAIT_FOR_BUILD_MS } = caller;
    const { clock } = this.#options;
    throwIfCancelled(signal);
    const build = this.#sync.build();
    build.catch(() => undefined); // reported below, or by the next call
    const deadline = clock.monotonic() + maxWaitMs;
    for (;;) {
      if (this.#sync.isBuilt) return true;
      const leftMs = deadline - clock.monotonic();
      if (leftMs <= 0) return false;
      await settledOrLater(build, Math.min(BUILD_REPORT_MS, leftMs), signal);
      throwIfCancelled(signal);
      const { done, total } = this.#sync.progress;
      progress?.({ progress: done, total, message: 'the recall index is being built' });
    }
  }

  /** The messages that answer a question, best first. The index must be `ready`. Throws CANCELLED. */
  async ask(
    text: string,
    filters: MessageFilters,
    mode: RecallMode,
    caller: SearchCaller = {},
    reading: Partial<Pick<AskOptions, 'depth' | 'except'>> = {},
  ): Promise<RankedAnswer> {
    const { search, vectors: source } = this.#options;
    const { signal } = caller;
    const inScope = conversationFilter(search.index, filters);
    const vectors: VectorScores | undefined = await source?.ask(
      variantsOf(text, this.#sync.index.speakers(inScope)),
      signal,
    );
    await this.#sync.settled();
    const answer = await this.#sync.index.ask(text, {
      ...this.#asked(filters, caller),
      ...reading,
      vectors,
      ...weightsOf(mode, vectors !== undefined),
    });
    throwIfCancelled(signal);
    return { answer, tier: vectors === undefined ? 'words' : 'vectors' };
  }

  /** How the index reads a question: its words and the time that it names. The index must be `ready`. */
  async question(text: string, filters: MessageFilters): Promise<Question> {
    await this.#sync.settled();
    return this.#sync.index.question(text, this.#asked(filters));
  }

  /** The number of messages that have words of the question, without those of `except`. Throws CANCELLED. */
  count(
    question: Question,
    filters: MessageFilters,
    except: NonNullable<AskOptions['except']>,
    caller: SearchCaller = {},
  ): Promise<number> {
    return this.#sync.index.count(question, { ...this.#asked(filters, caller), except });
  }

  #asked(filters: MessageFilters, { signal }: SearchCaller = {}) {
    const { index } = this.#options.search;
    const accepts = messageFilter(index, filters);
    return {
      inScope: conversationFilter(index, filters),
      now: this.#now(),
      ...(accepts && { accepts }),
      ...(signal && { signal }),
    };
  }

  #now(): PresentTime {
    const { clock, timeZone } = this.#options;
    return { ms: clock.now(), timeZone: timeZone() };
  }

  /** Reads the messages of hits. `isCurrent` is false if one changed after it was indexed. Throws CANCELLED. */
  hits(
    asked: RecallAnswer,
    found: readonly RecallHit[],
    request: Pick<MessageQuery, 'snippet'>,
    { signal }: SearchCaller = {},
  ) {
    const { index } = this.#sync;
    return recalledHits(found, {
      ...request,
      ...(signal && { signal }),
      index,
      store: this.#options.store,
      question: asked.question,
    });
  }

  /** The part of a hit's passage that has the most words of the question, in at most `words` words. */
  excerpt({ question }: RecallAnswer, { content, passage }: RecalledHit, words: number): string {
    const style = { open: '', close: '', ellipsis: '…', words };
    return cutRecallSnippet(content, passage, question, this.#sync.index.vocabulary, style);
  }

  /** Ends a running build, and saves a complete index if a save is due. */
  async close(): Promise<void> {
    await this.#sync.close();
  }
}
