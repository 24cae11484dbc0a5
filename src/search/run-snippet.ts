/**
 * Snippets of what was found by pairs of CJK characters: such a text has no spaces to count words by,
 * and what was typed stands within a longer run, so characters are counted and exactly the typed
 * ones are marked.
 */
import type { ColumnText, Marks, SnippetOptions } from './snippet.js';

/** Characters that take about as much room as a word. */
const CHARACTERS_A_TOKEN = 2;

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Where any of `runs` stands in a stretch of the text, in order and apart from one another. */
function rangesOf(text: string, runs: readonly string[], from: number, to: number): Range[] {
  const all = runs.flatMap((run) => {
    const found: Range[] = [];
    for (let at = text.indexOf(run, from); at >= 0 && at < to; at = text.indexOf(run, at + 1))
      found.push({ from: at, to: Math.min(to, at + run.length) });
    return found;
  });
  const apart: { from: number; to: number }[] = [];
  for (const range of all.sort((a, b) => a.from - b.from || a.to - b.to)) {
    const last = apart.at(-1);
    if (last !== undefined && range.from <= last.to) last.to = Math.max(last.to, range.to);
    else apart.push({ ...range });
  }
  return apart;
}

/** The place itself, or the one before where it would cut a character in two. */
const characterAt = (text: string, at: number) =>
  /[\udc00-\udfff]/.test(text.charAt(at)) && at > 0 ? at - 1 : at;

function marked(text: string, ranges: readonly Range[], stretch: Range, marks: Marks): string {
  const { open = '<mark>', close = '</mark>' } = marks;
  let out = '';
  let copied = stretch.from;
  for (const { from, to } of ranges) {
    out += text.slice(copied, from) + open + text.slice(from, to) + close;
    copied = to;
  }
  return out + text.slice(copied, stretch.to);
}

/** The stretch around the first run found in any of the texts; nothing where none has one. */
export function cutRunSnippet(
  sources: readonly ColumnText[],
  runs: readonly string[],
  options: SnippetOptions,
): string | undefined {
  const { ellipsis = '...', tokens = 32 } = options;
  const size = tokens * CHARACTERS_A_TOKEN;
  for (const { text } of sources) {
    const [first] = rangesOf(text, runs, 0, text.length);
    if (first === undefined) continue;
    const centred = first.from - Math.max(0, Math.trunc((size - (first.to - first.from)) / 2));
    const from = characterAt(text, Math.max(0, Math.min(centred, text.length - size)));
    const to = characterAt(text, Math.min(text.length, from + size));
    const inside = marked(text, rangesOf(text, runs, from, to), { from, to }, options);
    return (from > 0 ? ellipsis : '') + inside + (to < text.length ? ellipsis : '');
  }
  return undefined;
}

/** The whole text with every run marked. */
export function highlightRuns(text: string, runs: readonly string[], marks: Marks): string {
  const whole = { from: 0, to: text.length };
  return marked(text, rangesOf(text, runs, whole.from, whole.to), whole, marks);
}
