/** Names, options and help of `daybook import`. */
import { type Command, Option } from 'commander';
import type { ImportOptions } from '../commands/import.js';
import type { Flags } from '../configuration.js';
import { examplesText } from '../names.js';

export function addImport(program: Command, flags: () => Flags): void {
  program
    .command('import')
    .argument(
      '[paths...]',
      'exports (files, zip archives) or folders of logs; left out, what tools keep on this machine',
    )
    .description('bring in conversations of other programs; done again, it adds what is new')
    .option('--dry-run', 'only say what would be done')
    .option('--yes', 'do not ask')
    .option('--watch', 'continue until Ctrl-C, and bring in what changes')
    .option('--from <kind>', 'the format, where it is not recognised by itself')
    .option('--since <date>', 'only conversations that changed since this day or time')
    .option('--project <name>', 'only conversations of this project: a folder, or a name')
    .addOption(
      new Option('--activity <amount>', 'how much to keep of tool calls and thinking').choices([
        'none',
        'short',
        'all',
      ]),
    )
    .option('--attachments', 'copy images and files of the export beside their conversations')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      examplesText(
        'import chatgpt-export.zip',
        'import ~/.claude --since 2026-01-01',
        'import --yes',
      ),
    )
    .action(async (paths: string[], options: ImportOptions) =>
      (await import('../commands/import.js')).importConversations(paths, options, flags()),
    );
}
