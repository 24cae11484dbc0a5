/** Scores the sessions of conversations for a question: BM25 of the words, and cosine of the best vector. */
import { lastAtMost } from '../../base/arrays/binary-search.js';
import type { Candidate, Hits, MessageScorer } from '../matching/lexical-score.js';
import type { IndexedConversation } from '../matching/message-table.js';
import { sessionsOf } from '../matching/sessions.js';
import type { Question } from '../question.js';
import type { VectorScores } from '../vector-source.js';

/** BM25 constants for the text of a session. */
const SESSION_K1 = 1.2;
const SESSION_B = 0.75;

export interface SessionInput {
  readonly question: Question;
  readonly candidates: readonly Candidate[];
  readonly scorer: MessageScorer;
  readonly vectors: VectorScores | undefined;
}

export interface Session {
  readonly first: number;
  /** The message after its last one. */
  readonly end: number;
  readonly words: number;
  readonly vector: number;
}

/** BM25 of the text of each session, and the best cosine in each. */
export class SessionScores {
  readonly #bounds = new Map<IndexedConversation, Uint32Array>();
  readonly #frequencies = new Map<IndexedConversation, Uint32Array[]>();
  readonly #known = new Map<IndexedConversation, (Session | undefined)[]>();
  readonly #input: SessionInput;
  readonly #idf: Float64Array;
  readonly #length: number;

  constructor(input: SessionInput) {
    this.#input = input;
    const count = input.question.words.length;
    const having = new Uint32Array(count);
    let sessions = 0;
    let terms = 0;
    for (const indexed of new Set(input.candidates.map((candidate) => candidate.indexed))) {
      const bounds = sessionsOf(indexed.conversation);
      const frequencies = sessionFrequencies(input.scorer.hitsIn(indexed), bounds, count);
      this.#bounds.set(indexed, bounds);
      this.#frequencies.set(indexed, frequencies);
      this.#known.set(indexed, []);
      for (const session of frequencies)
        session.forEach((frequency, word) => {
          if (frequency > 0) having[word] = (having[word] ?? 0) + 1;
        });
      sessions += frequencies.length;
      terms += indexed.conversation.terms.length;
    }
    this.#length = sessions === 0 ? 1 : terms / sessions;
    this.#idf = Float64Array.from(having, (have, word) => {
      const { weight = 0 } = input.question.words[word] ?? {};
      return weight * Math.log(1 + (sessions - have + 0.5) / (have + 0.5));
    });
  }

  of(indexed: IndexedConversation, message: number): Session {
    const bounds = this.#bounds.get(indexed) ?? new Uint32Array(2);
    const session = lastAtMost(bounds, bounds.length - 1, message);
    const known = this.#known.get(indexed);
    const found = known?.[session] ?? this.#score(indexed, bounds, session);
    if (known !== undefined) known[session] = found;
    return found;
  }

  #score(indexed: IndexedConversation, bounds: Uint32Array, session: number): Session {
    const { conversation, conversationId } = indexed;
    const first = bounds[session] ?? 0;
    const end = bounds[session + 1] ?? 0;
    const length = (conversation.starts[end] ?? 0) - (conversation.starts[first] ?? 0);
    const norm = SESSION_K1 * (1 - SESSION_B + (SESSION_B * length) / this.#length);
    let words = 0;
    this.#frequencies.get(indexed)?.[session]?.forEach((frequency, word) => {
      words += ((this.#idf[word] ?? 0) * frequency * (SESSION_K1 + 1)) / (frequency + norm);
    });
    const vector = this.#input.vectors?.highest(conversationId, first + 1, end + 1) ?? -1;
    return { first, end, words, vector };
  }
}

function sessionFrequencies(hits: Hits, bounds: Uint32Array, words: number) {
  const counted = Array.from({ length: bounds.length - 1 }, () => new Uint32Array(words));
  let session = 0;
  hits.positions.forEach((position, hit) => {
    while ((hits.conversation.starts[bounds[session + 1] ?? 0] ?? 0) <= position) session++;
    const word = hits.words[hit] ?? 0;
    const frequencies = counted[session];
    if (frequencies !== undefined) frequencies[word] = (frequencies[word] ?? 0) + 1;
  });
  return counted;
}
