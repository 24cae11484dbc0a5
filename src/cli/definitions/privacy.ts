/** Names, options and help of `daybook scan` and `daybook redact`. */
import type { Command } from 'commander';
import { examplesOf, YES_OPTION } from '../command-help.js';
import type { RedactOptions } from '../commands/redact.js';
import type { Flags } from '../options/configuration.js';
import { ALL_OPTION } from '../terminal/output.js';

export function addPrivacy(program: Command, flags: () => Flags): void {
  program
    .command('scan')
    .description('search all stored files for keys and passwords in well-known formats')
    .option('--json', 'every place as JSON')
    .addHelpText(...examplesOf('scan', 'scan --json'))
    .action(async (options: { json?: boolean }) =>
      (await import('../commands/scan.js')).scan(options, flags()),
    );
  program
    .command('redact')
    .argument('<text>', 'the text to remove; - reads it from the standard input')
    .description('remove a text from all stored files; shows where it is, and asks first')
    .option('--with <text>', 'the text that replaces it', '[redacted]')
    .option('--dry-run', 'only show where it is')
    .option(...YES_OPTION)
    .option(...ALL_OPTION)
    .option('--json', 'every file as JSON')
    .addHelpText(...examplesOf('redact "Example Street 12"', 'redact - --yes < secret.txt'))
    .addHelpText('after', REDACT_NOTES)
    .action(async (text: string, options: RedactOptions) =>
      (await import('../commands/redact.js')).redact(text, options, flags()),
    );
}

const REDACT_NOTES = `
Upper and lower case are different texts: run the command once for
each spelling.`;
