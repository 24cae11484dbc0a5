/** Why a message was found: the field `why` of a result, which `explain` shows (docs/SEARCH.md). */
import { cjkRunsOf } from '../fts/tokenizing/cjk-bigrams.js';
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
  const words = withoutPairs(
    asked.filter((word) => inContent.has(word)),
    content,
  );
  const onlyInTitle = asked.filter((word) => !inContent.has(word) && inTitle.has(word));
  const title = withoutPairs(onlyInTitle, conversationTitle);
  return { ...(words.length > 0 && { words }), ...(title.length > 0 && { title }) };
}

/** Why recall returns a message. */
export function recallWhy({ evidence }: RecallHit, content: string): Why {
  const { words, around, labelWords, cosine } = evidence;
  const typed = new Set(wordsOf(content));
  const exact = withoutPairs(
    words.filter((word) => typed.has(word)),
    content,
  );
  const forms = words.filter((word) => !typed.has(word));
  return {
    ...(exact.length > 0 && { words: exact }),
    ...(forms.length > 0 && { forms }),
    ...(around.length > 0 && { neighbours: withoutPairs(around) }),
    ...(labelWords.length > 0 && { time: [...labelWords] }),
    ...(cosine !== undefined && { meaning: Math.round(cosine * 1000) / 1000 }),
  };
}

/**
 * The words, where overlapping pairs of CJK characters are one text as the user typed it. With `content`, only
 * if that has the text.
 */
function withoutPairs(words: readonly string[], content?: string): string[] {
  const joined: string[] = [];
  let text: string | undefined;
  for (const word of words) {
    const last = joined.at(-1) ?? '';
    const [first = '', second, third] = word;
    const isNext = second !== undefined && third === undefined && last.endsWith(first);
    const longer = `${last}${second}`;
    const isOne = isNext && last !== '' && cjkRunsOf(longer)[0] === longer;
    if (isOne) text ??= content?.normalize('NFKC') ?? '';
    if (isOne && (content === undefined || text?.includes(longer)))
      joined[joined.length - 1] = longer;
    else joined.push(word);
  }
  return joined;
}
