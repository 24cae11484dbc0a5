/** Names, options and help of `daybook init`. */
import { type Command, Option } from 'commander';
import { examplesText } from '../command-help.js';
import type { InitOptions } from '../commands/init.js';
import type { Flags } from '../options/configuration.js';

/** The MCP clients that `daybook init` can configure. */
export const CLIENT_NAMES = [
  'claude-desktop',
  'claude-code',
  'codex',
  'cursor',
  'gemini',
  'vscode',
  'windsurf',
  'zed',
];

export function addInit(program: Command, flags: () => Flags): void {
  program
    .command('init')
    .argument(
      '[folder]',
      'the folder for the data (default: --root, then DAYBOOK_ROOT, then this folder)',
    )
    .description(
      'create the folders, use them when Daybook starts in that folder or below it, and add Daybook to MCP clients',
    )
    .addOption(
      new Option(
        '--client <name...>',
        'only these clients (default: the installed clients, with --print all)',
      ).choices(CLIENT_NAMES),
    )
    .option('--print', 'only print what to add to each client; nothing is created or changed')
    .option(
      '--remove',
      'remove Daybook from the clients and remove the folder from the list of roots; the data is not changed',
    )
    .option('--yes', 'change the clients without asking; a copy of each file is kept')
    .option('--replace', 'with --yes: also change clients that use another folder')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      examplesText('init', 'init ~/notes --client cursor', 'init --print', 'init --remove'),
    )
    .action(async (folder: string | undefined, options: InitOptions) =>
      (await import('../commands/init.js')).init(folder, options, flags()),
    );
}
