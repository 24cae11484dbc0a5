/**
 * Snippets of CJK text that was found by bigrams. Such text has no spaces between words, and the typed
 * characters are inside a longer run. So the size of the window is counted in characters, and exactly the typed
 * characters are marked.
 */
import { type Marks, markRanges, mergeRanges, type Range } from './highlight.js';
import type { ColumnText, SnippetOptions } from './snippet.js';

/** Characters that take about as much room as a word. */
const CHARACTERS_PER_TOKEN = 2;

/** The ranges of a window of the text that contain one of the `runs`. */
function rangesOf(text: string, runs: readonly string[], { from, to }: Range): Range[] {
  const all = [...new Set(runs)].flatMap((run) => {
    const found: Range[] = [];
    for (let at = text.indexOf(run, from); at >= 0 && at < to; at = text.indexOf(run, at + 1))
      found.push({ from: at, to: Math.min(to, at + run.length) });
    return found;
  });
  all.sort((a, b) => a.from - b.from || a.to - b.to);
  return mergeRanges(all, true);
}

/** The index itself, or the one before it if it would split a character. */
const characterStart = (text: string, at: number) =>
  /[\udc00-\udfff]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;

/** The window around the first run in any of the texts; `undefined` if none contains a run. */
export function cutCjkSnippet(
  sources: readonly ColumnText[],
  runs: readonly string[],
  options: SnippetOptions,
): string | undefined {
  const { ellipsis = '...', tokens = 32 } = options;
  const size = tokens * CHARACTERS_PER_TOKEN;
  for (const { text } of sources) {
    const [first] = rangesOf(text, runs, { from: 0, to: text.length });
    if (first === undefined) continue;
    const centred = first.from - Math.max(0, Math.trunc((size - (first.to - first.from)) / 2));
    const from = characterStart(text, Math.max(0, Math.min(centred, text.length - size)));
    const window = { from, to: characterStart(text, Math.min(text.length, from + size)) };
    const marked = markRanges(text, rangesOf(text, runs, window), window, options);
    return (from > 0 ? ellipsis : '') + marked + (window.to < text.length ? ellipsis : '');
  }
  return undefined;
}

/** The whole text with every run marked. */
export function highlightCjk(text: string, runs: readonly string[], marks: Marks): string {
  const whole = { from: 0, to: text.length };
  return markRanges(text, rangesOf(text, runs, whole), whole, marks);
}
