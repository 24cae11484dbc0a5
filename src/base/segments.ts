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

/** Made at the first use: loading their data would delay the start of every server. */
const segmenters = new Map<Granularity, Intl.Segmenter>();

function segmenter(granularity: Granularity): Intl.Segmenter {
  const made = segmenters.get(granularity) ?? new Intl.Segmenter('en', { granularity });
  segmenters.set(granularity, made);
  return made;
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
