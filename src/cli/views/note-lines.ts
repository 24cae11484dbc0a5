/** The output of `daybook mb` for people: paths, and lines in the form of grep. */

import type { z } from 'zod';
import { countOf } from '../../base/text/display-text.js';
import type { mbDelete } from '../../tools/memory-bank/mb-delete.js';
import type { mbEdit } from '../../tools/memory-bank/mb-edit.js';
import type { mbHistory } from '../../tools/memory-bank/mb-history.js';
import type { mbList } from '../../tools/memory-bank/mb-list.js';
import type { mbReindex } from '../../tools/memory-bank/mb-reindex.js';
import type { mbSearch } from '../../tools/memory-bank/mb-search.js';
import { padEnd, widest } from '../terminal/columns.js';
import { sizeOf } from '../terminal/sizes.js';
import { escapeLines, oneLine } from '../terminal/terminal-text.js';
import type { Answer, View } from './view.js';

const MAX_PATH_WIDTH = 60;

export function noteTable(answer: Answer, { paint, times, columns }: View): string {
  const { files } = answer as z.output<typeof mbList.output>;
  const paths = files.map(({ path }) => oneLine(path));
  if (columns === undefined) return paths.join('\n');
  const width = Math.min(MAX_PATH_WIDTH, widest(paths));
  const lines = files.map(({ sizeBytes, modifiedAt }, at) => {
    const facts = `${sizeOf(sizeBytes).padStart(9)}  ${times.minute(modifiedAt)}`;
    return `${padEnd(paths[at] ?? '', width)}  ${paint.dim(facts)}`;
  });
  return lines.length === 0 ? '' : [...lines, paint.dim(`times: ${times.zone}`)].join('\n');
}

/** `path:line:` with the headings above the line, then the text. */
export function noteHits(answer: Answer, { paint }: View): string {
  const { results } = answer as z.output<typeof mbSearch.output>;
  return results
    .map(({ path, line, heading, text, before = [], after = [] }) => {
      const around = (lines: readonly string[]) =>
        lines.map((each) => paint.dim(`    ${escapeLines(each)}`));
      const head = `${oneLine(path)}:${line}:`;
      return [
        heading === undefined
          ? paint.bold(head)
          : `${paint.bold(head)} ${paint.dim(oneLine(heading))}`,
        ...around(before),
        `    ${paint.matches(escapeLines(text))}`,
        ...around(after),
      ].join('\n');
    })
    .join('\n');
}

/** One commit on each line, or the text at one commit. */
export function noteCommits(answer: Answer, { paint, times }: View): string {
  const { commits = [], content } = answer as z.output<typeof mbHistory.output>;
  if (content !== undefined) return wholeText(content);
  return commits
    .map(({ commit, at, author, subject }) => {
      const facts = `${times.minute(at)}  ${oneLine(author)}`;
      return `${commit}  ${paint.dim(facts)}  ${oneLine(subject)}`;
    })
    .join('\n');
}

/** The text unchanged for a pipe, and escaped for a terminal. */
export function wholeText(text: unknown): string {
  const exact = String(text).replace(/\n$/, '');
  return process.stdout.isTTY ? escapeLines(exact) : exact;
}

export const writtenNote = (answer: Answer): string => noteLine('Written', answer);
export function editedNote(answer: Answer): string {
  const { renamedFrom } = answer as z.output<typeof mbEdit.output>;
  return renamedFrom === undefined
    ? noteLine('Changed', answer)
    : `${noteLine('Renamed', answer)}, earlier path: ${oneLine(renamedFrom)}`;
}

function noteLine(what: string, answer: Answer): string {
  const { path, sizeBytes, hash } = answer as z.output<typeof mbEdit.output>;
  return `${what}: ${oneLine(path)} (${sizeOf(sizeBytes)}, hash ${hash})`;
}

export function deletedNote(answer: Answer, { commandLine }: View): string {
  const { path, permanent } = answer as z.output<typeof mbDelete.output>;
  const name = oneLine(path);
  return permanent
    ? `Removed permanently: ${name}`
    : `Deleted: ${name}\nTo restore it, run: ${commandLine('restore', path)}`;
}

export function reindexedLine(answer: Answer): string {
  const { files, sections } = answer as z.output<typeof mbReindex.output>;
  return `${countOf(files, 'note')}, ${countOf(sections, 'section')}`;
}
