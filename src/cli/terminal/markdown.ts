/**
 * Renders Markdown for a terminal: headings, lists, quotes, code and tables, with a few colours, wrapped
 * to the width. The text is not trusted: control characters are escaped, HTML is shown as text, and links
 * show their URL.
 */
import { lexer, type Token, type Tokens } from 'marked';
import { parsedMarkdown } from '../../base/text/parsed-markdown.js';
import { padEnd, widest, wrap } from './columns.js';
import type { Paint } from './paint.js';
import { escapeLines } from './terminal-text.js';

/** Longer lines are hard to read. */
const MAX_WIDTH = 100;
/** Shorter lines cannot be wrapped well. */
const MIN_WIDTH = 20;
/** Deeper quotes and lists are shown without rendering. */
const MAX_DEPTH = 12;

interface RenderContext {
  readonly paint: Paint;
  readonly width: number;
  readonly depth: number;
}

export function renderMarkdown(text: string, paint: Paint, columns: number): string {
  const width = Math.max(MIN_WIDTH, Math.min(columns, MAX_WIDTH));
  const context = { paint, width, depth: 0 };
  const tokens = parsedMarkdown(text.replace(/\t/g, '    '), lexer);
  if (tokens === undefined) return `${wrap(escapeLines(text), width).join('\n')}\n`;
  return `${blocks(tokens, context).join('\n\n')}\n`;
}

/** One string for each block; its lines are joined by LF. */
function blocks(tokens: readonly Token[], context: RenderContext): string[] {
  return tokens.flatMap((token) => {
    const lines = linesOf(token, context);
    return lines.length === 0 ? [] : [lines.join('\n')];
  });
}

function linesOf(token: Token, context: RenderContext): string[] {
  const { paint, width } = context;
  if (context.depth > MAX_DEPTH) return wrap(escapeLines(token.raw), width);
  switch (token.type) {
    case 'space':
    case 'def':
      return [];
    case 'heading':
      return heading(token as Tokens.Heading, context);
    case 'hr':
      return [paint.dim('─'.repeat(width))];
    case 'code':
      return (token as Tokens.Code).text
        .split('\n')
        .map((line) => `    ${paint.code(escapeLines(line))}`);
    case 'blockquote':
      return indented(blocks(inside(token), nested(context, 2)), paint.dim('│ '));
    case 'list':
      return list(token as Tokens.List, context);
    case 'table':
      return table(token as Tokens.Table, context);
    default:
      return wrap(inline(token, paint), width);
  }
}

const nested = (context: RenderContext, by: number): RenderContext => ({
  ...context,
  width: Math.max(MIN_WIDTH, context.width - by),
  depth: context.depth + 1,
});

const inside = (token: Token): readonly Token[] => ('tokens' in token && token.tokens) || [];

function indented(parts: readonly string[], edge: string): string[] {
  return parts
    .join('\n\n')
    .split('\n')
    .map((line) => `${edge}${line}`);
}

function heading({ depth, tokens }: Tokens.Heading, { paint, width }: RenderContext): string[] {
  const text = tokens.map((token) => inline(token, paint)).join('');
  return wrap(text, width).map((line) => paint.bold(depth === 1 ? paint.underline(line) : line));
}

function list({ items, ordered, start }: Tokens.List, context: RenderContext): string[] {
  return items.flatMap(({ tokens, task, checked }, index) => {
    const mark = ordered ? `${Number(start) + index}. ` : '• ';
    const box = task ? `[${checked ? 'x' : ' '}] ` : '';
    const parts = blocks(
      tokens.filter(({ type }) => type !== 'checkbox'),
      nested(context, mark.length),
    );
    const [first = '', ...rest] = parts.join('\n').split('\n');
    return [`${mark}${box}${first}`, ...rest.map((line) => `${' '.repeat(mark.length)}${line}`)];
  });
}

/** Columns have the width of their widest cell. If the table is too wide, each cell is on its own line. */
function table({ header, rows }: Tokens.Table, { paint, width }: RenderContext): string[] {
  const texts = [header, ...rows].map((row) =>
    row.map(({ tokens }) => tokens.map((token) => inline(token, paint)).join('')),
  );
  const widths = header.map((_, column) => widest(texts.map((row) => row[column] ?? '')));
  const [names = [], ...others] = texts;
  if (widths.reduce((sum, own) => sum + own + 3, -3) > width) {
    return others.flatMap((row) =>
      row.flatMap((cell, column) => wrap(`${paint.bold(names[column] ?? '')}: ${cell}`, width)),
    );
  }
  const line = (row: readonly string[]) =>
    row.map((cell, column) => padEnd(cell, widths[column] ?? 0)).join(paint.dim(' │ '));
  const rule = widths.map((own) => '─'.repeat(own)).join('─┼─');
  return [paint.bold(line(names)), paint.dim(rule), ...others.map(line)];
}

function inline(token: Token, paint: Paint): string {
  const text = () =>
    inside(token)
      .map((each) => inline(each, paint))
      .join('');
  switch (token.type) {
    case 'strong':
      return paint.bold(text());
    case 'em':
      return paint.italic(text());
    case 'del':
      return `~${text()}~`;
    case 'codespan':
      return paint.code(escapeLines((token as Tokens.Codespan).text));
    case 'br':
      return '\n';
    case 'link':
      return link(text(), (token as Tokens.Link).href, paint);
    case 'image':
      return link(
        `[${escapeLines((token as Tokens.Image).text)}]`,
        (token as Tokens.Image).href,
        paint,
      );
    case 'escape':
      return escapeLines((token as Tokens.Escape).text);
    default:
      return inside(token).length > 0 ? text() : escapeLines(token.raw);
  }
}

/** Shows the URL after the text, because a link with a hidden URL could deceive the reader. */
function link(text: string, href: string, paint: Paint): string {
  const target = escapeLines(href);
  return text === target
    ? paint.underline(text)
    : `${paint.underline(text)} ${paint.dim(`(${target})`)}`;
}
