/**
 * `Intl.Segmenter` for texts of any length. V8 copies the whole text it was given for each segment of
 * it, so a long line costs its square in time and in memory: one pasted page of Japanese takes a
 * second, a pasted book all the memory there is. Here it never sees more than a window of the text.
 */

type Granularity = 'sentence' | 'word';

export interface Segment {
  readonly segment: string;
  readonly isWordLike: boolean;
}

const WINDOW = 500;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Made at the first use: loading their data would delay the start of every server. */
const segmenters = new Map<Granularity, Intl.Segmenter>();

function segmenter(granularity: Granularity): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
  segmenters.set(granularity, made);
  return made;
}

/** A line of it has the words that `PLAIN_WORD` finds: Latin letters, digits, and signs that no rule of a language joins. */
const PLAIN_LINE = /^[\t -~\u00a0§«°»\u00c0-\u024f‘’“”„–—…]*$/;
const PLAIN_WORD = plainWordPattern();

/**
 * The words of `text` that have a letter or a digit, in order, as `Intl.Segmenter` finds them: letters and digits,
 * with a point or an apostrophe between two of them. Lines in Latin letters alone cost a thirtieth of `segmentsOf`.
 */
export function wordsOf(text: string): readonly string[] {
  if (PLAIN_LINE.test(text)) return text.match(PLAIN_WORD) ?? [];
  const words: string[] = [];
  for (const { segment, isWordLike } of segmentsOf('word', text)) {
    if (isWordLike && HAS_LETTER_OR_DIGIT.test(segment)) words.push(segment);
  }
  return words;
}

function plainWordPattern(): RegExp {
  const letter = 'A-Za-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u024f';
  const inWord = `${letter}0-9_`;
  const joined = `(?<=[${letter}])[.:'‘’](?=[${letter}])|(?<=[0-9])[.,;'‘’](?=[0-9])`;
  return new RegExp(`(?=_*[${letter}0-9])[${inWord}]+(?:(?:${joined})[${inWord}]+)*`, 'g');
}

/** In order, leaving out nothing; looks no further than what is asked for. A segment may be longer than the window. */
export function* segmentsOf(granularity: Granularity, text: string): Generator<Segment> {
  let begun = 0;
  let from = 0;
  while (from < text.length) {
    const isLast = from + WINDOW >= text.length;
    const window = text.slice(from, from + WINDOW);
    for (const { index, segment, isWordLike = false } of segmenter(granularity).segment(window)) {
      const end = index + segment.length;
      // The last one may go on behind the window.
      if (end === window.length && !isLast) break;
      yield { segment: text.slice(begun, from + end), isWordLike };
      begun = from + end;
    }
    from = isLast || begun <= from ? from + WINDOW : begun;
  }
}
