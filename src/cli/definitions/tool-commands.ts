/**
 * The commands that are made from tools: `list`, `save` and the groups `insight`, `kg` and `mb`. Their
 * options are added only when one of them is used, because this loads all tools.
 */
import type { Command } from 'commander';
import { examplesOf, GROUPS_HELP, isMadeOfTools } from '../command-help.js';
import type { Flags } from '../options/configuration.js';

export function addToolCommands(program: Command, flags: () => Flags): void {
  for (const [name, { about, examples }] of Object.entries(GROUPS_HELP)) {
    program
      .command(name)
      .description(about)
      .addHelpText(...examplesOf(...examples));
  }
  program.hook('preSubcommand', async (_program, command) => {
    if (isMadeOfTools(command.name())) {
      (await import('../tools/tool-groups.js')).fillIn(command, flags);
    }
  });
}
