/**
 * The command line: names, options and help of every command. What a command does lies in a file
 * of its own, imported when it runs, so that the server starts without the rest; so does what
 * commands made of tools take.
 */
import { Command, Option } from 'commander';
import { VERSION } from '../base/version.js';
import { MATCH_TYPES } from '../search/search-modes.js';
import { ROLES } from '../stores/conversations/schema.js';
import { TOOLSETS } from '../tools/define-tool.js';
import type { Flags } from './configuration.js';
import type { ExportOptions } from './export.js';
import type { InitOptions } from './init.js';
import { CLIENT_NAMES, examplesText, GROUPS, GROUPS_ABOUT, pointToHelp } from './names.js';
import type { RestoreOptions } from './restore.js';
import type { SearchOptions } from './search.js';
import type { ServeOptions } from './serve.js';
import type { UnlockOptions } from './unlock.js';

const JSON_OPTION = ['--json', 'the report as JSON'] as const;

/** Carried out to the end, whoever reads what they print; of the others most end with their reader. */
const REPORTING = new Set(['init', 'info', 'unlock', 'backup', 'restore']);

/** A fresh program; parsing it runs the command named by the arguments, `serve` when none is. */
export function createProgram(): Command {
  const program = new Command('daybook')
    .description('A memory for AI assistants, kept as plain files that you own.')
    .version(VERSION)
    .option('--root <folder>', 'the folder that holds everything')
    .option('--toolsets <names>', 'toolsets to offer, with commas between them, or all')
    .option('--log-level <level>', 'how much is logged to stderr')
    .addOption(new Option('--db-path <file>', 'recognised and explained').hideHelp())
    .showHelpAfterError('(daybook --help lists commands and options)')
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText('after', examplesText('init', 'serve', 'search garden shed', 'show garden-plan'));
  const flags = () => program.opts<Flags>();
  program
    .command('serve', { isDefault: true })
    .description('serve MCP on stdin and stdout (the default), or over HTTP')
    .option('--http', 'serve over HTTP: Streamable HTTP at /mcp')
    .option('--mode <mode>', 'stdio or http; --http is the same as --mode http')
    .option('--port <number>', 'port of the HTTP server (3000)')
    .option('--host <name>', 'where the HTTP server listens (127.0.0.1); others need a token')
    .option('--stateless', 'answer each HTTP request by itself, without sessions')
    .addHelpText('after', examplesText('serve', 'serve --http --port 3000'))
    .allowExcessArguments()
    .action(async (options: ServeOptions, { args }: Command) => {
      // The default command also gets what is no command at all.
      if (args[0] !== undefined) program.error(`error: unknown command '${args[0]}'`);
      await (await import('./serve.js')).serve(options, flags());
    });
  addInit(program, flags);
  addSearch(program, flags);
  addMadeOfTools(program, flags);
  addExport(program, flags);
  addBackup(program, flags);
  addCare(program, flags);
  addHelp(program);
  program.hook('preAction', async (_program, command) => {
    if (REPORTING.has(command.name())) (await import('./stdout.js')).watchReport(1);
  });
  program.commands.forEach(pointToHelp);
  return program;
}

