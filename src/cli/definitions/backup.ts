/** Names, options and help of `daybook backup` and `daybook restore`. */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION } from '../command-help.js';
import type { RestoreOptions } from '../commands/restore.js';
import {
  type AgeOptions,
  ageOption,
  agePassphraseOption,
} from '../options/age-encryption-options.js';
import type { Flags } from '../options/configuration.js';

export function addBackup(program: Command, flags: () => Flags): void {
  program
    .command('backup')
    .description(
      'write all data into one archive and check it; then remove old backups (DAYBOOK_BACKUP_KEEP_DAYS)',
    )
    .option(
      '--to <folder>',
      'the folder for the archive; it is created, its parent folder must exist (default: the folder of the backups)',
    )
    .addOption(ageOption())
    .addOption(agePassphraseOption())
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('backup', 'backup --to /mnt/usb'))
    .action(async (options: { to?: string; json?: boolean } & AgeOptions) =>
      (await import('../commands/backup.js')).backup(options, flags()),
    );
  program
    .command('restore')
    .argument(
      '<what>',
      'a backup, an export (JSON, JSON Lines), the id, key or title of a deleted or archived conversation, the id of a deleted insight or its first four or more characters, or the path of a deleted note',
    )
    .description(
      'restore what is missing, without overwriting files; with --version, an earlier version of a conversation',
    )
    .option('--to <folder>', 'extract the files of a backup into this folder instead of the root')
    .option(
      '--as-new',
      'for an export: add conversations that differ from the existing ones as new conversations',
    )
    .option('--version <number>', 'an earlier version of a conversation, see daybook history')
    .option('--identity <file>', 'the file with the secret key that opens an age file')
    .option('--dry-run', 'only show what would be done')
    .option(...JSON_OPTION)
    .addHelpText(
      ...examplesOf(
        'restore all.jsonl --dry-run',
        'restore backups/daybook-20251225T090000Z-1f0c2a9b.tar.gz',
        'restore garden-plan',
        'restore ideas/garden.md',
      ),
    )
    .addHelpText('after', RESTORE_NOTES)
    .action(async (what: string, options: RestoreOptions) =>
      (await import('../commands/restore.js')).restore(what, options, flags()),
    );
}

const RESTORE_NOTES = `
If a file exists with other content, restore does not change it, prints its name
and exits with 1. Daybook searches for backups in the working folder and in
the folder of the backups. Deleted conversations, insights and notes are in the
trash: see daybook trash.`;
