/**
 * The text of one message inside a Markdown document. Text that a stranger wrote must not look like
 * the next turn: its headings move two levels down, below those that name the speakers, and a code
 * fence that it leaves open is closed. Everything else stays as it was written.
 */

/** CommonMark: a backtick fence has no backtick in the rest of its line. */
const FENCE = /^( {0,3})(`{3,}(?=[^`]*$)|~{3,})/;
const HEADING = /^( {0,3}#{1,6})(?=[ \t\r]|$)/;
const UNDERLINE = /^ {0,3}(=+|-+)[ \t\r]*$/;
/** HTML headings, and comments that could hide the messages after them. */
const HTML = /<(?=\/?h[1-6]\b|!--)/gi;
const MAX_LEVEL = 6;

interface Fence {
  readonly marks: string;
  readonly indent: number;
}

/** The content as Markdown in which no heading has level 1 or 2 and no code fence is open at the end. */
export function messageMarkdown(content: string): string {
  const lines: string[] = [];
  const fence = eachLine(content.trimEnd(), (line, isCode) =>
    lines.push(isCode ? line : lowered(line, lines.at(-1))),
  );
  if (fence !== undefined) lines.push(fence);
  return lines.join('\n');
}

/** The line that closes the code fence which the content leaves open; `undefined` where it leaves none. */
export const closingFence = (content: string): string | undefined =>
  eachLine(content, () => undefined);

/** Gives the line that closes what is open at the end. */
function eachLine(
  content: string,
  take: (line: string, isCode: boolean) => void,
): string | undefined {
  let open: Fence | undefined;
  for (const line of content.split('\n')) {
    const [, space = '', marks = ''] = FENCE.exec(line) ?? [];
    // A line further left than its fence ends the list that both were in, and the fence with it.
    if (open !== undefined && line.trim() !== '' && indentOf(line) < open.indent) open = undefined;
    take(line, open !== undefined);
    if (marks === '') continue;
    if (open === undefined) open = { marks, indent: space.length };
    else if (marks.startsWith(open.marks) && line.trim() === marks) open = undefined;
  }
  return open && ' '.repeat(open.indent) + open.marks;
}

const indentOf = (line: string) => line.length - line.trimStart().length;

function lowered(line: string, before: string | undefined): string {
  const [, marks] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    const level = Math.min(MAX_LEVEL, marks.trimStart().length + 2);
    return '#'.repeat(level) + line.slice(marks.length).replace(HTML, '&lt;');
  }
  // Below a paragraph such a line makes a heading of it; below a blank line it is a rule.
  if (UNDERLINE.test(line) && before !== undefined && before.trim() !== '')
    return `\\${line.trim()}`;
  return line.replace(HTML, '&lt;');
}
