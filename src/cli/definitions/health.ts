/** Names, options and help of `daybook info`, `daybook doctor` and `daybook unlock`. */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION, YES_OPTION } from '../command-help.js';
import type { DoctorOptions } from '../commands/doctor.js';
import type { UnlockOptions } from '../commands/unlock.js';
import type { Flags } from '../options/configuration.js';

export function addHealth(program: Command, flags: () => Flags): void {
  program
    .command('info')
    .description('show where the data is, how much there is, the settings, and any problems')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('info', 'info --json'))
    .action(async (options: { json?: boolean }) =>
      (await import('../commands/info.js')).info(options, flags()),
    );
  program
    .command('doctor')
    .description('check all stored files, report problems, and repair what can be repaired')
    .option(
      '--repair',
      'repair what can be repaired without loss; a copy of each damaged file is kept beside the repaired file',
    )
    .option(...YES_OPTION)
    .option('--json', 'every step and finding as JSON')
    .addHelpText(...examplesOf('doctor', 'doctor --repair', 'doctor --json'))
    .action(async (options: DoctorOptions) =>
      (await import('../commands/doctor.js')).doctor(options, flags()),
    );
  program
    .command('unlock')
    .argument('[lock]', 'only this lock, by the name that daybook unlock shows')
    .description('show the write locks and their owners, and remove locks whose owner has ended')
    .option(...YES_OPTION)
    .option('--force', 'also remove a lock whose owner is running')
    .option('--json', 'the locks, and which were removed, as JSON')
    .addHelpText(...examplesOf('unlock', 'unlock 20250124-1737730800123 --yes'))
    .action(async (name: string | undefined, options: UnlockOptions) =>
      (await import('../commands/unlock.js')).unlock(name, options, flags()),
    );
}
