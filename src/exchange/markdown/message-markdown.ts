/**
 * The text of a message inside a Markdown document. Text from other people must not look like another
 * message: its headings are lowered by two levels, below the headings of the speakers, and an open code
 * fence is closed. Everything else is unchanged.
 */

/** CommonMark: the info string of a backtick fence has no backticks. */
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^( {0,3}#{1,6})(?=[ \t\r]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t\r]*$/;
/**
 * HTML headings, and what could hide the messages after it: comments anywhere, and at the beginning of a line
 * declarations (`<!`), processing instructions (`<?`), and the elements that GitHub's Markdown disallows for this
 * reason.
 */
const HTML =
  /<(?=\/?h[1-6]\b|!--)|(?<=^ {0,3})<(?=[!?]|(?:title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext)\b)/gi;
/** In Markdown a carriage return alone ends a line too. */
const LINE_END = /\n|\r(?!\n)/;
const MAX_LEVEL = 6;

interface Fence {
  readonly marks: string;
  readonly indent: number;
}

/** The content as Markdown in which no heading has level 1 or 2 and no code fence is open at the end. */
export function messageMarkdown(content: string): string {
  const lines: string[] = [];
  const fence = eachLine(content.trimEnd(), (line, isCode) =>
    lines.push(isCode ? line : lowerHeading(line, lines.at(-1))),
  );
  if (fence !== undefined) lines.push(fence);
  return lines.join('\n');
}

/** The line that closes a code fence that is open at the end of the content; `undefined` if none is open. */
export const closingFence = (content: string): string | undefined =>
  eachLine(content, () => undefined);

/** Returns the line that closes the code fence that is open at the end. */
function eachLine(
  content: string,
  take: (line: string, isCode: boolean) => void,
): string | undefined {
  let open: Fence | undefined;
  for (const line of content.split(LINE_END)) {
    const [, space = '', marks = ''] = FENCE.exec(line) ?? [];
    // A line that is indented less than its fence ends the list item that has both, and so the fence.
    if (open !== undefined && line.trim() !== '' && indentOf(line) < open.indent) open = undefined;
    take(line, open !== undefined);
    if (marks === '') continue;
    if (open === undefined) open = { marks, indent: space.length };
    else if (marks.startsWith(open.marks) && line.trim() === marks) open = undefined;
  }
  return open && ' '.repeat(open.indent) + open.marks;
}

const indentOf = (line: string) => line.length - line.trimStart().length;

function lowerHeading(line: string, before: string | undefined): string {
  const [, marks] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    const level = Math.min(MAX_LEVEL, marks.trimStart().length + 2);
    return '#'.repeat(level) + line.slice(marks.length).replace(HTML, '&lt;');
  }
  // Such a line below a paragraph makes the paragraph a heading; below a blank line it is a horizontal
  // rule.
  if (UNDERLINE.test(line) && before !== undefined && before.trim() !== '')
    return `\\${line.trim()}`;
  return line.replace(HTML, '&lt;');
}
