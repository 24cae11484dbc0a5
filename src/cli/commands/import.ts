/**
 * `daybook import`: shows the sources and what it would import, asks, imports, and prints a report. A
 * record that cannot be read is reported and does not stop the import.
 */

import { resolve } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { App } from '../../app.js';
import { isoTime } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { assertNotEmpty } from '../../config/given-path.js';
import { changesIn, type ReportedProblem } from '../../import/import-outcome.js';
import type { ImportChoice, ImportProgress, ImportReport } from '../../import/importer.js';
import type { Activity } from '../../import/source-interface.js';
import { requireKind } from '../../import/source-list.js';
import type { DefaultLocation } from '../../import/tool-logs/default-locations.js';
import { WATCH_INTERVAL_MS, watchImports } from '../../import/tool-logs/watch-rounds.js';
import { startOf } from '../../tools/fields/date-field.js';
import { reportFailure } from '../errors/failure.js';
import type { Flags } from '../options/configuration.js';
import { withLocalTimes } from '../options/days.js';
import { withRoot } from '../terminal/command-line.js';
import { canAsk, confirmOrEnd, requireTerminal } from '../terminal/confirm.js';
import { report as reportFacts } from '../terminal/output.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { sizeOf } from '../terminal/sizes.js';
import { textOfStdin } from '../terminal/stdin.js';
import { escapeControls, oneLine, terminalJson } from '../terminal/terminal-text.js';
import { zoneFor } from '../terminal/times.js';
import { withApp } from '../with-app.js';

export interface ImportOptions {
  dryRun?: boolean;
  yes?: boolean;
  from?: string;
  since?: string;
  project?: string;
  activity?: Activity;
  attachments?: boolean;
  json?: boolean;
  watch?: boolean;
}

/** A longer list would move the summary off the screen. */
const MAX_PROBLEMS_SHOWN = 20;

/** Without paths it imports the conversations that other tools store on this machine. */
export async function importConversations(
  paths: readonly string[],
  options: ImportOptions,
  flags: Flags,
): Promise<void> {
  if (options.watch && options.dryRun) {
    throw new AppError('VALIDATION_ERROR', '--watch imports, and --dry-run imports nothing.', {
      hint: 'Give only one of them.',
    });
  }
  if (options.watch && options.json) {
    throw new AppError('VALIDATION_ERROR', '--watch prints no JSON.', {
      hint: 'Give only one of --watch and --json. Without --watch, the report is one object.',
    });
  }
  for (const path of paths) assertNotEmpty(path, 'A path to import');
  const takesStdin = paths.includes('-');
  if (takesStdin && (paths.length > 1 || options.watch)) {
    throw new AppError(
      'VALIDATION_ERROR',
      'The path - (the standard input) must be the only path.',
      {
        hint: 'Import the paths with one command and the standard input with another, without --watch.',
      },
    );
  }
  const since = options.since === undefined ? undefined : sinceOf(options.since, zoneFor(flags));
  // V8 collects garbage when the heap has grown by 20 %; this reduces the peak of memory by a third.
  setFlagsFromString('--heap-growing-percent=20');
  const work = async (app: App, signal: AbortSignal) => {
    const choice = choiceOf(options, since);
    if (options.watch) return watch(paths, choice, app, signal);
    const locations = paths.length > 0 ? [] : await locationsOf(app, options);
    if (paths.length === 0 && !options.json) showLocations(locations, options, flags);
    const wanted = paths.length > 0 ? paths.map((path) => resolve(path)) : locations.map(pathOf);
    const given = takesStdin
      ? { paths: [], text: { name: undefined, content: await textOfStdin() } }
      : { paths: wanted, text: undefined };
    const mayRun = paths.length > 0 || options.yes || options.dryRun || canAsk();
    if (wanted.length === 0 || !mayRun) {
      if (options.json) console.log(terminalJson({ places: locations }));
      return;
    }
    const areFound = paths.length === 0;
    const run = (dryRun: boolean) =>
      runShown(app, { ...choice, ...given, areFound, dryRun, signal });
    if (!options.yes || options.dryRun) {
      const plan = await run(true);
      if (options.dryRun) return show(plan, options);
      if (!(await isWanted(plan, options))) return;
    }
    show(await run(false), options);
  };
  const staysUp = options.watch === true;
  await withApp(flags, work, { staysUp }).catch((error: unknown) =>
    reportFailure(error, flags, { from: '--from' }),
  );
}

/** Imports until Ctrl-C, and prints a report for each round with new data. */
async function watch(
  paths: readonly string[],
  choice: ImportChoice,
  app: App,
  signal: AbortSignal,
): Promise<void> {
  console.error(
    'Daybook now imports changes as they appear. To stop, press Ctrl-C. Imported conversations are not removed.',
  );
  await watchImports(app.importer, {
    paths: async () =>
      paths.length > 0
        ? paths.map((path) => resolve(path))
        : (await locationsOf(app, choice)).map(pathOf),
    areFound: paths.length === 0,
    choice,
    everyMs: WATCH_INTERVAL_MS,
    signal,
    onRound: (report) => {
      if (changesIn(report) + report.problems.length > 0) show(report, {});
    },
    onError: ({ message }) => console.error(escapeControls(message)),
  });
}

const pathOf = ({ path }: DefaultLocation) => path;

/** The logs of all tools on this machine, or with `--from` of this tool. */
async function locationsOf({ importer }: App, { from }: { from?: string | undefined }) {
  if (from !== undefined) requireKind(from);
  const all = await importer.locations();
  return from === undefined ? all : all.filter(({ kind }) => kind === from);
}

