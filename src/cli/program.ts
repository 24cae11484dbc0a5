/**
 * The command line: names, options and help of every command. What a command does lies in a file
 * of its own, imported when it runs, so that the server starts without the rest.
 */
import { Command, Option } from 'commander';
import { VERSION } from '../base/version.js';
import type { Flags } from './configuration.js';
import type { SearchOptions } from './search.js';

/** Beside the tool's own lists, which would load the whole search before the handshake. */
const MATCH_TYPES = ['auto', 'fts5', 'exact', 'prefix', 'any', 'fuzzy'];
const ROLES = ['system', 'user', 'assistant'];

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
  addSearch(program, flags);
  return program;
}

/** A script tells "nothing found" (1) from "wrong" (2), so commander's own mistakes are 2 here. */
function addSearch(program: Command, flags: () => Flags): void {
  program
    .command('search')
    .argument('<query...>', 'words, or an FTS5 query; put -- before words that begin with -')
    .description('find messages in all conversations; status 0: found, 1: nothing found, 2: error')
    .addOption(new Option('--match-type <type>', 'how to match').choices(MATCH_TYPES))
    .option('--conversation <id>', 'only this conversation (id or key)')
    .option('--module <name>', 'only conversations of this module')
    .addOption(new Option('--role <role>', 'only messages of this role').choices(ROLES))
    .option('--from <time>', 'only messages from this day or time on, such as 2025-01-24')
    .option('--to <time>', 'only messages up to this day or time')
    .option('--limit <n>', 'most results to give (20)')
    .option('--offset <n>', 'results to pass over (0)')
    .option('--json', 'the answer of the tool search_messages as JSON')
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (words: string[], options: SearchOptions) =>
      (await import('./search.js')).search(words, options, flags()),
    );
}
