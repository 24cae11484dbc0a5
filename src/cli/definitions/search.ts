/** Names, options and help of `daybook search`, `daybook find` and `daybook session-start`. */
import { type Command, Option } from 'commander';
import { MATCH_TYPES } from '../../fts/query/match-type-names.js';
import { ENTRY_KINDS, SEARCH_MODES } from '../../search/search-names.js';
import { ROLES } from '../../stores/conversations/document/schema.js';
import { examplesOf } from '../command-help.js';
import type { FindOptions } from '../commands/find.js';
import type { SearchOptions } from '../commands/search.js';
import type { SessionStartOptions } from '../commands/session-start.js';
import type { Flags } from '../options/configuration.js';

/** The clients that `daybook init` gives a hook. */
const HOOK_CLIENTS = ['claude-code', 'codex', 'gemini'];

export function addSearch(program: Command, flags: () => Flags): void {
  program
    .command('search')
    .argument('<query...>', 'words, or an FTS5 query; put -- before words that begin with -')
    .description('find messages in all conversations')
    .addOption(new Option('--match-type <type>', 'how to match').choices(MATCH_TYPES))
    .addOption(new Option('--mode <mode>', 'by words, by meaning or by both').choices(SEARCH_MODES))
    .option('--explain', 'show why each message was found')
    .option('--activity', 'search tool calls, thinking and cited pages instead of what was said')
    .option('-C, --context <n>', 'also show n messages before and after each (0 to 10)')
    .option('--conversation <conversation>', 'only this one: key, id, title or last')
    .option('--module <name>', 'only conversations of this module')
    .option('--tag <tag>', 'only conversations with this tag')
    .addOption(new Option('--role <role>', 'only messages of this role').choices(ROLES))
    .option('--from <time>', 'only messages from this day or time on, such as 2025-01-24')
    .option('--to <time>', 'only messages up to this day or time')
    .option('--limit <n>', 'maximum number of results (default: 20)')
    .option('--all', 'all results')
    .option('--offset <n>', 'number of results to skip (default: 0)')
    .option('--archive', 'search the archives of daybook archive instead')
    .option('--json', 'the answer of the tool search_messages as JSON')
    .addHelpText(
      ...examplesOf(
        'search garden shed',
        `search '"garden shed"' --role user`,
        'search tomato --context 1',
        'search -- rm -rf',
      ),
    )
    .action(async (words: string[], options: SearchOptions) =>
      (await import('../commands/search.js')).search(words, options, flags()),
    );
}

export function addFind(program: Command, flags: () => Flags): void {
  program
    .command('find')
    .argument('<word...>', 'words of the name or their beginnings; small typing errors are allowed')
    .description('find conversations, notes, insights and subjects by their names')
    .addOption(
      new Option('--kind <kind>', 'only this kind; note includes heading').choices(ENTRY_KINDS),
    )
    .option('--limit <n>', 'maximum number of results (default: 20)')
    .option('--json', 'the answer as JSON')
    .addHelpText(...examplesOf('find garden', 'find tomatos --kind conversation'))
    .action(async (words: string[], options: FindOptions) =>
      (await import('../commands/find.js')).find(words, options, flags()),
    );
}

export function addSessionStart(program: Command, flags: () => Flags): void {
  program
    .command('session-start')
    .description(
      'show what is stored about the project in the working folder: insights, and where the last session ended',
    )
    .option('--module <name>', 'the module of the conversations (default: the name of the folder)')
    .option('--max-tokens <n>', 'approximate maximum length (default: 2000)')
    .addOption(
      new Option(
        '--hook <client>',
        'for the hook of this client: read its input on stdin, and print what it expects',
      ).choices(HOOK_CLIENTS),
    )
    .addOption(new Option('--json', 'the answer as JSON').conflicts('hook'))
    .addHelpText(...examplesOf('session-start', 'session-start --module garden --max-tokens 1000'))
    .action(async (options: SessionStartOptions) =>
      (await import('../commands/session-start.js')).sessionStart(options, flags()),
    );
}
