/**
 * `daybook insight export` and `daybook insight import`: all insights as JSON Lines, for people and
 * pipes. What was not taken in is named with its reason and ends the command with 1, an error with 2.
 */
import { resolve } from 'node:path';
import type { Command } from 'commander';
import { systemClock } from '../base/clock.js';
import { AppError } from '../base/errors.js';
import { importInsights, insightLines } from '../exchange/insight-lines.js';
import { writeNewFile } from '../files/new-file.js';
import { normalContext } from '../stores/insights/schema.js';
import type { Flags } from './configuration.js';
import { tellFailure } from './failure.js';
import { examplesText } from './names.js';
import { toStdout } from './stdout.js';
import { countOf } from './tell.js';
import { escapeControls, terminalJson } from './terminal-text.js';
import { endAsTool, FAILED } from './tool-command.js';
import { withApp } from './with-app.js';

export function addInsightLines(group: Command, flags: () => Flags): void {
  group
    .command('export')
    .description('Gives insights as JSON Lines, the oldest first')
    .option('-o, --output <file>', 'a new file; left out, the standard output')
    .option('--context <text>', 'only those of this context (a path, or global); left out, all')
    .addHelpText('after', examplesText('insight export -o insights.jsonl'))
    .exitOverride(endAsTool)
    .action((options: { output?: string; context?: string }) =>
      exportLines(options, flags()).catch(failed),
    );
  group
    .command('import')
    .description('Takes in insights from JSON Lines; what is there is never overwritten')
    .argument(
      '<file>',
      'one JSON object a line, - for the standard input: content and context are needed; a line without id gets the same id at each import, made from the line',
    )
    .option('--dry-run', 'only say what would be done')
    .option('--json', 'the report as JSON')
    .addHelpText('after', examplesText('insight import insights.jsonl --dry-run'))
    .exitOverride(endAsTool)
    .action((file: string, options: { dryRun?: boolean; json?: boolean }) =>
      importLines(file, options, flags()).catch(failed),
    );
}

const failed = (error: unknown) => tellFailure(error, FAILED);

async function exportLines(
  { output, context }: { output?: string; context?: string },
  flags: Flags,
): Promise<void> {
  const wanted = context === undefined ? undefined : contextOf(context);
  await withApp(flags, async ({ insights, durability }, signal) => {
    let count = 0;
    const lines = counted(insightLines(insights, wanted), () => (count += 1));
    if (output === undefined) await toStdout(lines);
    else {
      const path = resolve(output);
      await writeNewFile(path, lines, { ...durability, signal });
      console.error(escapeControls(`${countOf(count, 'insight')} in ${path}`));
    }
    for (const { error } of insights.damaged()) console.error(`not exported: ${error.message}`);
    if (insights.damaged().length > 0) process.exitCode = 1;
  });
}

async function* counted<T>(items: AsyncIterable<T>, count: () => void): AsyncGenerator<T> {
  for await (const item of items) {
    count();
    yield item;
  }
}

function contextOf(text: string): string {
  const context = normalContext(text) ?? normalContext(resolve(text));
  if (context !== undefined) return context;
  throw new AppError('VALIDATION_ERROR', '--context takes a path, or global.');
}

async function importLines(
  file: string,
  { dryRun = false, json }: { dryRun?: boolean; json?: boolean },
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ insights: store }, signal) => {
    const source = file === '-' ? process.stdin : resolve(file);
    const report = await importInsights(source, { store, clock: systemClock, dryRun, signal });
    const { added, unchanged, refused } = report;
    if (json) console.log(terminalJson(report));
    else {
      const verb = dryRun ? 'to be added' : 'added';
      console.log(
        `${added.length} ${verb}, ${unchanged.length} there already, ${refused.length} left out`,
      );
      for (const { place, code, reason } of refused) {
        const told = reason.startsWith(place) ? reason : `${place}: ${reason}`;
        console.error(escapeControls(`${told} (${code})`));
      }
    }
    if (refused.length > 0) process.exitCode = 1;
  });
}
