/**
 * What recall uses of one language: a stemmer, words without a subject, and the few cues by which a
 * question shows what it asks for. One file for each language; what is not listed is searched by whole words.
 */
export interface Language {
  /** ISO 639-1. */
  readonly code: string;
  /** Lower case in, stem out. */
  stem(word: string): string;
  /** Function words: never indexed; they show the language of a text. */
  readonly stopWords: ReadonlySet<string>;
  /** Words about the conversation and not about its subject; stemmed when compared. */
  readonly conversationWords: readonly string[];
  readonly cues: Cues;
}

/** Of a question or a message, in lower case. */
export interface Cues {
  /** The question asks what the assistant said. */
  readonly asksAssistant?: RegExp;
  /** The question asks for help, code or advice, so standing wishes apply to the answer. */
  readonly isRequest?: RegExp;
  /** The question asks what happened or was said before: standing wishes do not answer it. */
  readonly isRecollection?: RegExp;
  /** The question wants an overview or the order of things. */
  readonly isOverview?: RegExp;
  /** The question wants the order of things and no overview. */
  readonly isSequence?: RegExp;
  /** The message lays something down for later answers. */
  readonly isInstruction?: RegExp;
  /** The message says that something is otherwise than before. */
  readonly isChange?: RegExp;
  /** The message says what its speaker likes. */
  readonly isPreference?: RegExp;
}

export const wordList = (text: string): readonly string[] => text.trim().split(/\s+/);
