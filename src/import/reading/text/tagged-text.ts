/** Extracts the text that programs put between their own tags, in time linear to the text. */

/**
 * The contents of all `<name>…</name>` elements, in order, and the text without these elements. The opening
 * tag may have attributes.
 */
export function extractElements(
  text: string,
  name: string,
): { readonly inside: readonly string[]; readonly rest: string } {
  const [open, close] = [`<${name}`, `</${name}>`];
  const inside: string[] = [];
  let rest = '';
  let at = 0;
  for (;;) {
    const start = openingTag(text, open, at);
    const tagEnd = start === -1 ? -1 : text.indexOf('>', start);
    const end = tagEnd === -1 ? -1 : text.indexOf(close, tagEnd);
    if (end === -1) return { inside, rest: rest + text.slice(at) };
    rest += text.slice(at, start);
    inside.push(text.slice(tagEnd + 1, end));
    at = end + close.length;
  }
}

/** The index of the next tag of this name, which is not only the beginning of a longer name; -1 if none. */
function openingTag(text: string, open: string, from: number): number {
  let at = text.indexOf(open, from);
  while (at !== -1 && !/[\s>]/.test(text.charAt(at + open.length))) {
    at = text.indexOf(open, at + open.length);
  }
  return at;
}

/** The text without the elements of these names. */
export const withoutElements = (text: string, names: readonly string[]): string =>
  names.reduce((rest, name) => extractElements(rest, name).rest, text);
