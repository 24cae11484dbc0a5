/**
 * The command line: names, options and help of every command. What a command does lies in a file
 * of its own, imported when it runs, so that the server starts without the rest.
 */
import { Command, Option } from 'commander';
import { VERSION } from '../base/version.js';
import type { Flags } from './configuration.js';
import type { ExportOptions } from './export.js';
import type { RestoreOptions } from './restore.js';
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
  addExport(program, flags);
  addBackup(program, flags);
  addSearch(program, flags);
  return program;
}

function addExport(program: Command, flags: () => Flags): void {
  program
    .command('export')
    .argument('[conversations...]', 'ids or keys; left out, all')
    .description('give conversations as JSON, JSON Lines or Markdown')
    .addOption(
      new Option('-f, --format <format>', 'form of the text')
        .choices(['json', 'jsonl', 'markdown'])
        .default('jsonl'),
    )
    .option('-o, --output <file>', 'a new file; left out, the standard output')
    .option('--module <name>', 'only conversations of this module')
    .option('--share', 'leave out system messages, metadata, keys and links to other conversations')
    .action(async (refs: string[], options: ExportOptions) =>
      (await import('./export.js')).exportConversations(refs, options, flags()),
    );
}

function addBackup(program: Command, flags: () => Flags): void {
  program
    .command('backup')
    .description('make one checked archive of everything')
    .option('--to <folder>', 'where to put it; left out, the folder of the backups')
    .action(async ({ to }: { to?: string }) => (await import('./backup.js')).backup(to, flags()));
  program
    .command('restore')
    .argument(
      '<what>',
      'a backup, an export (JSON, JSON Lines), or the id of a deleted conversation',
    )
    .description('bring back what is missing; nothing that is there is overwritten')
    .option('--to <folder>', 'put the files of a backup into this folder instead of the root')
    .option('--as-new', 'conversations of an export that differ come in beside what is there')
    .option('--dry-run', 'only say what would be done')
    .action(async (what: string, options: RestoreOptions) =>
      (await import('./restore.js')).restore(what, options, flags()),
    );
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
