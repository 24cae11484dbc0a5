/** Scores the sessions of conversations for a question: BM25 of the words, and cosine of the best vector. */
import { lastAtMost } from '../../base/arrays/binary-search.js';
import type { Candidate, Hits, MessageScorer } from '../matching/lexical-score.js';
import type { IndexedConversation } from '../matching/message-table.js';
import { sessionsOf } from '../matching/sessions.js';
import type { Question } from '../question/question.js';
import type { VectorScores } from '../vector-source.js';

/** BM25 constants for the text of a session. */
const SESSION_K1 = 1.2;
const SESSION_B = 0.75;

export interface SessionInput {
  readonly question: Question;
  /** Their conversations are the collection for the BM25 of sessions. */
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

/** The sessions of one conversation. */
interface Sessions {
  /** The first message of each session, then the number of messages. */
  readonly bounds: Uint32Array;
  /** By session and word: how often the session has the word. */
  readonly frequencies: Uint32Array;
  /** Those that were scored. */
  readonly scored: Map<number, Session>;
}

/** BM25 of the text of each session, and the best cosine in each. */
export class SessionScores {
  readonly #sessions = new Map<IndexedConversation, Sessions>();
  readonly #input: SessionInput;
  readonly #idf: Float64Array;
  readonly #length: number;

  constructor(input: SessionInput) {
    this.#input = input;
    const having = new Uint32Array(input.question.words.length);
    let sessions = 0;
    let terms = 0;
    for (const indexed of new Set(input.candidates.map((candidate) => candidate.indexed))) {
      const bounds = sessionsOf(indexed.conversation);
      const frequencies = sessionFrequencies(input.scorer.hitsIn(indexed), bounds, having);
      this.#sessions.set(indexed, { bounds, frequencies, scored: new Map() });
      sessions += bounds.length - 1;
      terms += indexed.conversation.terms.length;
    }
    this.#length = sessions === 0 ? 1 : terms / sessions;
    this.#idf = Float64Array.from(having, (have, word) => {
      const { weight = 0 } = input.question.words[word] ?? {};
      return weight * Math.log(1 + (sessions - have + 0.5) / (have + 0.5));
    });
  }

  /** The session of a candidate. */
  of(indexed: IndexedConversation, message: number): Session {
    const { bounds, frequencies, scored } = this.#sessions.get(indexed) as Sessions;
    const at = lastAtMost(bounds, bounds.length - 1, message);
    const words = this.#idf.length;
    const session =
      scored.get(at) ??
      this.#score(
        indexed,
        bounds.subarray(at, at + 2),
        frequencies.subarray(at * words, (at + 1) * words),
      );
    scored.set(at, session);
    return session;
  }

  #score(
    { conversation, conversationId }: IndexedConversation,
    [first = 0, end = 0]: Uint32Array,
    frequencies: Uint32Array,
  ): Session {
    const length = (conversation.starts[end] ?? 0) - (conversation.starts[first] ?? 0);
    const norm = SESSION_K1 * (1 - SESSION_B + (SESSION_B * length) / this.#length);
    let words = 0;
    frequencies.forEach((frequency, word) => {
      words += ((this.#idf[word] ?? 0) * frequency * (SESSION_K1 + 1)) / (frequency + norm);
    });
    const vector = this.#input.vectors?.highest(conversationId, first + 1, end + 1) ?? -1;
    return { first, end, words, vector };
  }
}

/** `having`: by word, the number of sessions that have it. Those of this conversation are added. */
function sessionFrequencies(
  { conversation, positions, words }: Hits,
  bounds: Uint32Array,
  having: Uint32Array,
): Uint32Array {
  const frequencies = new Uint32Array((bounds.length - 1) * having.length);
  let session = 0;
  positions.forEach((position, hit) => {
    while ((conversation.starts[bounds[session + 1] ?? 0] ?? 0) <= position) session++;
    const word = words[hit] ?? 0;
    const at = session * having.length + word;
    if (frequencies[at] === 0) having[word] = (having[word] ?? 0) + 1;
    frequencies[at] = (frequencies[at] ?? 0) + 1;
  });
  return frequencies;
}
