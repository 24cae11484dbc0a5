/** Marks words in the messages on the screen without changing the document. */

const NAME = 'found';
/** More marks than a reader can use. */
const MOST = 2000;

/** Marks `words`, in lower case, at the beginnings of words; none where the browser has no highlights. */
export function markWords(place: Element | null, words: readonly string[]): void {
  if (typeof Highlight === 'undefined') return;
  CSS.highlights.delete(NAME);
  if (place === null || words.length === 0) return;
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null && ranges.length < MOST) {
    const text = texts.currentNode;
    const lower = (text.textContent ?? '').toLowerCase();
    if (lower.length !== text.textContent?.length) continue;
    for (const word of words) ranges.push(...rangesOf(text, lower, word));
  }
  CSS.highlights.set(NAME, new Highlight(...ranges));
}

function rangesOf(text: Node, lower: string, word: string): Range[] {
  const ranges: Range[] = [];
  for (let at = lower.indexOf(word); at >= 0; at = lower.indexOf(word, at + word.length)) {
    if (/[\p{L}\p{N}]/u.test(lower.charAt(at - 1))) continue;
    const range = new Range();
    range.setStart(text, at);
    range.setEnd(text, at + word.length);
    ranges.push(range);
  }
  return ranges;
}
