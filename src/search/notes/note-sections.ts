/**
 * Splits a note at its headings, so that a search finds a section instead of a whole file. A section is a
 * heading of any level with the lines up to the next heading.
 */

export interface NoteSection {
  /** First line of the section, from 1: its heading, or the first line of the note. */
  readonly line: number;
  /** The headings above the section and its own, outermost first. */
  readonly headings: readonly string[];
  /** All lines of the section, including the heading. */
  readonly lines: readonly string[];
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t](.*))?$/;
/** The marks that may follow the text of a heading. */
const END_MARKS = /(?:^|[ \t])#+$/;
/** The line below a heading, of level 1 or 2. */
const UNDERLINE = /^ {0,3}(?:(={2,})|-{2,})[ \t]*$/;
/** A line that can be underlined: not indented, no list, no quote, no line of a table. */
const UNDERLINED = /^ {0,3}(?![-*+>|=]|\d+[.)])(\S.*)$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/** The sections of a note, in order; none if it has no lines. */
export function sectionsOf(lines: readonly string[]): NoteSection[] {
  const sections: NoteSection[] = [];
  const trail: { level: number; text: string }[] = [];
  let fence = '';
  let start = 0;
  const end = (next: number) => {
    if (next === start) return;
    const headings = trail.map(({ text }) => text).filter((text) => text !== '');
    sections.push({ line: start + 1, headings, lines: lines.slice(start, next) });
    start = next;
  };
  for (const [index, line] of lines.entries()) {
    const inFence = fence !== '';
    fence = fenceAfter(line, fence);
    const heading = inFence || fence !== '' ? undefined : headingAt(lines, index);
    if (heading === undefined) continue;
    end(index);
    while ((trail.at(-1)?.level ?? 0) >= heading.level) trail.pop();
    trail.push(heading);
  }
  end(lines.length);
  return sections;
}

/**
 * The heading that begins at this line. An underlined heading must be the first line of its paragraph, so that
 * neither the end of YAML frontmatter nor a rule below a longer text makes a heading.
 */
function headingAt(lines: readonly string[], index: number) {
  const line = lines[index] ?? '';
  const [, marks, text = ''] = HEADING.exec(line) ?? [];
  if (marks !== undefined) {
    return { level: marks.length, text: text.trim().replace(END_MARKS, '').trimEnd() };
  }
  const underline = UNDERLINE.exec(lines[index + 1] ?? '');
  if (underline === null || lines[index - 1]?.trim()) return undefined;
  const underlined = UNDERLINED.exec(line)?.[1];
  if (underlined === undefined) return undefined;
  return { level: underline[1] === undefined ? 2 : 1, text: underlined.trimEnd() };
}

/** The opening fence of the code block that has the next line; empty outside code blocks. */
function fenceAfter(line: string, open: string): string {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  if (marks === '') return open;
  if (open === '') return marks.startsWith('`') && rest.includes('`') ? '' : marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && rest.trim() === '';
  return closes ? '' : open;
}
