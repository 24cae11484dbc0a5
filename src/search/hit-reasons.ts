/** Why a message was found: the field `why` of a result, which `explain` shows (docs/SEARCH.md). */
import type { RecallHit } from '../recall/answer.js';
import { wordsOf } from '../recall/words/words.js';

/** Why a message is in the answer. Empty lists are left out. */
export interface Why {
  /** Words of the question that the message has as typed. */
  readonly words?: string[];
  /** Words that only the title of its conversation has. */
  readonly title?: string[];
  /** Words that the message has in another form. */
  readonly forms?: string[];
  /** Words that only neighbouring messages or the same speaker's neighbouring turns have. */
  readonly neighbours?: string[];
  /** Words that are in its speaker's name or its date. */
  readonly time?: string[];
  /** Cosine of its best passage and the question. */
  readonly meaning?: number;
}

/** Why a keyword search returns a message: the query's words in its content and in its conversation's title. */
export function keywordWhy(query: string, content: string, conversationTitle = ''): Why {
  const inContent = new Set(wordsOf(content));
  const inTitle = new Set(wordsOf(conversationTitle));
  const prefixes = [...query.matchAll(/(?<![\p{L}\p{N}_])[\p{L}\p{N}_]+(?="?\s*\*)/gu)].flatMap(
    ([word]) => wordsOf(word),
  );
  const begun = [...inContent, ...inTitle].filter((word) =>
    prefixes.some((prefix) => word.startsWith(prefix)),
  );
  const asked = [...new Set([...wordsOf(query), ...begun])];
  const words = asked.filter((word) => inContent.has(word));
  const title = asked.filter((word) => !inContent.has(word) && inTitle.has(word));
  return { ...(words.length > 0 && { words }), ...(title.length > 0 && { title }) };
}

/** Why recall returns a message. */
export function recallWhy({ evidence }: RecallHit, content: string): Why {
  const { words, around, labelWords, cosine } = evidence;
  const typed = new Set(wordsOf(content));
  const exact = words.filter((word) => typed.has(word));
  const forms = words.filter((word) => !typed.has(word));
  return {
    ...(exact.length > 0 && { words: exact }),
    ...(forms.length > 0 && { forms }),
    ...(around.length > 0 && { neighbours: [...around] }),
    ...(labelWords.length > 0 && { time: [...labelWords] }),
    ...(cosine !== undefined && { meaning: Math.round(cosine * 1000) / 1000 }),
  };
}
