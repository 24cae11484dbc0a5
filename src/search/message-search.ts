/**
 * The search of `search_messages` in all its modes: it decides whether recall (recall/recall-search.ts, with
 * vectors, if available) or the keyword search (messages/keyword-search.ts) answers a query. In mode `auto`,
 * plain words first give the messages with all words, as FTS5 ranks them, and then those that recall finds. A
 * query with function words is a question, which recall answers alone. Queries with operators go to the keyword
 * search.
 */
import type { MessageRef } from '../recall/answer.js';
import type { Question } from '../recall/question/question.js';
import { keywordWhy, type Why } from './hit-reasons.js';
import type { ActivitySearch } from './messages/activity-search.js';
import {
  type KeywordSearch,
  type MessageQuery,
  type MessageResults,
  type SearchCaller,
  WAIT_FOR_BUILD_MS,
} from './messages/keyword-search.js';
import type { MessageHit } from './messages/message-hits.js';
import { totalsWithout } from './messages/totals-without-filter.js';
import type { RecallSearch } from './recall/recall-search.js';
import { repeatUntilCurrent } from './repeat-until-current.js';
import type { SearchMode, SearchTier } from './search-names.js';

/** The longest wait in mode `auto`, in which keywords answer in the meantime. */
const WAIT_IN_AUTO_MS = 5_000;

export interface ModeQuery extends Omit<MessageQuery, 'matchType'> {
  /** If given, the search is a keyword search, whatever `mode` is. */
  readonly matchType?: MessageQuery['matchType'];
  readonly mode: SearchMode;
  /** Searches tool calls and thinking instead of what was said; always a keyword search. */
  readonly activity?: boolean;
}

/** A message from either index. */
export type FoundHit = MessageHit & { readonly why: Why };

export interface ModeResults extends Omit<MessageResults, 'hits'> {
  readonly hits: readonly FoundHit[];
  readonly tier: SearchTier;
  /** The phrase of a time that the question names, if no searched message is from that time. */
  readonly emptyTime?: string;
}

export class MessageSearch {
  readonly #keywords: KeywordSearch;
  readonly #recall: RecallSearch;
  readonly #activity: ActivitySearch;

  constructor(keywords: KeywordSearch, recall: RecallSearch, activity: ActivitySearch) {
    this.#keywords = keywords;
    this.#recall = recall;
    this.#activity = activity;
  }

