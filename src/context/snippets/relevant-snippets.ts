/**
 * The passages that answer a question, within a budget of tokens: found by recall, never the same
 * text twice, the best whole and the others cut to what the question asks for, the superseded marked by
 * what superseded it. A question is answered from memory while the store is as it was.
 */
import { tokenCounter } from '../../base/token-count.js';
import type { MessageFilters, SearchCaller } from '../../search/messages/message-search.js';
import type { RecalledHit, Why } from '../../search/recall/recall-hits.js';
import type { RecallSearch } from '../../search/recall/recall-search.js';
import type { SearchTier } from '../../search/recall/search-mode-names.js';
import type { Role } from '../../stores/conversations/document/schema.js';
import type { SnippetStrategy } from './strategies.js';
import { supersededBy } from './superseded.js';

/** Messages that are considered for one answer. */
const MOST_HITS = 200;
/** If less of the budget is left, no passage is searched for it. */
const SMALLEST_PASSAGE = 8;
const MOST_CACHED = 64;
/** The first so many passages are given whole, of the others the words around those of the question. */
const WHOLE = 5;
const EXCERPT_WORDS = 60;
/** A question whose answer is in many places gets excerpts only, of so many words. */
const BROAD_EXCERPT_WORDS = 40;
/** Parts of the span of time that `temporal` takes passages from in turn. */
const PERIODS = 8;

export interface SnippetRequest {
  readonly query: string;
  /** Of all texts together, by the o200k tokenizer. */
  readonly maxTokens: number;
  readonly filters: MessageFilters;
  readonly strategy: SnippetStrategy;
}

export interface Snippet {
  readonly conversationId: string;
  readonly messageId: string;
  readonly seq: number;
  readonly role: Role;
  readonly createdAt: string;
  readonly text: string;
  readonly tokens: number;
  /** Comparable within one answer only. */
  readonly score: number;
  readonly why: Why;
  readonly supersededBy?: { readonly conversationId: string; readonly messageId: string };
}

export interface Snippets {
  readonly snippets: readonly Snippet[];
  readonly tokensUsed: number;
  /** Passages that were found and had no room. */
  readonly omitted: number;
  readonly tier: SearchTier;
}

export class RelevantSnippets {
  readonly #recall: RecallSearch;
  /** By request; the least recently used first. */
  readonly #cache = new Map<string, { readonly revision: number; readonly answer: Snippets }>();

  constructor(recall: RecallSearch) {
    this.#recall = recall;
  }

  /** CANCELLED, TIMEOUT (the index is still being built), FILESYSTEM_ERROR. */
  async find(request: SnippetRequest, caller: SearchCaller = {}): Promise<Snippets> {
    await this.#recall.required(caller);
    const key = JSON.stringify(request);
    const { revision } = this.#recall;
    const known = this.#cache.get(key);
    if (known?.revision === revision) return known.answer;
    const answer = await this.#find(request, caller);
    this.#cache.delete(key);
    this.#cache.set(key, { revision, answer });
    for (const oldest of this.#cache.keys()) {
      if (this.#cache.size <= MOST_CACHED) break;
      this.#cache.delete(oldest);
    }
    return answer;
  }

  async #find(request: SnippetRequest, caller: SearchCaller): Promise<Snippets> {
    const { query, filters, strategy, maxTokens } = request;
    const { answer, tier } = await this.#recall.ask(query, filters, strategy, caller);
    const found = Array.from({ length: Math.min(MOST_HITS, answer.total) }, (_, position) => {
      const hit = answer.hit(position);
      return hit === undefined ? [] : [{ ...hit, position }];
    }).flat();
    const { hits } = await this.#recall.hits(answer, found, {});
    const count = await tokenCounter();
    const ordered = strategy === 'temporal' ? spreadOverTime(hits) : hits;
    const { isBroad } = answer.question;
    const excerpt = (hit: RecalledHit) =>
      this.#recall.excerpt(answer, hit, isBroad ? BROAD_EXCERPT_WORDS : EXCERPT_WORDS);
    const budget = { maxTokens, count, whole: isBroad ? 0 : WHOLE, excerpt };
    const { taken, omitted } = withinBudget(ordered, budget);
    const snippets = marked(taken);
    if (strategy === 'temporal') snippets.sort(byTime);
    const tokensUsed = snippets.reduce((sum, { tokens }) => sum + tokens, 0);
    return { snippets, tokensUsed, omitted, tier };
  }
}

const byTime = (a: Snippet, b: Snippet) =>
  a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.seq - b.seq;

/** The best of each part of the span of time in turn, so that no part of a story is left out. */
function spreadOverTime(hits: readonly RecalledHit[]): RecalledHit[] {
  const times = hits.map(({ createdAt }) => Date.parse(createdAt));
  const sorted = [...times].sort((a, b) => a - b);
  const periods: RecalledHit[][] = Array.from({ length: PERIODS }, () => []);
  hits.forEach((hit, at) => {
    // By rank and not by the clock: people talk a lot on some days and not at all on others.
    const rank = sorted.indexOf(times[at] ?? 0) / Math.max(1, hits.length);
    periods[Math.min(PERIODS - 1, Math.floor(rank * PERIODS))]?.push(hit);
  });
  const longest = Math.max(0, ...periods.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    periods.flatMap((period) => period[at] ?? []),
  ).flat();
}

interface Taken {
  readonly hit: RecalledHit;
  readonly passage: string;
  /** The passage or an excerpt of it. */
  readonly text: string;
  readonly tokens: number;
}

interface Budget {
  readonly maxTokens: number;
  readonly count: (text: string) => number;
  /** How many of the first passages are given whole where they fit. */
  readonly whole: number;
  readonly excerpt: (hit: RecalledHit) => string;
}

/** In their order, as long as they fit; a shorter one after one that does not fit may still. */
function withinBudget(
  hits: readonly RecalledHit[],
  { maxTokens, count, whole, excerpt }: Budget,
): { taken: Taken[]; omitted: number } {
  const taken: Taken[] = [];
  const seen = new Set<string>();
  let room = maxTokens;
  let omitted = 0;
  for (const hit of hits) {
    const passage = hit.content.slice(hit.passage.start, hit.passage.end).trim();
    if (passage === '' || seen.has(passage)) continue;
    seen.add(passage);
    const fitting = (text: string) => {
      const tokens = count(text);
      return tokens > room ? undefined : { hit, passage, text, tokens };
    };
    const found =
      room < SMALLEST_PASSAGE
        ? undefined
        : ((taken.length < whole ? fitting(passage) : undefined) ?? fitting(excerpt(hit)));
    if (found === undefined) {
      omitted += 1;
      continue;
    }
    room -= found.tokens;
    taken.push(found);
  }
  return { taken, omitted };
}

function marked(taken: readonly Taken[]): Snippet[] {
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
      ...{ conversationId, messageId, seq, role, createdAt, text, tokens, score: -rank, why },
      ...(later && {
        supersededBy: { conversationId: later.conversationId, messageId: later.messageId },
      }),
    };
  });
}
