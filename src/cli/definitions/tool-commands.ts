/**
 * Names of the commands made of tools: `list`, `save` and the groups `insight`, `kg` and `mb`. Their
 * options are added when one of them is used, because that loads all tools.
 */
import type { Command } from 'commander';
import { TOOLSETS } from '../../tools/define-tool.js';
import type { Flags } from '../configuration.js';
import { GROUPS, GROUPS_ABOUT, isMadeOfTools } from '../names.js';

export function addToolCommands(program: Command, flags: () => Flags): void {
  for (const [name, toolset] of Object.entries(GROUPS)) {
    const isPresent = TOOLSETS.some((each) => each === toolset);
    if (isPresent) program.command(name).description(GROUPS_ABOUT[name] ?? '');
  }
  program.hook('preSubcommand', async (_program, command) => {
    if (isMadeOfTools(command.name())) {
      (await import('../tools/tool-groups.js')).fillIn(command, flags);
    }
  });
}
