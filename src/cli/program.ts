/**
 * The command line: names, options and help of every command. What a command does lies in a file
 * of its own, imported when it runs, so that the server starts without the rest.
 */
import { Command, Option } from 'commander';
import { VERSION } from '../base/version.js';
import type { Flags } from './configuration.js';

/** A fresh program; parsing it runs the command named by the arguments, `serve` when none is. */
export function createProgram(): Command {
  const program = new Command('daybook')
    .description('A memory for AI assistants, kept as plain files that you own.')
    .version(VERSION)
    .option('--root <folder>', 'the folder that holds everything')
    .option('--toolsets <names>', 'toolsets to offer, with commas between them, or all')
    .option('--log-level <level>', 'how much is logged to stderr')
    .addOption(new Option('--db-path <file>', 'recognised and explained').hideHelp())
    .showHelpAfterError('(daybook --help lists commands and options)');
  const flags = () => program.opts<Flags>();
  program
    .command('serve', { isDefault: true })
    .description('serve MCP on stdin and stdout (the default)')
    .allowExcessArguments()
    .action(async (_options: unknown, { args }: Command) => {
      // The default command also gets what is no command at all.
      if (args[0] !== undefined) program.error(`error: unknown command '${args[0]}'`);
      await (await import('./serve.js')).serve(flags());
    });
  program
    .command('init')
    .argument('[folder]', 'the folder to keep the data in', '.')
    .description('make the folders and use them whenever Daybook starts in or below that folder')
    .action(async (folder: string) => (await import('./init.js')).init(folder, flags()));
  program
    .command('info')
    .description('tell where the data is, how much there is, and the settings in force')
    .action(async () => (await import('./info.js')).info(flags()));
  return program;
}
