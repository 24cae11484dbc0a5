/** `daybook help`: commander's own does not know the commands whose options are added late. */
import type { Command } from 'commander';
import { examplesText } from '../names.js';

export function addHelp(program: Command): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[command...]', 'the command')
    .description('show the help of a command')
    .addHelpText('after', examplesText('help search', 'help kg add'))
    .action(async (names: string[]) => {
      const [name] = names;
      const isKnown = program.commands.some((command) => command.name() === name);
      // What is unknown is refused as everywhere, with what it resembles.
      const words = name === undefined || isKnown ? [...names, '--help'] : [name];
      await program.parseAsync(words, { from: 'user' });
    });
}
