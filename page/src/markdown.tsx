/**
 * Shows stored Markdown as HTML. The text is not trusted: HTML in it is shown as text, DOMPurify allows only
 * text elements, links open in a new window without referrer, and an image is only a link.
 */
import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { parsedMarkdown } from '../../src/base/text/parsed-markdown.js';
import { copyText } from './copy.js';

const CLEAN = {
  ALLOWED_TAGS: [
    ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'li', 'blockquote', 'pre'],
    ...[
      'code',
      'em',
      'strong',
      'del',
      'a',
      'table',
      'thead',
      'tbody',
      'tr',
      'th',
      'td',
      'sup',
      'sub',
    ],
  ],
  ALLOWED_ATTR: ['href', 'start', 'align'],
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
  RETURN_TRUSTED_TYPE: true,
};
/** A longer text is shown as plain text, because its layout as Markdown would block the page. */
const MAX_LENGTH = 60_000;

/** A text with a slower Markdown is hostile, and is shown as plain text: the page is blocked meanwhile. */
const MAX_PARSING_MS = 2000;
let parsingEnd = 0;

/** Changes no token. The error makes `parsedMarkdown` return nothing. */
function requireTime(): false {
  if (performance.now() > parsingEnd) throw new RangeError('The Markdown takes too long.');
  return false;
}

/** Rendered as HTML: they are common in tables and formulas. */
const SIMPLE_TAG = /^<(?:br ?\/?|\/?su[bp])>/i;
/** Not a link such as `<https://example.org>`. */
const TAG = /^<\/?[a-z][\w-]*(?:[\s/][^<>]*)?>/i;

marked.use({
  gfm: true,
  breaks: true,
  // HTML is shown as it was written: DOMPurify would remove most of it, and a message that consists of
  // tags would look empty.
  tokenizer: {
    // The parser calls these two before each block and before each part of a line.
    space: requireTime,
    escape: requireTime,
    html: () => undefined,
    tag(source) {
      if (SIMPLE_TAG.test(source)) return false;
      const [raw] = TAG.exec(source) ?? [];
      // The type has no text, but the lexer accepts every inline token here.
      return raw === undefined ? undefined : ({ type: 'text', raw, text: raw } as never);
    },
  },
  renderer: {
    checkbox: ({ checked }) => (checked ? '☑ ' : '☐ '),
    image: ({ href, text }) => `<a href="${escaped(href)}">${escaped(text || href)} (image)</a>`,
  },
});

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

DOMPurify.addHook('afterSanitizeAttributes', (node) => {
  if (node.tagName !== 'A') return;
  node.setAttribute('rel', 'noopener noreferrer nofollow');
  node.setAttribute('target', '_blank');
});

export function Markdown({ text }: { readonly text: string }) {
  const place = useRef<HTMLDivElement>(null);
  const html = useMemo(() => (text.length > MAX_LENGTH ? undefined : cleanHtml(text)), [text]);
  useEffect(() => {
    for (const block of place.current?.querySelectorAll('pre') ?? []) addCopyButton(block);
  }, [html]);
  if (html === undefined) return <PlainText text={text} />;
  return <div ref={place} class="markdown" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

export function PlainText({ text }: { readonly text: string }) {
  return (
    <pre class="plain" tabIndex={0}>
      {text}
    </pre>
  );
}

function cleanHtml(text: string): string | undefined {
  parsingEnd = performance.now() + MAX_PARSING_MS;
  const rendered = parsedMarkdown(text, (given) => marked.parse(given, { async: false }));
  if (rendered === undefined) return undefined;
  return DOMPurify.sanitize(rendered, CLEAN) as unknown as string;
}

function addCopyButton(block: HTMLPreElement): void {
  if (block.querySelector('button') !== null) return;
  const code = block.textContent ?? '';
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void copyText(code).then((outcome) => {
      button.textContent = outcome;
    });
  });
  block.tabIndex = 0;
  block.prepend(button);
}
