/**
 * What recall uses of one language: a stemmer, stop words, and cues that show what a question asks for.
 * Each language has one file. Words of other languages are indexed without stemming.
 */
export interface Language {
  /** ISO 639-1. */
  readonly code: string;
  /** Stem of a word in lower case. */
  stem(word: string): string;
  /** The language joins nouns to one word, in which the most general noun is the last part. */
  readonly joinsNouns?: boolean;
  /** Another spelling of a word in lower case; the word itself if there is none. */
  otherSpelling?(word: string): string;
  /** Function words. They are not indexed; they determine the language of a text. */
  readonly stopWords: ReadonlySet<string>;
  /** About the conversation, not its subject ("mention", "list"). Compared by their stems. */
  readonly conversationWords: readonly string[];
  /** In an instruction, the subject of the questions to which it applies follows these words. */
  readonly askWords?: readonly string[];
  /** A message with one of them answers the question whether something ever happened. */
  readonly neverWords?: readonly string[];
  readonly cues: Cues;
  /**
   * Every message that `isInstruction` matches has one of these words, so that a message without them need not
   * be tested; the same for `isPreference`.
   */
  readonly cueWords?: {
    readonly instruction: readonly string[];
    readonly preference: readonly string[];
  };
  readonly timePhrases?: TimePhrases;
}

/**
 * Phrases that name a time relative to today. Each list has a phrase for the present unit ("this week"), then
 * one for the unit before it ("last week"), and so on.
 */
export interface TimePhrases {
  readonly day: readonly RegExp[];
  readonly week: readonly RegExp[];
  readonly month: readonly RegExp[];
  readonly year: readonly RegExp[];
  /** "3 weeks ago". Groups: `count`, and `day`, `week`, `month` or `year` for the unit. */
  readonly ago: RegExp;
  /** "in the last 3 weeks", with the same groups; without a count, one unit is meant. */
  readonly recent: RegExp;
  /** The numbers from 1 to 10 by their words, which `count` can have. "a" and "an" mean 1. */
  readonly numbers: Readonly<Record<string, number>>;
}

/** Patterns that are tested on the lower-case text of a question or a message. */
export interface Cues {
  /** The question asks what the assistant said. */
  readonly asksAssistant?: RegExp;
  /** The question asks for help, code or advice, so standing preferences apply to the answer. */
  readonly isRequest?: RegExp;
  /** The question asks what happened or was said before, so standing preferences do not answer it. */
  readonly isRecollection?: RegExp;
  /** The question asks for a number or a duration. */
  readonly asksForNumber?: RegExp;
  /** The question asks whether something ever happened ("Have I been to Rome?"). */
  readonly asksWhetherEver?: RegExp;
  /** The question asks for an overview. */
  readonly isOverview?: RegExp;
  /** The question asks for the order of events, not for an overview. */
  readonly isSequence?: RegExp;
  /** The message is a standing instruction for later answers. */
  readonly isInstruction?: RegExp;
  /** The message says that something has changed. */
  readonly isChange?: RegExp;
  /** The message states what its speaker likes. */
  readonly isPreference?: RegExp;
}

export const wordList = (text: string): readonly string[] => text.trim().split(/\s+/);

/**
 * A stemmer that returns the stem of the infinitive for the forms of irregular verbs that `stemmer` does not join with
 * it. An entry of `table` is the infinitive and these forms (`vendre vendu, …`).
 */
export function withIrregularVerbs(
  stemmer: (word: string) => string,
  table: string,
): (word: string) => string {
  // Filled at the first word, because a command that searches nothing loads the languages too.
  let stems: Map<string, string> | undefined;
  const fill = () => {
    const filled = new Map<string, string>();
    for (const [infinitive = '', ...forms] of table.split(',').map(wordList))
      for (const form of forms) filled.set(stemmer(form), stemmer(infinitive));
    return filled;
  };
  return (word) => {
    const stem = stemmer(word);
    stems ??= fill();
    return stems.get(stem) ?? stem;
  };
}

/** The numbers of `TimePhrases` from their words in order; `|` separates forms of one number. */
export const numberWords = (text: string): Readonly<Record<string, number>> =>
  Object.fromEntries(
    wordList(text).flatMap((forms, at) => forms.split('|').map((form) => [form, at + 1])),
  );
