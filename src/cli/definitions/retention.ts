/** Names, options and help of `daybook trash`, `prune`, `retention`, `history` and `archive`. */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION, pointToHelp, YES_OPTION } from '../command-help.js';
import type { ArchiveOptions } from '../commands/archive.js';
import type { PruneOptions } from '../commands/prune.js';
import type { SetRetentionOptions } from '../commands/retention.js';
import type { EmptyTrashOptions, RestoreTrashOptions } from '../commands/trash.js';
import type { Flags } from '../options/configuration.js';
import { ALL_OPTION } from '../terminal/output.js';

export function addRetentionCommands(program: Command, flags: () => Flags): void {
  addTrash(program, flags);
  addPrune(program, flags);
  addRetention(program, flags);
  addArchive(program, flags);
  program
    .command('history')
    .argument('<conversation...>', 'key, id or its beginning, title, or last')
    .description(
      'list the versions of a conversation that were kept before messages were changed or removed',
    )
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('history garden-plan'))
    .action(async (words: string[], options: { json?: boolean }) =>
      (await import('../commands/history.js')).history(words.join(' '), options, flags()),
    );
}

function addTrash(program: Command, flags: () => Flags): void {
  const group = program
    .command('trash')
    .description('list, restore or permanently remove what was deleted')
    .helpCommand(false)
    .addHelpText(...examplesOf('trash', 'trash restore garden-plan'));
  group
    .command('list', { isDefault: true })
    .description('list deleted conversations, insights and notes, most recently deleted first')
    .option(...ALL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('trash'))
    .action(async (options: { all?: boolean; json?: boolean }) =>
      (await import('../commands/trash.js')).listTrash(options, flags()),
    );
  group
    .command('restore')
    .argument('[what]', 'the name in the trash; or the id, key, title or path that it had')
    .description('restore something from the trash; existing files are never overwritten')
    .option(
      '--newer-than <days>',
      'all that was deleted within this number of days, such as 1d; shows it and asks first',
    )
    .option(...YES_OPTION)
    .option(...ALL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('trash restore garden-plan', 'trash restore --newer-than 1d'))
    .action(async (what: string | undefined, options: RestoreTrashOptions) =>
      (await import('../commands/restore-deleted.js')).restoreFromTrash(what, options, flags()),
    );
  group
    .command('empty')
    .description('permanently remove what is in the trash')
    .option(
      '--older-than <days>',
      'only what was deleted at least this number of days ago, such as 30d',
    )
    .option(...YES_OPTION)
    .option(...ALL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('trash empty --older-than 30d'))
    .action(async (options: EmptyTrashOptions) =>
      (await import('../commands/trash.js')).emptyTrash(options, flags()),
    );
  group.commands.forEach(pointToHelp);
}

function addPrune(program: Command, flags: () => Flags): void {
  program
    .command('prune')
    .description('move old conversations to the trash; shows them and asks first')
    .option(
      '--older-than <days>',
      'minimum days since the last message, such as 90d (default with --module or --tag: any age)',
    )
    .option('--module <name>', 'only of this module')
    .option('--tag <tag>', 'only with this tag')
    .option(
      '--by-size',
      'also the oldest of all conversations, while the store is over 80 % of DAYBOOK_MAX_SIZE_MB; permanently removes the oldest items of the trash if store and trash together are over that limit',
    )
    .option('--dry-run', 'only show which conversations, and why')
    .option(...YES_OPTION)
    .option(...ALL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      ...examplesOf('prune --older-than 365d --dry-run', 'prune --older-than 90d --tag draft'),
    )
    .addHelpText('after', PRUNE_NOTES)
    .action(async (options: PruneOptions) =>
      (await import('../commands/prune.js')).prune(options, flags()),
    );
}

const PRUNE_NOTES = `
A conversation is moved if it matches all of --older-than, --module and --tag;
--by-size chooses among all conversations. Without these options, the retention
policy decides (docs/RETENTION.md). Pinned conversations are not moved. To
restore a conversation, run daybook restore.`;

function addRetention(program: Command, flags: () => Flags): void {
  const group = program
    .command('retention')
    .description('the policy by which servers move old conversations to the trash once a day')
    .helpCommand(false)
    .addHelpText(...examplesOf('retention', 'retention add --older-than 365d'));
  group
    .command('show', { isDefault: true })
    .description(
      'print the policy, its last run, and how many conversations the next run would move',
    )
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('retention'))
    .action(async (options: { json?: boolean }) =>
      (await import('../commands/retention.js')).showRetention(options, flags()),
    );
  group
    .command('add')
    .description('add a rule to the policy; shows what it would move, and asks first')
    .option('--older-than <days>', 'minimum days since the last message, such as 365d')
    .option('--module <name>', 'only of this module')
    .option('--tag <tag>', 'only with this tag')
    .option(
      '--by-size',
      'the oldest of all conversations, while the store is over 80 % of DAYBOOK_MAX_SIZE_MB; permanently removes the oldest items of the trash if store and trash together are over that limit',
    )
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      ...examplesOf(
        'retention add --older-than 365d',
        'retention add --older-than 30d --tag scratch',
      ),
    )
    .action(async (options: SetRetentionOptions) =>
      (await import('../commands/retention.js')).addRetention(options, flags()),
    );
  group
    .command('clear')
    .description('remove the policy: Daybook then moves nothing automatically')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('retention clear'))
    .action(async (options: { json?: boolean }) =>
      (await import('../commands/retention.js')).clearRetention(options, flags()),
    );
  group.commands.forEach(pointToHelp);
}

function addArchive(program: Command, flags: () => Flags): void {
  program
    .command('archive')
    .description('move old conversations into archives by month; shows them and asks first')
    .requiredOption('--older-than <days>', 'minimum days since the last message, such as 365d')
    .option('--module <name>', 'only of this module')
    .option('--tag <tag>', 'only with this tag')
    .option('--dry-run', 'only show which conversations')
    .option(...YES_OPTION)
    .option(...ALL_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('archive --older-than 365d'))
    .addHelpText('after', ARCHIVE_NOTES)
    .action(async (options: ArchiveOptions) =>
      (await import('../commands/archive.js')).archive(options, flags()),
    );
}

const ARCHIVE_NOTES = `
Pinned conversations are not moved. daybook search --archive finds archived
messages, and daybook restore restores a conversation by its id, key or title.`;
