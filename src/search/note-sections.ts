/**
 * A note cut at its headings, so that a search answers with the place and not with the whole file.
 * A section is what stands below one heading, of whatever level, up to the next one.
 */

export interface NoteSection {
  /** From 1, where the section begins: its heading, or the first line of the note. */
  readonly line: number;
  /** The headings that it stands under, outermost first. */
  readonly headings: readonly string[];
  /** Its lines, the heading's included. */
  readonly lines: readonly string[];
}

const HEADING = /^ {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#*)?[ \t]*$/;
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/;

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

/** The fence of the code block that the next line is in; empty outside of one. */
function fenceAfter(line: string, open: string): string {
  const [, marks = '', rest = ''] = FENCE.exec(line) ?? [];
  if (marks === '') return open;
  if (open === '') return marks.startsWith('`') && rest.includes('`') ? '' : marks;
  const closes = marks[0] === open[0] && marks.length >= open.length && rest.trim() === '';
  return closes ? '' : open;
}
