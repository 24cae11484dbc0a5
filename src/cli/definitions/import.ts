/** Names, options and help of `daybook import`. */
import { type Command, Option } from 'commander';
import { examplesOf, JSON_OPTION, YES_OPTION } from '../command-help.js';
import type { ImportOptions } from '../commands/import.js';
import type { Flags } from '../options/configuration.js';

export function addImport(program: Command, flags: () => Flags): void {
  program
    .command('import')
    .argument(
      '[paths...]',
      'export files, zip archives or folders of logs; - is the standard input (default: the logs of the tools on this machine)',
    )
    .description(
      'import conversations from other programs, or another store; running it again adds only what is new',
    )
    .option('--dry-run', 'only show what would be done')
    .option(...YES_OPTION)
    .option('--watch', 'keep running until Ctrl-C, and import changes as they appear')
    .option(
      '--from <kind>',
      'the format, such as chatgpt or vault, if Daybook does not recognise it (an unknown name lists all); without paths, import only from this tool',
    )
    .option('--since <date>', 'only conversations that changed since this day or time')
    .option('--project <name>', 'only conversations of this project: a folder, or a name')
    .addOption(
      new Option('--activity <amount>', 'how much of tool calls and thinking to store').choices([
        'none',
        'short',
        'all',
      ]),
    )
    .option(
      '--attachments',
      'copy images and files of the export into the folders of their conversations',
    )
    .option(...JSON_OPTION)
    .addHelpText(
      ...examplesOf(
        'import chatgpt-export.zip',
        'import ~/.claude --since 2026-01-01',
        'import --yes',
      ),
    )
    .action(async (paths: string[], options: ImportOptions) =>
      (await import('../commands/import.js')).importConversations(paths, options, flags()),
    );
}
