/** Text that programs put between tags of their own, found in time linear to the text. */

/** The contents of `<name>…</name>`, in order, and the text without them. */
export function elementsOut(
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

/** The text without any of these elements. */
export const withoutElements = (text: string, names: readonly string[]): string =>
  names.reduce((rest, name) => elementsOut(rest, name).rest, text);
