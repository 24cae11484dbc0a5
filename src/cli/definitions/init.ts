/** Names, options and help of `daybook init`. */
import { type Command, Option } from 'commander';
import { examplesOf, JSON_OPTION } from '../command-help.js';
import type { InitOptions } from '../commands/init.js';
import type { Flags } from '../options/configuration.js';

/** The MCP clients that `daybook init` can configure. */
export const CLIENT_NAMES = [
  'claude-desktop',
  'claude-code',
  'codex',
  'cursor',
  'antigravity',
  'devin',
  'gemini',
  'kiro',
  'lm-studio',
  'vscode',
  'windsurf',
  'zed',
];

export function addInit(program: Command, flags: () => Flags): void {
  program
    .command('init')
    .argument(
      '[folder]',
      'the folder for the data (default: the one of --root or DAYBOOK_ROOT, otherwise the working folder)',
    )
    .description(
      'create a store in a folder, use it when Daybook starts in or below this folder, and add Daybook to MCP clients',
    )
    .addOption(
      new Option(
        '--client <name...>',
        'only these clients (default: the installed clients; with --print, all clients)',
      ).choices(CLIENT_NAMES),
    )
    .option('--print', 'only print what to add to each client; nothing is created or changed')
    .option(
      '--remove',
      'remove Daybook from the clients and remove the folder from the list of roots; the data is not changed',
    )
    .option('--yes', 'change the clients without asking; a copy of each file is kept')
    .option('--replace', 'with --yes: also change clients that use another folder')
    .addOption(
      new Option(
        '--import-watch',
        'also write "importWatch": "all" into the configuration file: servers import new conversations of other tools on this machine every minute',
      ).conflicts(['print', 'remove']),
    )
    .addOption(
      new Option(
        '--session-start',
        'also add a hook to Claude Code, Codex and Gemini CLI: each new session begins with what is stored about its project',
      ).conflicts('remove'),
    )
    .option(...JSON_OPTION)
    .addHelpText(
      ...examplesOf(
        'init',
        'init ~/notes --client cursor',
        'init ~/notes --client cursor --toolsets conversations,memory_bank',
        'init --print',
        'init --remove',
      ),
    )
    .action(async (folder: string | undefined, options: InitOptions) =>
      (await import('../commands/init.js')).init(folder, options, flags()),
    );
}
