/** Ranges of a text: joins those that overlap, and puts marks around them. */

export interface Marks {
  /** `<mark>` unless given. */
  readonly open?: string;
  /** `</mark>` unless given. */
  readonly close?: string;
}

/** `to` is exclusive. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Joins overlapping ranges, and with `joinsTouching` also those that touch. `ranges` ascend by `from`. */
export function mergeRanges(ranges: readonly Range[], joinsTouching: boolean): Range[] {
  const merged: { from: number; to: number }[] = [];
  for (const { from, to } of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && (from < last.to || (joinsTouching && from === last.to)))
      last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

/** The part `window` of a text with marks around the ranges, which ascend, do not overlap and lie inside it. */
export function markRanges(
  text: string,
  ranges: readonly Range[],
  window: Range,
  { open = '<mark>', close = '</mark>' }: Marks,
): string {
  let marked = '';
  let copied = window.from;
  for (const { from, to } of ranges) {
    marked += text.slice(copied, from) + open + text.slice(from, to) + close;
    copied = to;
  }
  return marked + text.slice(copied, window.to);
}
