/**
 * The code in which a part of a long message begins. The server cuts a long message between two words, so a part can
 * begin inside of code. As Markdown this code would lose characters, such as those of `__init__`.
 */
import type { StoredMessage } from './pages.js';

/** A line that begins or ends code, also in a list or a quote. */
const FENCE = /^[ \t>]*(`{3,}|~{3,})(.*)$/gm;

/**
 * For each part: the fence of the code in which it begins, such as three backquotes, or an empty text if it begins
 * outside of code. `undefined` if the part before it is not loaded, so that this is not known.
 */
export function fencesOf(parts: readonly StoredMessage[]): readonly (string | undefined)[] {
  let before: StoredMessage | undefined;
  let open: string | undefined;
  return parts.map((part) => {
    if (!part.offset) open = '';
    else if (before?.seq !== part.seq) open = undefined;
    const fence = open;
    if (part.isCut && fence !== undefined) open = fenceAfter(part.content, fence);
    before = part;
    return fence;
  });
}

function fenceAfter(text: string, first: string): string {
  let fence = first;
  for (const [, mark = '', rest = ''] of text.matchAll(FENCE)) {
    if (fence !== '') fence = mark.startsWith(fence) && rest.trim() === '' ? '' : fence;
    else if (mark.startsWith('~') || !rest.includes('`')) fence = mark;
  }
  return fence;
}
