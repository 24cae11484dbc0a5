/** Names, options and help of `daybook demo`. */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION } from '../command-help.js';
import type { Flags } from '../options/configuration.js';

export function addDemo(program: Command, flags: () => Flags): void {
  program
    .command('demo')
    .argument('<folder>', 'a folder that is new or empty')
    .description('fill a new store with invented conversations, to try Daybook')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('demo ~/daybook-demo'))
    .action(async (folder: string, options: { json?: boolean }) =>
      (await import('../commands/demo.js')).demo(folder, options, flags()),
    );
}
