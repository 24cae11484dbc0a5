/** Names, options and help of `daybook stats`. */
import { type Command, Option } from 'commander';
import { PERIODS } from '../../analytics/periods.js';
import { TABLES } from '../../analytics/report-table-names.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { examplesOf } from '../command-help.js';
import type { StatsOptions } from '../commands/stats.js';
import type { Flags } from '../options/configuration.js';

export function addStats(program: Command, flags: () => Flags): void {
  program
    .command('stats')
    .description('show figures: messages, words, tokens and cost, hours of the week, topics')
    .option('--from <day>', 'first day, such as 2025-01-24')
    .option('--to <day>', 'last day')
    .option('--module <name>', 'only conversations of this module')
    .addOption(new Option('--role <role>', 'only messages of this role').choices(ROLES))
    .addOption(
      new Option('--period <period>', 'period of the sums (default: month)').choices(PERIODS),
    )
    .option('--limit <n>', 'maximum number of entries in each list except periods (default: 10)')
    .option('--json', 'the answer of the tool get_analytics as JSON')
    .addOption(
      new Option('--csv [table]', 'one table as CSV (default: periods)')
        .choices(TABLES)
        .conflicts('json'),
    )
    .addHelpText(...examplesOf('stats', 'stats --period day', 'stats --csv models'))
    .action(async (options: StatsOptions) =>
      (await import('../commands/stats.js')).stats(options, flags()),
    );
}
