/**
 * The list of all commands. Names, options and help are in `definitions/`. The code of a command is in
 * `commands/` and is imported only when the command runs, so that the server starts faster.
 */
import { Command, Option } from 'commander';
import { AppError, errnoOf } from '../base/errors.js';
import { VERSION } from '../base/version.js';
import { examplesOf, pointToHelp, refuseUnknownCommands } from './command-help.js';
import { addBackup } from './definitions/backup.js';
import { addCompletion } from './definitions/completion.js';
import { addConversations } from './definitions/conversations.js';
import { addDemo } from './definitions/demo.js';
import { addEmbeddings } from './definitions/embeddings.js';
import { addEncryption } from './definitions/encryption.js';
import { addExport } from './definitions/export.js';
import { addHealth } from './definitions/health.js';
import { addHelp } from './definitions/help.js';
import { addImport } from './definitions/import.js';
import { addInit } from './definitions/init.js';
import { addPrivacy } from './definitions/privacy.js';
import { addProviders } from './definitions/providers.js';
import { addRetentionCommands } from './definitions/retention.js';
import { addFind, addSearch, addSessionStart } from './definitions/search.js';
import { addServe } from './definitions/serve.js';
import { addStats } from './definitions/stats.js';
import { addToolCommands } from './definitions/tool-commands.js';
import { endCommand, writeForPeople, writeUsageError } from './errors/usage-error.js';
import type { Flags } from './options/configuration.js';

/** In the order of the help. */
const DEFINITIONS: readonly ((program: Command, flags: () => Flags) => void)[] = [
  addInit,
  addSearch,
  addFind,
  addSessionStart,
  addConversations,
  addToolCommands,
  addExport,
  addImport,
  addBackup,
  addStats,
  addDemo,
  addRetentionCommands,
  addHealth,
  addEncryption,
  addPrivacy,
  addProviders,
  addEmbeddings,
  addCompletion,
  addHelp,
];

/** Commands that finish their work even if the reader of their output has closed the pipe. */
const REPORTING = new Set([
  'init',
  'info',
  'doctor',
  'redact',
  'unlock',
  'backup',
  'restore',
  'import',
  'encrypt',
  'decrypt',
  'trash',
  'prune',
  'archive',
]);

/**
 * Creates the program; `parseAsync(args)` then runs a command. Without a command it runs `serve`, because
 * MCP clients start `daybook` without arguments. Without `args` the program has all commands.
 */
export function createProgram(args: readonly string[] = ['--help']): Command {
  const program = new Command('daybook')
    .description('A memory for AI assistants, kept as plain files that you own.')
    .option('--root <folder>', 'the folder of all data (the root)')
    .option(
      '--toolsets <names>',
      'the toolsets that the server offers, separated by commas, or all',
    )
    .option('--log-level <level>', 'how much is logged to stderr')
    .option('--utc', 'show times in UTC instead of local time')
    .addOption(
      new Option(
        '--db-path <file>',
        'has no effect: Daybook uses no database and shows how to import one',
      ).hideHelp(),
    )
    .showHelpAfterError('(daybook --help lists the commands and options)')
    .configureOutput({ outputError: writeUsageError, writeErr: writeForPeople })
    .exitOverride(endCommand)
    .configureHelp({ subcommandTerm: (command) => command.name() })
    .addHelpText(...examplesOf('init', 'serve', 'search garden shed', 'show garden-plan'));
  // The option --version of `restore` would not work if the program had this option too.
  if (!args.includes('restore')) program.version(VERSION);
  const flags = () => program.opts<Flags>();
  const [name] = program.parseOptions([...args]).operands;
  const isBare = name === undefined;
  addServe(program, flags, isBare);
  // A client waits for the start of a server, which needs no other command.
  const asksForHelp = args.includes('--help') || args.includes('-h');
  const onlyServes = name === 'serve' || (isBare && !asksForHelp);
  if (!onlyServes) for (const add of DEFINITIONS) add(program, flags);
  program.hook('preAction', async (_program, command) => {
    requireWorkingFolder();
    const { watchReport, watchStdout } = await import('./terminal/stdout.js');
    if (REPORTING.has(command.name())) watchReport();
    else if (command.name() !== 'serve') watchStdout();
  });
  for (const command of [program, ...program.commands]) refuseUnknownCommands(command);
  for (const command of program.commands) {
    // Without a command, an error shows the help of the program, not of `serve`.
    if (!(isBare && command.name() === 'serve')) pointToHelp(command);
  }
  return program;
}

/** VALIDATION_ERROR. Without this check, each use of a relative path would throw the system's error. */
function requireWorkingFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    const errno = errnoOf(cause);
    if (errno === undefined) throw cause;
    const message = `The working folder was removed, or cannot be read (${errno}).`;
    const hint = 'Change to another folder (cd), then run the command again.';
    throw new AppError('VALIDATION_ERROR', message, { hint, cause });
  }
}
