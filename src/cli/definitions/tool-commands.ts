/**
 * The commands that are made from tools: `list`, `save` and the groups `insight`, `kg` and `mb`. Their
 * options are added only when one of them is used, because this loads all tools.
 */
import type { Command } from 'commander';
import { TOOLSETS } from '../../tools/define-tool.js';
import type { Flags } from '../configuration.js';
import { examplesText, GROUPS, GROUPS_HELP, isMadeOfTools } from '../names.js';

export function addToolCommands(program: Command, flags: () => Flags): void {
  for (const [name, toolset] of Object.entries(GROUPS)) {
    const isPresent = TOOLSETS.some((each) => each === toolset);
    if (!isPresent) continue;
    const { about, examples } = GROUPS_HELP[name] ?? { about: '', examples: [] };
    program
      .command(name)
      .description(about)
      .addHelpText('after', examplesText(...examples));
  }
  program.hook('preSubcommand', async (_program, command) => {
    if (isMadeOfTools(command.name())) {
      (await import('../tools/tool-groups.js')).fillIn(command, flags);
    }
  });
}
