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

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#*)?[ \t]*$/;
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
    const heading = inFence ? null : HEADING.exec(line);
    if (heading === null) continue;
    end(index);
    const level = heading[1]?.length ?? 1;
    while ((trail.at(-1)?.level ?? 0) >= level) trail.pop();
    trail.push({ level, text: heading[2] ?? '' });
  }
  end(lines.length);
  return sections;
}

/** The opening fence of the code block that has the next line; empty outside code blocks. */
function fenceAfter(line: string, open: string): string {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  if (marks === '') return open;
  if (open === '') return marks.startsWith('`') && rest.includes('`') ? '' : marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && rest.trim() === '';
  return closes ? '' : open;
}
