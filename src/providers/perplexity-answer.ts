/**
 * The answers of Perplexity in one form for both API formats, and the parts of the text that both share:
 * thinking in `<think>`, and related questions after a delimiter line. Uses neither HTTP nor stored
 * conversations.
 */
import { defined } from '../base/json.js';
import { type JsonObject, numberIn, objectIn } from '../base/json-fields.js';
import { singleLine } from './upstream-text.js';

export interface SearchResult {
  /** The number of marks such as `[3]` in the text. */
  readonly id: number;
  readonly url: string;
  readonly title: string;
  readonly snippet?: string;
  readonly date?: string;
  readonly lastUpdated?: string;
  /** Further numbers of the same page. */
  readonly alsoMarked?: readonly number[];
}

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly reasoningTokens?: number;
  readonly cachedInputTokens?: number;
  readonly citationTokens?: number;
  readonly searchQueries?: number;
  /** The usage as the server sent it. */
  readonly raw: JsonObject;
}

export interface Cost {
  readonly currency: string;
  readonly total: number;
}

export interface PerplexityAnswer {
  readonly responseId: string;
  readonly model: string;
  /** The answer without thinking and without related questions. */
  readonly text: string;
  readonly searchResults: readonly SearchResult[];
  readonly relatedQuestions: readonly string[];
  readonly usage?: Usage;
  readonly cost?: Cost;
  readonly thinking?: string;
  /** Why the text ends early; absent if it is complete. */
  readonly incomplete?: string;
}

export interface PendingRun {
  readonly status: 'queued' | 'in_progress';
  readonly runId: string;
}

export type EndedRun =
  | { readonly status: 'completed'; readonly answer: PerplexityAnswer }
  | { readonly status: 'failed' | 'cancelled'; readonly runId?: string; readonly reason: string };

export type RunState = PendingRun | EndedRun;

export function isPending(state: RunState): state is PendingRun {
  return state.status === 'queued' || state.status === 'in_progress';
}

const RELATED_DELIMITER = '=== RELATED QUESTIONS ===';

/** Added to the system prompt if the API has no field for related questions. */
export const RELATED_INSTRUCTION =
  `After the complete answer write one line that is exactly ${RELATED_DELIMITER} ` +
  'and below it three to five short questions a reader might ask next, one a line, without numbers.';

const MAX_RELATED = 10;
const MAX_SNIPPET = 500;
const MAX_SOURCES = 200;

/** Splits the text at the last delimiter line, if there is one. */
export function splitRelated(text: string): { text: string; relatedQuestions: string[] } {
  const lines = text.split('\n');
  const at = lines.findLastIndex((line) => line.replace(/[*#`]/g, '').trim() === RELATED_DELIMITER);
  if (at === -1) return { text, relatedQuestions: [] };
  const relatedQuestions = lines
    .slice(at + 1)
    .map((line) => singleLine(line.replace(/^\s*(?:(?:[-*•]|\d+[.)])\s+)*/, '')))
    .filter((line) => line !== '')
    .slice(0, MAX_RELATED);
  return { text: lines.slice(0, at).join('\n').trimEnd(), relatedQuestions };
}

/** Removes a `<think>` block at the beginning. If the block is not closed, no text is left. */
export function splitThinking(content: string): { text: string; thinking?: string } {
  const opened = /^\s*<think>/.exec(content);
  if (opened === null) return { text: content };
  const end = content.indexOf('</think>');
  if (end === -1) return { text: '', thinking: content.slice(opened[0].length).trim() };
  const thinking = content.slice(opened[0].length, end).trim();
  return { text: content.slice(end + '</think>'.length).trimStart(), thinking };
}

/** One entry for each page, in the order of the server: only http(s) addresses, at most MAX_SOURCES. */
export function toSearchResults(found: readonly JsonObject[]): SearchResult[] {
  const byUrl = new Map<string, SearchResult>();
  found.forEach((item, index) => {
    const url = typeof item['url'] === 'string' ? webAddress(item['url'].trim()) : undefined;
    if (url === undefined) return;
    const id = numberIn(item['id']) ?? index + 1;
    const seen = byUrl.get(url);
    if (seen === undefined) byUrl.set(url, toSearchResult(item, id, url));
    else if (seen.id !== id) {
      byUrl.set(url, { ...seen, alsoMarked: [...(seen.alsoMarked ?? []), id] });
    }
  });
  return [...byUrl.values()].slice(0, MAX_SOURCES);
}

/** The address with encoded spaces, quotation marks and angle brackets; `undefined` if it is not http(s). */
function webAddress(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return undefined;
  return /[\s"<>]/.test(text) ? new URL(text).href : text;
}

function toSearchResult(item: JsonObject, id: number, url: string): SearchResult {
  const line = (key: string, max: number): string | undefined => {
    const value = item[key];
    const text = typeof value === 'string' ? singleLine(value) : '';
    return text === '' ? undefined : Array.from(text).slice(0, max).join('');
  };
  const snippet = line('snippet', MAX_SNIPPET);
  const date = line('date', 40);
  const lastUpdated = line('last_updated', 40);
  return defined({ id, url, title: line('title', 300) ?? url, snippet, date, lastUpdated });
}

/** Usage in one form for both API formats; `undefined` if there is none. */
export function toUsage(value: unknown): Usage | undefined {
  const raw = objectIn(value);
  if (Object.keys(raw).length === 0) return undefined;
  const pick = (...keys: string[]) =>
    keys.map((key) => numberIn(raw[key])).find((n) => n !== undefined);
  const inputTokens = pick('input_tokens', 'prompt_tokens') ?? 0;
  const outputTokens = pick('output_tokens', 'completion_tokens') ?? 0;
  const details = {
    reasoningTokens:
      pick('reasoning_tokens') ??
      numberIn(objectIn(raw['output_tokens_details'])['reasoning_tokens']),
    cachedInputTokens: numberIn(objectIn(raw['input_tokens_details'])['cache_read_input_tokens']),
    citationTokens: pick('citation_tokens'),
    searchQueries: pick('num_search_queries') ?? webSearchCount(raw),
  };
  return {
    inputTokens,
    outputTokens,
    totalTokens: pick('total_tokens') ?? inputTokens + outputTokens,
    ...defined(details),
    raw,
  };
}

/** The cost of the run as the server reports it. */
export function toCost(usage: unknown): Cost | undefined {
  const cost = objectIn(objectIn(usage)['cost']);
  const total = numberIn(cost['total_cost']);
  if (total === undefined) return undefined;
  const currency = typeof cost['currency'] === 'string' ? cost['currency'] : 'USD';
  return { currency: singleLine(currency).slice(0, 8), total };
}

function webSearchCount(raw: JsonObject): number | undefined {
  const tools = objectIn(raw['tool_calls_details']);
  return numberIn(objectIn(tools['web_search'])['invocation']);
}
