/** Marks words in the messages on the screen without changing the document. */

const NAME = 'found';
const MAX_MARKS = 2000;

/**
 * Marks words that begin with one of `words`, which are in lower case. Does nothing in a browser without
 * the CSS Custom Highlight API.
 */
export function markWords(place: Element | null, words: readonly string[]): void {
  if (typeof Highlight === 'undefined') return;
  CSS.highlights.delete(NAME);
  if (place === null || words.length === 0) return;
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(place, NodeFilter.SHOW_TEXT);
  while (texts.nextNode() !== null && ranges.length < MAX_MARKS) {
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
