/** Converts answers in HTML back to plain text with simple Markdown. */
import { fenced } from '../../../base/text/code-block.js';

const ENTITIES = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
  ['nbsp', ' '],
]);
const LINK = /<a\b([^<>]*)>([^<>]*)<\/a>/gi;
/** Searched in the attributes only: as a part of LINK it would take quadratic time in a long tag. */
const HREF = /\bhref="(https?:[^"]*)"/i;
const BLOCK = /<\/?(?:p|div|ul|ol|table|h[1-6]|blockquote|section|hr)\b[^<>]*>/gi;

const linkTo = (url: string | undefined, text: string): string =>
  url === undefined || url === text ? text : `[${text}](${url})`;

/** Tags are only removed, so that no text can turn into a tag. */
export function textOfHtml(html: string): string {
  const codes: string[] = [];
  const [first = '', ...others] = html.split(/<pre\b[^<>]*>/i);
  const withoutCode = [
    first,
    ...others.map((part) => {
      const end = part.search(/<\/pre>/i);
      if (end === -1) return part;
      codes.push(fenced(plain(part.slice(0, end)).trim()));
      return `\n\n\u0000${codes.length - 1}\u0000\n\n${part.slice(end)}`;
    }),
  ].join('');
  const marked = withoutCode
    .replace(/<h([1-6])\b[^<>]*>/gi, (_all, level: string) => `\n\n${'#'.repeat(Number(level))} `)
    .replace(/<li\b[^<>]*>/gi, '\n- ')
    .replace(/<tr\b[^<>]*>/gi, '\n')
    .replace(/<\/tr>/gi, '|')
    .replace(/<t[dh]\b[^<>]*>/gi, '| ')
    .replace(/<\/t[dh]>/gi, ' ')
    .replace(LINK, (_all, attributes: string, text: string) =>
      linkTo(HREF.exec(attributes)?.[1], text),
    )
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<\/?(?:b|strong)\b[^<>]*>/gi, '**')
    .replace(/<\/?code\b[^<>]*>/gi, '`')
    .replace(BLOCK, '\n\n');
  return plain(marked)
    .replace(/(?<![ \t])[ \t]+\n/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
    .replaceAll(PLACE, (_all, index: string) => codes[Number(index)] ?? '');
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the text of a page contains no NUL
const PLACE = /\u0000(\d+)\u0000/g;

const plain = (html: string): string => withoutEntities(html.replace(/<[^<>]*>/g, ''));

/** The text with a character in the place of each entity, such as `&amp;`. */
export function withoutEntities(text: string): string {
  return text.replace(/&(#x?[0-9a-f]+|[a-z]+);/gi, (all, name: string) => {
    if (!name.startsWith('#')) return ENTITIES.get(name.toLowerCase()) ?? all;
    const isHex = /^#x/i.test(name);
    const code = Number.parseInt(name.slice(isHex ? 2 : 1), isHex ? 16 : 10);
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });
}
