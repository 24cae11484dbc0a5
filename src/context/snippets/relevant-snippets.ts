/**
 * Finds the passages that answer a question, within a budget of tokens. Recall finds them; no text is
 * returned twice; the best passages are whole and the others are excerpts (token-budget.ts); an outdated passage
 * names the passage that supersedes it. The answer is cached until the store changes or the day ends.
 */
import { tokenCounter } from '../../base/text/exact-token-count.js';
import type { Why } from '../../search/hit-reasons.js';
import type { SearchCaller } from '../../search/messages/keyword-search.js';
import type { MessageFilters } from '../../search/messages/message-filters.js';
import type { MessageFacts } from '../../search/messages/message-hits.js';
import type { RecallSearch } from '../../search/recall/recall-search.js';
import type { SearchTier } from '../../search/search-names.js';
import { spreadOverTime } from './spread-over-time.js';
import type { SnippetStrategy } from './strategy-names.js';
import { supersededBy } from './superseded.js';
import { type SelectedPassage, withinBudget } from './token-budget.js';

/** Maximum number of hits that are considered for one answer. */
const MAX_HITS = 200;
const MAX_CACHED = 64;

export interface SnippetRequest {
  readonly query: string;
  /** Budget of all texts together, in tokens of o200k. */
  readonly maxTokens: number;
  readonly filters: MessageFilters;
  readonly strategy: SnippetStrategy;
}

export interface Snippet extends MessageFacts {
  readonly text: string;
  readonly tokens: number;
  /** Comparable only within one answer. */
  readonly score: number;
  readonly why: Why;
  readonly supersededBy?: { readonly conversationId: string; readonly messageId: string };
}

export interface Snippets {
  readonly snippets: readonly Snippet[];
  readonly tokensUsed: number;
  /** Number of passages that were found but did not fit. */
  readonly omitted: number;
  readonly tier: SearchTier;
  /** The phrase of a time that the question names, if no searched message is from that time. */
  readonly emptyTime?: string;
}

export class RelevantSnippets {
  readonly #recall: RecallSearch;
  /** By request, least recently used first. */
  readonly #cache = new Map<string, { readonly revision: number; readonly answer: Snippets }>();

  constructor(recall: RecallSearch) {
    this.#recall = recall;
  }

  /** Throws CANCELLED, TIMEOUT (the index is still being built) or FILESYSTEM_ERROR. */
  async find(request: SnippetRequest, caller: SearchCaller = {}): Promise<Snippets> {
    await this.#recall.required(caller);
    const key = JSON.stringify([request, this.#recall.today]);
    const { revision } = this.#recall;
    const known = this.#cache.get(key);
    if (known?.revision === revision) return known.answer;
    const answer = await this.#find(request, caller);
    this.#cache.delete(key);
    this.#cache.set(key, { revision, answer });
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= MAX_CACHED) break;
      this.#cache.delete(oldest);
    }
    return answer;
  }

  async #find(request: SnippetRequest, caller: SearchCaller): Promise<Snippets> {
    const { query, filters, strategy, maxTokens } = request;
    const { answer, tier } = await this.#recall.ask(query, filters, strategy, caller);
    const { hits } = await this.#recall.hits(answer, answer.hits(0, MAX_HITS), {});
    const count = await tokenCounter();
    const ordered = strategy === 'temporal' ? spreadOverTime(hits) : hits;
    const { isBroad, emptyTime } = answer.question;
    const { taken, omitted } = withinBudget(ordered, {
      maxTokens,
      count,
      isBroad,
      excerpt: (hit, words) => this.#recall.excerpt(answer, hit, words),
    });
    const snippets = withSuperseded(taken);
    if (strategy === 'temporal') snippets.sort(byTime);
    const tokensUsed = snippets.reduce((sum, { tokens }) => sum + tokens, 0);
    const time = emptyTime === undefined ? {} : { emptyTime };
    return { snippets, tokensUsed, omitted, tier, ...time };
  }
}

const byTime = (a: Snippet, b: Snippet) =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.seq - b.seq;

function withSuperseded(taken: readonly SelectedPassage[]): Snippet[] {
  const dated = taken.map(({ hit, passage }) => ({
    text: passage,
    time: Date.parse(hit.createdAt),
    role: hit.role,
  }));
  const by = supersededBy(dated);
  return taken.map(({ hit, text, tokens }, at) => {
    const { conversationId, messageId, seq, role, createdAt, rank, why } = hit;
    const later = taken[by[at] ?? -1]?.hit;
    return {
      conversationId,
      messageId,
      seq,
      role,
      createdAt,
      text,
      tokens,
      score: -rank,
      why,
      ...(later && {
        supersededBy: { conversationId: later.conversationId, messageId: later.messageId },
      }),
    };
  });
}
