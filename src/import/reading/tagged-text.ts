/** Extracts the text that programs put between their own tags, in time linear to the text. */

/** The contents of all `<name>…</name>` elements, in order, and the text without these elements. */
export function extractElements(
  text: string,
  name: string,
): { readonly inside: readonly string[]; readonly rest: string } {
  const [open, close] = [`<${name}>`, `</${name}>`];
  const inside: string[] = [];
  let rest = '';
  let at = 0;
  for (;;) {
    const start = text.indexOf(open, at);
    const end = start === -1 ? -1 : text.indexOf(close, start);
    if (end === -1) return { inside, rest: rest + text.slice(at) };
    rest += text.slice(at, start);
    inside.push(text.slice(start + open.length, end));
    at = end + close.length;
  }
}

/** The text without the elements of these names. */
export const withoutElements = (text: string, names: readonly string[]): string =>
  names.reduce((rest, name) => extractElements(rest, name).rest, text);
