/**
 * What was said in earlier conversations about the matter of a session: found by recall with the words
 * that distinguish the session. Passages are cut and never rephrased.
 */
import { estimateTextTokens } from '../base/tokens.js';
import type { SearchCaller } from '../search/messages/message-search.js';
import type { RecallSearch } from '../search/recall/recall-search.js';
import type { Candidate } from './candidates.js';
import { shortened } from './continuity.js';

/** The start of a session does not wait longer than this for an index. */
const MAX_WAIT_MS = 500;
/** Best messages that are considered; most are of the session's own conversation. */
const LOOKED_AT = 200;
const MOST_PASSAGES = 3;
/** Of them, so many are read: copies of a conversation have the same passages. */
const MOST_READ = 4 * MOST_PASSAGES;
/** One word in common is chance. */
const LEAST_WORDS = 2;

export interface RelatedPassage extends Omit<Candidate, 'rule'> {
  /** Words of the session that it has, in whatever form. */
  readonly words: readonly string[];
}

export interface RelatedRequest {
  readonly words: readonly string[];
  readonly module?: string | undefined;
  /** Conversations that are not earlier ones. */
  readonly except: ReadonlySet<string>;
  /** Of all passages together. */
  readonly tokens: number;
}

/**
 * The best of each conversation, three at most, no text twice. `undefined` while the index is being built.
 * CANCELLED.
 */
export async function relatedPassages(
  recall: RecallSearch,
  { words, module, except, tokens }: RelatedRequest,
  caller: SearchCaller,
): Promise<RelatedPassage[] | undefined> {
  if (words.length < LEAST_WORDS) return [];
  if (!(await recall.ready({ ...caller, maxWaitMs: MAX_WAIT_MS }))) return undefined;
  const filters = module === undefined ? {} : { module };
  const { answer } = await recall.ask(words.join(' '), filters, 'hybrid', caller);
  const seen = new Set(except);
  const found = Array.from({ length: Math.min(LOOKED_AT, answer.total) }, (_, position) => {
    const hit = answer.hit(position);
    if (hit === undefined || seen.has(hit.conversationId)) return [];
    if (hit.evidence.words.length < LEAST_WORDS) return [];
    seen.add(hit.conversationId);
    return [{ ...hit, position }];
  }).flat();
  const wordsAt = new Map(found.map(({ position, evidence }) => [position, evidence.words]));
  const { hits } = await recall.hits(answer, found.slice(0, MOST_READ), {});
  const texts = new Set<string>();
  let room = tokens;
  return hits.flatMap(({ position, passage, content, ...hit }) => {
    const text = content.slice(passage.start, passage.end).trim();
    if (texts.size === MOST_PASSAGES || texts.has(text)) return [];
    texts.add(text);
    const shown = shortened(text, Math.min(room, tokens / MOST_PASSAGES));
    if (shown === undefined) return [];
    room -= estimateTextTokens(shown.content);
    const { conversationId, messageId, seq, role, createdAt } = hit;
    const words = wordsAt.get(position) ?? [];
    return [{ text: shown.content, words, conversationId, messageId, seq, role, createdAt }];
  });
}