function choiceOf(
  { from, project, activity, attachments }: ImportOptions,
  since: string | undefined,
): ImportChoice {
  const named = project !== undefined && /^[.~/\\]/.test(project) ? resolve(project) : project;
  return { from, since, project: named, activity, attachments };
}

function sinceOf(text: string, zone: string): string {
  const { since } = withLocalTimes({ since: text }, zone);
  return isoTime(startOf('--since', since));
}

async function runShown(
  { importer }: App,
  wanted: Parameters<App['importer']['run']>[0],
): Promise<ImportReport> {
  return withProgressBar((show) => {
    const onProgress = ({ conversations, reading }: ImportProgress) => {
      const message = [wanted.dryRun ? 'read' : '', reading && readingLine(reading)]
        .filter(Boolean)
        .join(', ');
      show({ progress: conversations, unit: 'conversation', message });
    };
    return importer.run({ ...wanted, onProgress });
  });
}

const readingLine = ({ name, bytes, sizeBytes }: NonNullable<ImportProgress['reading']>) =>
  oneLine(`${sizeOf(bytes)} of ${sizeOf(sizeBytes)} of ${name}`);

function showLocations(
  locations: readonly DefaultLocation[],
  { yes, dryRun, from }: ImportOptions,
  flags: Flags,
): void {
  if (locations.length === 0) {
    const whose = from === undefined ? 'of other tools' : `of the kind ${from}`;
    console.log(
      `Daybook found no conversations ${whose} on this machine. Give the path of an export.`,
    );
    return;
  }
  for (const { title, path, deletes } of locations) {
    const loss = deletes === undefined ? '' : ` (it deletes ${deletes})`;
    console.log(escapeControls(`${title}: ${path}${loss}`));
  }
  // On a terminal, the command then shows what it would import, and asks.
  if (yes || dryRun || canAsk()) return;
  const next =
    'To import one of them, run daybook import <path>. To import all, run daybook import --yes. With --dry-run, nothing is imported: the command only shows what it would do.';
  console.log(withRoot(flags, next));
}

async function isWanted(plan: ImportReport, options: ImportOptions): Promise<boolean> {
  if (changesIn(plan) === 0) {
    show(plan, options);
    return false;
  }
  requireTerminal('Nothing was imported.', ', or with --dry-run to see what it would do');
  for (const line of linesOf(plan, true)) console.error(line);
  return confirmOrEnd('Import this?', 'Nothing was imported.');
}

function show(report: ImportReport, { json, dryRun = false }: ImportOptions): void {
  reportFacts(report, json, () => {
    for (const line of linesOf(report, dryRun)) console.log(line);
  });
  const { problems, moreProblems, stopped } = report;
  if (!json) {
    for (const problem of problems.slice(0, MAX_PROBLEMS_SHOWN)) {
      console.error(escapeControls(problemLine(problem)));
    }
    const hidden = Math.max(0, problems.length - MAX_PROBLEMS_SHOWN) + moreProblems;
    if (hidden > 0)
      console.error(`and ${countOf(hidden, 'problem')} more. --json shows all of them.`);
    if (stopped !== undefined) console.error(`The import stopped. ${stopped.message}`);
  }
  if (stopped !== undefined) process.exitCode = 1;
}

/** Begins with the location, unless the message has it. */
function problemLine({ path, record, message }: ReportedProblem): string {
  const location = [path, record].filter((part) => part !== undefined);
  const isInMessage = location.every((part) => message.includes(part));
  return isInMessage ? message : `${location.join(', ')}: ${message}`;
}

const MAX_BRANCHED_SHOWN = 10;

function* linesOf(report: ImportReport, isPlan: boolean): Generator<string> {
  for (const { path, title } of report.sources) yield escapeControls(`${path}: ${title}`);
  const { added, updated, unchanged, skipped, messages } = report;
  const verb = isPlan ? 'to be ' : '';
  const others = [
    [report.notes, 'note'],
    [report.insights, 'insight'],
    [report.facts, 'fact'],
    [report.stateValues, 'state value'],
    [report.attachments, 'attachment'],
  ] as const;
  const some = others.filter(([count]) => count > 0);
  const left = Object.entries(report.leftOut).map(([reason, count]) => `${reason}: ${count}`);
  const hasConversations = added + updated + unchanged + skipped + messages > 0;
  const hasOthers = some.length > 0 || report.notesUpdated > 0;
  const hasRead = report.sources.length > 0 && left.length + report.problems.length === 0;
  const isOld = !hasConversations && !hasOthers && hasRead && report.stopped === undefined;
  if (hasConversations || !(hasOthers || isOld)) {
    yield `${countOf(added, 'conversation')} ${verb}added, ${updated} ${verb}updated, ${unchanged} unchanged, ${skipped} skipped (${countOf(messages, 'message')})`;
  }
  if (some.length > 0) {
    yield `${some.map(([count, name]) => countOf(count, name)).join(', ')} ${verb}added`;
  }
  if (report.notesUpdated > 0) yield `${countOf(report.notesUpdated, 'note')} ${verb}updated`;
  if (report.masked > 0) {
    yield `${countOf(report.masked, 'secret or private part')} ${isPlan ? 'would be ' : ''}masked`;
  }
  if (left.length > 0) yield `not imported: ${left.join('; ')}`;
  if (isOld) {
    yield 'nothing new: Daybook stored its notes, insights and facts before, or they were deleted here';
  }
  if (report.branched.length > 0) {
    const shown = report.branched.slice(0, MAX_BRANCHED_SHOWN);
    const more = report.branched.length - shown.length;
    const rest = more > 0 ? `, and ${more} more, which --json lists` : '';
    yield `the new messages of the other program do not follow the last message here, so they ${isPlan ? 'would be' : 'are'} in a branch of ${shown.join(', ')}${rest}`;
  }
}
