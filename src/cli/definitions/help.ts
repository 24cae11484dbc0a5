/** `daybook help`. The help command of commander does not show options that are added at first use. */
import type { Command } from 'commander';
import { examplesOf } from '../command-help.js';

export function addHelp(program: Command): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[command...]', 'the command')
    .description('show the help of a command')
    .addHelpText(...examplesOf('help search', 'help kg add'))
    .action(async (names: string[]) => {
      const [name] = names;
      const isKnown = program.commands.some((command) => command.name() === name);
      // An unknown command is refused as in other places, with a similar name.
      const words = name === undefined || isKnown ? [...names, '--help'] : [name];
      await program.parseAsync(words, { from: 'user' });
    });
}
