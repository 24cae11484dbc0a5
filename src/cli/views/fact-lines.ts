/** The output of `daybook kg` for people, with one fact on each line. */

import type { z } from 'zod';
import { countOf } from '../../base/text/display-text.js';
import type { kgAdd } from '../../tools/kg/kg-add.js';
import type { kgDelete } from '../../tools/kg/kg-delete.js';
import type { kgImport } from '../../tools/kg/kg-import.js';
import type { kgQuery } from '../../tools/kg/kg-query.js';
import type { kgSave } from '../../tools/kg/kg-save.js';
import type { kgStats } from '../../tools/kg/kg-stats.js';
import type { kgSubjects } from '../../tools/kg/kg-subjects.js';
import { sizeOf } from '../terminal/sizes.js';
import { oneLine } from '../terminal/terminal-text.js';
import type { Answer, View } from './view.js';

type Fact = z.output<typeof kgQuery.output>['triples'][number];

const nameOf = ({ subject, predicate, object }: Omit<Fact, 'ts'>) =>
  [subject, predicate, object].map(oneLine).join(' / ');

/** Such as `Ada / lives in / London`, with the end of a fact that has ended. */
function factLine(fact: Omit<Fact, 'ts'>, { paint, times }: View): string {
  const { validTo } = fact;
  const end = validTo === undefined ? '' : paint.dim(`  until ${times.minute(validTo)}`);
  return `${nameOf(fact)}${end}`;
}

/** For `kg query` and `kg neighbors`. */
export function factLines(answer: Answer, view: View): string {
  return (answer['triples'] as readonly Fact[]).map((fact) => factLine(fact, view)).join('\n');
}

export function addedLines(answer: Answer, view: View): string {
  const { added, total, triples, closed, closedTotal } = answer as z.output<typeof kgAdd.output>;
  return [
    ...closed.map((fact) => `ended: ${factLine(fact, view)}`),
    ...triples.map((fact) => `${fact.added ? 'added' : 'already stored'}: ${factLine(fact, view)}`),
    ...(total > 1 || closedTotal > 1
      ? [`${added} added, ${total - added} already stored, ${closedTotal} ended`]
      : []),
  ].join('\n');
}

const notFound = (query: string) =>
  `Names must be exact. To find facts, run ${query} with --prefix or --text.`;
const notEnded = (query: string) =>
  `No current fact has exactly these names. To see facts that have ended, run ${query} with --include-closed.`;

export function deletedLines(
  answer: Answer,
  { commandLine }: View,
  input: Readonly<Record<string, unknown>>,
): string {
  const isEnd = input['close'] === true;
  const done = isEnd ? 'ended' : 'deleted';
  const query = commandLine('kg', 'query');
  const { triples, deleted, total } = answer as z.output<typeof kgDelete.output>;
  return [
    ...triples.map((fact) => `${fact.deleted ? done : 'not found'}: ${nameOf(fact)}`),
    ...(deleted === 0 ? [isEnd ? notEnded(query) : notFound(query)] : []),
    ...(total > 1 ? [`${deleted} of ${countOf(total, 'fact')} ${done}`] : []),
  ].join('\n');
}

export function subjectLines(answer: Answer, { paint }: View): string {
  const { subjects } = answer as z.output<typeof kgSubjects.output>;
  return subjects
    .map(({ subject, facts }) => `${oneLine(subject)}  ${paint.dim(countOf(facts, 'fact'))}`)
    .join('\n');
}

export function graphSizes(answer: Answer): string {
  const stats = answer as z.output<typeof kgStats.output>;
  const rows = [
    ['facts', `${stats.open} current, ${stats.closed} ended; at most ${stats.limit}`],
    ['names', `${countOf(stats.subjects, 'subject')}, ${countOf(stats.objects, 'object')}`],
    [
      'predicates',
      stats.predicates.map(({ predicate, facts }) => `${oneLine(predicate)} (${facts})`).join(', '),
    ],
    ['snapshot', `${oneLine(stats.snapshotPath)}, ${sizeOf(stats.snapshotBytes)}`],
    ['log', `${oneLine(stats.walPath)}, ${sizeOf(stats.walBytes)}`],
  ] as const;
  return rows
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name.padEnd(11)} ${value}`)
    .join('\n');
}

export function savedGraphLine(answer: Answer): string {
  const { saved, triples = 0, snapshotBytes = 0 } = answer as z.output<typeof kgSave.output>;
  return saved
    ? `New snapshot: ${countOf(triples, 'fact')}, ${sizeOf(snapshotBytes)}`
    : 'Another process was writing a snapshot at the same time.';
}

export function importedLines(answer: Answer): string {
  const { facts, added, notesAdded, notes, refused, refusedTotal, unknownFields } =
    answer as z.output<typeof kgImport.output>;
  return [
    `${added} added, ${facts - added} already stored, ${refusedTotal} refused`,
    ...(notesAdded > 0 ? [`${countOf(notesAdded, 'note')}: ${notes.map(oneLine).join(', ')}`] : []),
    ...refused.map(({ line, reason }) => `line ${line}: ${oneLine(reason)}`),
    ...unknownFields.map(
      ({ name, lines }) =>
        `not imported: the unknown field ${oneLine(JSON.stringify(name))} of ${countOf(lines, 'line')}`,
    ),
  ].join('\n');
}
