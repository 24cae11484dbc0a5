/** Names, options and help of `daybook encrypt` and `daybook decrypt`. */
import type { Command } from 'commander';
import type { EncryptOptions } from '../commands/encryption.js';
import type { Flags } from '../configuration.js';
import { examplesText } from '../names.js';

export function addEncryption(program: Command, flags: () => Flags): void {
  program
    .command('encrypt')
    .description('encrypt all files of the store in place, or change its key')
    .option('--key-file <file>', 'the new key: a file with 64 hexadecimal digits')
    .option(
      '--keychain',
      "the new key is in the system's keychain: that of --key-file, or a new one",
    )
    .option('--passphrase', 'the new key is the passphrase in DAYBOOK_PASSPHRASE')
    .option('--yes', 'do not ask')
    .option('--json', 'the report as JSON')
    .addHelpText('after', examplesText('encrypt --key-file ~/daybook.key --yes'))
    .addHelpText('after', ENCRYPT_NOTES)
    .action(async (options: EncryptOptions) =>
      (await import('../commands/encryption.js')).encrypt(options, flags()),
    );
  program
    .command('decrypt')
    .description('decrypt all files of the store in place')
    .option('--yes', 'do not ask')
    .option('--json', 'the report as JSON')
    .addHelpText('after', examplesText('decrypt --yes'))
    .action(async (options: { yes?: boolean; json?: boolean }) =>
      (await import('../commands/encryption.js')).decrypt(options, flags()),
    );
}

const ENCRYPT_NOTES = `
Make a key with: openssl rand -hex 32 > ~/daybook.key
Keep a copy of it in a safe place: without it the store cannot be read. Servers and commands
find it by DAYBOOK_KEY_FILE (or DAYBOOK_PASSPHRASE), which also opens a store whose key is changed.
With --keychain they find it without a setting; DAYBOOK_KEY_FILE may name a copy of it.
Servers that run meanwhile refuse to write until they are started again. A command that was stopped
continues when it is run again. Names of files, times and sizes stay readable.`;