function addInit(program: Command, flags: () => Flags): void {
  program
    .command('init')
    .argument('[folder]', 'the folder to keep the data in; left out, that of --root, else this one')
    .description(
      'make the folders, use them whenever Daybook starts in or below that folder, and add Daybook to MCP clients',
    )
    .addOption(
      new Option(
        '--client <name...>',
        'only these clients; left out, those that are found',
      ).choices(CLIENT_NAMES),
    )
    .option('--print', 'only print what to add to each client; nothing is made or changed')
    .option('--yes', 'change the clients without asking; a copy of each file is kept')
    .option(...JSON_OPTION)
    .addHelpText('after', examplesText('init', 'init ~/notes --client cursor', 'init --print'))
    .action(async (folder: string | undefined, options: InitOptions) =>
      (await import('./init.js')).init(folder, options, flags()),
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
    .addHelpText('after', examplesText('search garden shed', `search '"garden shed"' --role user`))
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .action(async (words: string[], options: SearchOptions) =>
      (await import('./search.js')).search(words, options, flags()),
    );
}

/** What they take is filled in once one of them is asked for: it needs all tools. */
function addMadeOfTools(program: Command, flags: () => Flags): void {
  program.command('list').description('list conversations, the last changed first');
  program
    .command('show')
    .argument('<conversation>', 'id or key')
    .description('show a conversation: rendered in a terminal, Markdown through a pipe')
    .option('--json', 'the whole conversation as JSON')
    .addHelpText('after', examplesText('show garden-plan', 'show garden-plan > garden-plan.md'))
    .action(async (ref: string, options: { json?: boolean }) =>
      (await import('./show.js')).show(ref, options, flags()),
    );
  program.command('save').description('save one message of a conversation');
  for (const [name, toolset] of Object.entries(GROUPS)) {
    const isThere = TOOLSETS.some((each) => each === toolset);
    if (isThere) program.command(name).description(GROUPS_ABOUT[name] ?? '');
  }
  program.hook('preSubcommand', async (_program, command) => {
    if (isMadeOfTools(command)) (await import('./tool-groups.js')).fillIn(command, flags);
  });
}

const isMadeOfTools = (command: Command) =>
  ['list', 'save', ...Object.keys(GROUPS)].includes(command.name());

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
    .addHelpText(
      'after',
      examplesText('export -o all.jsonl', 'export garden-plan -f markdown --share'),
    )
    .action(async (refs: string[], options: ExportOptions) =>
      (await import('./export.js')).exportConversations(refs, options, flags()),
    );
}

function addBackup(program: Command, flags: () => Flags): void {
  program
    .command('backup')
    .description('make one checked archive of everything')
    .option('--to <folder>', 'where to put it; left out, the folder of the backups')
    .option(...JSON_OPTION)
    .addHelpText('after', examplesText('backup', 'backup --to /mnt/usb'))
    .action(async (options: { to?: string; json?: boolean }) =>
      (await import('./backup.js')).backup(options, flags()),
    );
  program
    .command('restore')
    .argument(
      '<what>',
      'a backup, an export (JSON, JSON Lines), the id or key of a deleted conversation, the id of a deleted insight, or the path of a deleted note',
    )
    .description('bring back what is missing; nothing that is there is overwritten')
    .option('--to <folder>', 'put the files of a backup into this folder instead of the root')
    .option('--as-new', 'conversations of an export that differ come in beside what is there')
    .option('--dry-run', 'only say what would be done')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      examplesText(
        'restore all.jsonl --dry-run',
        'restore backups/daybook-20251225T090000Z.tar.gz',
        'restore 20250124-1706102400123',
        'restore ideas/garden.md',
      ),
    )
    .addHelpText(
      'after',
      '\nA backup is looked for here, then where daybook backup puts them. What was deleted lies under\nits id or path in conversation-logs/.trash, memory-bank/.trash/insights and memory-bank/.trash\nof the root, which daybook info names.',
    )
    .action(async (what: string, options: RestoreOptions) =>
      (await import('./restore.js')).restore(what, options, flags()),
    );
}

function addCare(program: Command, flags: () => Flags): void {
  program
    .command('info')
    .description(
      'tell where the data is, how much there is, the settings in force, and what is wrong (status 1)',
    )
    .option('--json', 'all of it as JSON')
    .addHelpText('after', examplesText('info', 'info --json'))
    .action(async (options: { json?: boolean }) =>
      (await import('./info.js')).info(options, flags()),
    );
  program
    .command('unlock')
    .argument('[lock]', 'only this lock, by the name that daybook unlock shows')
    .description('show the write locks that are held and by whom, and remove those left behind')
    .option('--yes', 'do not ask')
    .option('--force', 'also take a lock from an owner that is at work')
    .option('--json', 'locks and what was removed as JSON')
    .addHelpText('after', examplesText('unlock', 'unlock 20250124-1706102400123 --yes'))
    .action(async (name: string | undefined, options: UnlockOptions) =>
      (await import('./unlock.js')).unlock(name, options, flags()),
    );
}

/** Commander's own knows nothing of what is filled in later. */
function addHelp(program: Command): void {
  program.helpCommand(false);
  program
    .command('help')
    .argument('[command...]', 'the command')
    .description('tell what a command does and takes')
    .action(async (names: string[]) => {
      const [name] = names;
      const isKnown = program.commands.some((command) => command.name() === name);
      if (name !== undefined && !isKnown) program.error(`error: unknown command '${name}'`);
      await program.parseAsync([...names, '--help'], { from: 'user' });
    });
}
