/**
 * `daybook redact`: removes a text from all stored files. It shows where the text is before, and searches
 * again afterwards. Exit status 1: the text was not found, or not removed everywhere.
 */

import { strayCaches } from '../../app/cache-paths.js';
import { redactorOf } from '../../app/services/redactor.js';
import type { App } from '../../app.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import type { Located } from '../../privacy/redactor.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { withPath } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { confirm, requireTerminal } from '../terminal/confirm.js';
import { type PlanOptions, printList, report } from '../terminal/output.js';
import { textOfStdin } from '../terminal/stdin.js';
import { oneLine } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface RedactOptions extends PlanOptions {
  readonly with: string;
}

/** A shorter text occurs in too many places. */
const MIN_LENGTH = 3;

/** Throws VALIDATION_ERROR (text too short, or part of its replacement), LOCKED or STORAGE_FULL. */
export async function redact(given: string, options: RedactOptions, flags: Flags): Promise<void> {
  const text = given === '-' ? (await textOfStdin()).replace(/\r?\n$/, '') : given;
  const { with: replacement, json } = options;
  requireFit(text, replacement);
  const config = configuration(flags);
  const work = async ({ kg, sealer }: App, signal: AbortSignal) => {
    const redactor = redactorOf(config, sealer, await strayCaches(config));
    const found = await redactor.find(text, signal);
    if (!json) show(found, options);
    // Without files there is nothing that Daybook can change.
    if (found.files.length === 0) process.exitCode = NOTHING_FOUND;
    if (found.files.length === 0 || !(await isWanted(found, options))) {
      return report({ root: config.root, ...found, done: false }, json, () => undefined);
    }
    const paths = found.files.map(({ path }) => path);
    await redactor.redact(paths, text, replacement, { signal });
    // A new snapshot has the right checksum, and the previous generation still has the text.
    if (paths.some((path) => path === kg.files.snapshot || path === kg.files.wal)) await kg.save();
    const left = await redactor.find(text, signal);
    const isGone = left.files.length + left.names.length + left.unread.length === 0;
    process.exitCode = isGone ? 0 : NOTHING_FOUND;
    report({ root: config.root, ...found, done: true, left }, json, () => {
      const inNames =
        left.names.length === 0 ? '' : ` and in ${countOf(left.names.length, 'name')}`;
      const unread =
        left.unread.length === 0
          ? ''
          : ` It may also be in ${countOf(left.unread.length, 'file')} that could not be read.`;
      console.log(
        `${countOf(paths.length, 'file')} changed. The text is still in ${countOf(left.files.length, 'file')}${inNames}.${unread}`,
      );
      console.log(
        'Daybook did not change the git history, or copies in other places and on other machines. Remove the text there yourself.',
      );
    });
  };
  await withApp(flags, work, { isReading: options.dryRun ?? false });
}

function requireFit(text: string, replacement: string): void {
  const problem =
    text.trim().length < MIN_LENGTH
      ? `The text to remove must have at least ${MIN_LENGTH} characters.`
      : replacement.includes(text) && 'The replacement contains the text to remove.';
  if (problem) throw new AppError('VALIDATION_ERROR', problem);
}

function show({ files, names, unread }: Located, options: RedactOptions): void {
  const lines = files.map(({ path, count }) => oneLine(`${path}: ${countOf(count, 'time')}`));
  printList(lines, options, console.log);
  for (const path of names)
    console.log(oneLine(`${path}: the text is in the name; rename the file yourself`));
  for (const { path, reason } of unread)
    console.log(oneLine(`not read: ${withPath(path, reason)}`));
  if (files.length + names.length === 0) {
    const which = unread.length === 0 ? 'No file' : 'No file that could be read';
    console.log(`${which} contains the text.`);
  }
}

async function isWanted({ files }: Located, { yes, dryRun }: RedactOptions): Promise<boolean> {
  if (dryRun) return false;
  if (yes) return true;
  requireTerminal('Nothing was changed.');
  return confirm(`Remove the text from ${countOf(files.length, 'file')}? This cannot be undone.`);
}
