/**
 * Finds passages of earlier conversations about the subject of a session: recall searches for the words
 * that distinguish the session. Passages may be shortened but are never rephrased.
 */
import { estimateTextTokens } from '../base/text/estimate-tokens.js';
import type { SearchCaller } from '../search/messages/keyword-search.js';
import type { RecallSearch } from '../search/recall/recall-search.js';
import type { Candidate } from './picked-sentences.js';
import { shortened } from './session-start-budget.js';

/** The start of a session waits at most this long for the recall index. */
const MAX_WAIT_MS = 500;
/** Number of the best hits that are considered; most of them are in the session's own conversation. */
const HITS_CONSIDERED = 200;
const MAX_PASSAGES = 3;
/** Number of messages that are read, because copies of a conversation have the same passages. */
const MAX_MESSAGES_READ = 4 * MAX_PASSAGES;
/** A passage with only one word of the session is mostly about another subject. */
const MIN_WORDS = 2;

export interface RelatedPassage extends Candidate {
  /** Words of the session that the passage has, in whatever form. */
  readonly words: readonly string[];
}

export interface RelatedRequest {
  readonly words: readonly string[];
  readonly module?: string | undefined;
  /** Ids of conversations that are left out. */
  readonly except: ReadonlySet<string>;
  /** Contents of messages that are left out: a branch of the session's conversation repeats them. */
  readonly known: ReadonlySet<string>;
  /** Budget of all passages together. */
  readonly tokens: number;
}

/** The best of each conversation, at most three. `undefined` without an index. Throws CANCELLED. */
export async function relatedPassages(
  recall: RecallSearch,
  { words, module, except, known, tokens }: RelatedRequest,
  caller: SearchCaller,
): Promise<RelatedPassage[] | undefined> {
  if (words.length < MIN_WORDS) return [];
  if (!(await recall.ready({ ...caller, maxWaitMs: MAX_WAIT_MS }))) return undefined;
  const filters = module === undefined ? {} : { module };
  const { answer } = await recall.ask(words.join(' '), filters, 'hybrid', caller);
  const seen = new Set(except);
  const found = answer.hits(0, HITS_CONSIDERED).filter(({ conversationId, evidence }) => {
    if (seen.has(conversationId) || evidence.words.length < MIN_WORDS) return false;
    seen.add(conversationId);
    return true;
  });
  const wordsAt = new Map(found.map(({ position, evidence }) => [position, evidence.words]));
  const { hits } = await recall.hits(answer, found.slice(0, MAX_MESSAGES_READ), {});
  const texts = new Set<string>();
  let room = tokens;
  return hits.flatMap(({ position, passage, content, ...hit }) => {
    const text = content.slice(passage.start, passage.end).trim();
    if (texts.size === MAX_PASSAGES || texts.has(text) || known.has(content)) return [];
    texts.add(text);
    const shown = shortened(text, Math.min(room, tokens / MAX_PASSAGES));
    if (shown === undefined) return [];
    room -= estimateTextTokens(shown.content);
    const { conversationId, messageId, seq, role, createdAt } = hit;
    const words = wordsAt.get(position) ?? [];
    return [{ text: shown.content, words, conversationId, messageId, seq, role, createdAt }];
  });
}