  /** Throws QUERY_SYNTAX (matchType fts5), CANCELLED or FILESYSTEM_ERROR. */
  async search(request: ModeQuery, caller: SearchCaller = {}): Promise<ModeResults> {
    if (request.activity) return this.#byActivity(request, caller);
    if (this.usesRecall(request))
      return (await this.#whenReady(request, caller)) ?? this.#byKeywords(request, caller);
    const found = await this.#byKeywords(request, caller);
    // A question may contain quotation marks. If no message has all of it, recall finds better messages than
    // those with any of its words.
    const isUnanswered =
      request.mode === 'auto' && request.matchType === undefined && found.relaxed;
    const recalled = isUnanswered ? await this.#whenReady(request, caller) : undefined;
    return recalled === undefined ? found : { ...recalled, relaxed: true };
  }

  /** Whether recall answers a query: it has only plain words, or the mode requires recall. */
  usesRecall({
    query,
    mode,
    matchType,
    activity = false,
  }: Pick<ModeQuery, 'query' | 'mode' | 'matchType' | 'activity'>): boolean {
    if (activity || matchType !== undefined || mode === 'keyword') return false;
    return mode !== 'auto' || !this.#keywords.usesOperators(query);
  }

  /** `undefined` if the recall index is not complete in time. */
  async #whenReady(request: ModeQuery, caller: SearchCaller): Promise<ModeResults | undefined> {
    const maxWaitMs = request.mode === 'auto' ? WAIT_IN_AUTO_MS : WAIT_FOR_BUILD_MS;
    if (!(await this.#recall.ready({ maxWaitMs, ...caller }))) return undefined;
    const found = await repeatUntilCurrent(() => this.#byRecall(request, caller));
    const { words, ...results } = found;
    if (found.total > 0) return results;
    const { emptyTime } = found;
    const explained = await this.#explained(request, words, caller);
    return { ...explained, ...(emptyTime !== undefined && { emptyTime }) };
  }

  /**
   * A keyword search explains why nothing matches. Its query has no function words, because these would
   * match messages about other subjects. Recall also finds other forms of words, so the totals without
   * filters are its own.
   */
  async #explained(request: ModeQuery, words: string, caller: SearchCaller) {
    const found = await this.#byKeywords({ ...request, query: words || request.query }, caller);
    if (found.total > 0) return found;
    const withoutFilter = await totalsWithout(request.filters, async (others) => {
      const question = await this.#recall.question(request.query, others);
      const exact = await this.#leadingMatches(question, { ...request, filters: others }, caller);
      return exact.total + (await this.#recall.count(question, others, exact.has, caller));
    });
    const isFiltered = Object.values(withoutFilter).some((total) => total > 0);
    return isFiltered ? { ...found, withoutFilter, unknownWords: [] } : found;
  }

  async #byKeywords(request: ModeQuery, caller: SearchCaller): Promise<ModeResults> {
    const { matchType = 'auto', ...asked } = request;
    const found = await this.#keywords.search({ ...asked, matchType }, caller);
    const hits = found.hits.map((hit) => withReason(hit, request.query));
    return { ...found, hits, tier: 'keyword' };
  }

  async #byActivity(request: ModeQuery, caller: SearchCaller): Promise<ModeResults> {
    const { matchType = 'auto', ...asked } = request;
    const found = await this.#activity.search({ ...asked, matchType }, caller);
    const hits = found.hits.map(({ activity, ...hit }) => ({
      ...hit,
      why: keywordWhy(request.query, activity),
    }));
    return { ...found, hits, tier: 'keyword' };
  }

  async #byRecall(request: ModeQuery, caller: SearchCaller) {
    const { query, filters, mode, limit, offset } = request;
    const question = await this.#recall.question(query, filters);
    const exact = await this.#leadingMatches(question, request, caller);
    const words = question.words.map(({ text }) => text).join(' ');
    const { emptyTime } = question;
    const rest = {
      words,
      unknownWords: [],
      withoutFilter: {},
      ...(emptyTime !== undefined && { emptyTime }),
    };
    if (exact.total >= offset + limit && !this.#recall.hasVectors) {
      // Keywords fill the page, so recall only counts. With vectors it would have to rank for that.
      const others = await this.#recall.count(question, filters, exact.has, caller);
      const total = exact.total + others;
      const { hits, isCurrent } = await exact.page();
      return { ...rest, total, tier: 'words' as const, isCurrent, relaxed: false, hits };
    }
    const reading = { depth: offset + limit, except: exact.has };
    const { answer, tier } = await this.#recall.ask(query, filters, mode, caller, reading);
    const total = exact.total + answer.total;
    const leading = offset < exact.total ? await exact.page() : NO_PAGE;
    const from = Math.max(0, offset - exact.total);
    const found = answer
      .hits(from, limit - leading.hits.length)
      .map((hit) => ({ ...hit, position: exact.total + hit.position }));
    const others = await this.#recall.hits(answer, found, request, caller);
    const relaxed = exact.total === 0 && !answer.hasAllWords;
    const isCurrent = leading.isCurrent && others.isCurrent;
    const hits = [...leading.hits, ...others.hits];
    return { ...rest, total, tier, isCurrent, relaxed, hits };
  }

  /** For keywords in mode `auto`: the messages with all words, as FTS5 ranks them. */
  async #leadingMatches(
    question: Question,
    { mode, matchType: _type, ...asked }: ModeQuery,
    caller: SearchCaller,
  ) {
    if (mode !== 'auto' || question.hasFunctionWords) return NO_EXACT_MATCHES;
    const { total, relaxed, has } = await this.#keywords.matches(
      asked.query,
      asked.filters,
      caller,
    );
    if (relaxed || total === 0) return NO_EXACT_MATCHES;
    const page = async (): Promise<LeadingPage> => {
      const found = await this.#keywords.search({ ...asked, matchType: 'auto' }, caller);
      const hits = found.hits.map((hit) => withReason(hit, asked.query));
      return { hits, isCurrent: found.total === total };
    };
    return { total, has, page };
  }
}

const withReason = (hit: MessageHit, query: string): FoundHit => ({
  ...hit,
  why: keywordWhy(query, hit.content, hit.title),
});

/** A page of the exact matches. `isCurrent`: false if their number changed since they were counted. */
interface LeadingPage {
  readonly hits: readonly FoundHit[];
  readonly isCurrent: boolean;
}

const NO_PAGE: LeadingPage = { hits: [], isCurrent: true };
const NO_EXACT_MATCHES = {
  total: 0,
  has: (_message: MessageRef) => false,
  page: async () => NO_PAGE,
};
