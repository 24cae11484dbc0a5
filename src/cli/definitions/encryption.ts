/** Names, options and help of `daybook encrypt` and `daybook decrypt`. */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION, YES_OPTION } from '../command-help.js';
import type { EncryptOptions } from '../commands/encryption.js';
import type { Flags } from '../options/configuration.js';
import type { ConsentOptions } from '../terminal/output.js';

export function addEncryption(program: Command, flags: () => Flags): void {
  program
    .command('encrypt')
    .description('encrypt all files of the store in place, or change its key')
    .option('--key-file <file>', 'the new key: a file with 64 hexadecimal digits')
    .option(
      '--keychain',
      "store the key in the system's keychain: the key of --key-file, or a new key",
    )
    .option('--passphrase', 'use the passphrase in DAYBOOK_PASSPHRASE as the new key')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('encrypt --key-file ~/daybook.key --yes'))
    .addHelpText('after', ENCRYPT_NOTES)
    .action(async (options: EncryptOptions) =>
      (await import('../commands/encryption.js')).encrypt(options, flags()),
    );
  program
    .command('decrypt')
    .description('decrypt all files of the store in place')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('decrypt --yes'))
    .action(async (options: ConsentOptions) =>
      (await import('../commands/encryption.js')).decrypt(options, flags()),
    );
}

const ENCRYPT_NOTES = `
Make a key with: openssl rand -hex 32 > ~/daybook.key
Keep a copy of the key in a safe place: without it the store cannot be read.
Servers and commands find the key by DAYBOOK_KEY_FILE (or DAYBOOK_PASSPHRASE).
While you change the key, leave this variable set to the old key. After
--keychain they find the key without a variable; DAYBOOK_KEY_FILE can be the
path of a copy. Running servers refuse every call that reads or writes the
store, until you restart them with the key. If the command is stopped, run it
again to continue. Names of files, times and sizes are not encrypted.`;
