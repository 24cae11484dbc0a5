/**
 * `daybook insight export` and `daybook insight import`: write and read insights as JSON Lines. Lines that
 * were not imported are shown with the reason.
 */

import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../../app.js';
import { systemClock } from '../../base/clock.js';
import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { importInsights, insightLines } from '../../exchange/insight-jsonl.js';
import { writeNewFile } from '../../files/atomic/new-file-stream.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { normalContext } from '../../stores/insights/schema.js';
import { examplesOf, JSON_OPTION } from '../command-help.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import type { Flags } from '../options/configuration.js';
import { toStdout } from '../terminal/stdout.js';
import { escapeControls, terminalJson } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export function addInsightLines(group: Command, flags: () => Flags): void {
  group
    .command('export')
    .description('write insights as JSON Lines, the oldest first')
    .option('-o, --output <file>', 'a new file (default: the standard output)')
    .option(
      '--context <text>',
      'only those of this project: a path, git:host/owner/repository, project:name, or global (default: all)',
    )
    .addHelpText(...examplesOf('insight export -o insights.jsonl'))
    .action((options: { output?: string; context?: string }) => exportLines(options, flags()));
  group
    .command('import')
    .description(
      'import insights from JSON Lines; existing insights are not changed, unless --newer is given',
    )
    .argument(
      '<file>',
      'one JSON object on each line with content and context; - reads the standard input. A line without id gets the same id at each import',
    )
    .option('--newer', 'replace an existing insight if the imported one is newer')
    .option('--dry-run', 'only show what would be done')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('insight import insights.jsonl --dry-run'))
    .action((file: string, options: ImportOptions) => importLines(file, options, flags()));
}

async function exportLines(
  { output, context }: { output?: string; context?: string },
  flags: Flags,
): Promise<void> {
  const wanted = context === undefined ? undefined : contextOf(context);
  const work = async ({ insights, durability }: App, signal: AbortSignal) => {
    let count = 0;
    const lines = counted(insightLines(insights, wanted), () => (count += 1));
    if (output === undefined) await toStdout(lines);
    else {
      const path = resolveRealPath(output);
      await writeNewFile(path, lines, { ...durability, signal });
      console.error(escapeControls(`${countOf(count, 'insight')} in ${path}`));
    }
    for (const { error } of insights.damaged()) console.error(`not exported: ${error.message}`);
    if (insights.damaged().length > 0) process.exitCode = NOTHING_FOUND;
  };
  await withApp(flags, work, { isReading: true, writesElsewhere: true });
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
  throw new AppError(
    'VALIDATION_ERROR',
    '--context must be a path, git:host/owner/repository, project:name, or global.',
  );
}

interface ImportOptions {
  dryRun?: boolean;
  newer?: boolean;
  json?: boolean;
}

async function importLines(
  file: string,
  { dryRun = false, newer = false, json }: ImportOptions,
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ insights: store }, signal) => {
    const source = file === '-' ? process.stdin : resolve(file);
    const options = { store, clock: systemClock, dryRun, newer, signal };
    const report = await importInsights(source, options);
    const { added, updated, unchanged, refused } = report;
    if (json) console.log(terminalJson(report));
    else {
      console.log(
        `${added.length} added, ${updated.length} updated, ${unchanged.length} unchanged, ${refused.length} refused${dryRun ? ' (dry run: nothing was changed)' : ''}`,
      );
      for (const { place, code, reason } of refused) {
        const line = reason.startsWith(place) ? reason : `${place}: ${reason}`;
        console.error(escapeControls(`${line} (${code})`));
      }
    }
    if (refused.length > 0) process.exitCode = NOTHING_FOUND;
  });
}
