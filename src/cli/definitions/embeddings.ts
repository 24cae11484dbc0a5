/** Names, options and help of `daybook embeddings`. */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION, pointToHelp, YES_OPTION } from '../command-help.js';
import type { Flags } from '../options/configuration.js';
import type { ConsentOptions } from '../terminal/output.js';

export function addEmbeddings(program: Command, flags: () => Flags): void {
  const group = program
    .command('embeddings')
    .description(
      'the model on this machine with which Daybook finds messages by meaning: status, enable, update, disable',
    )
    .helpCommand(false)
    .addHelpText(...examplesOf('embeddings', 'embeddings enable'));
  group
    .command('status', { isDefault: true })
    .description('show whether the configured model can be used (exit status 1 if it cannot)')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('embeddings'))
    .action(async (options: ConsentOptions) =>
      (await import('../commands/embeddings.js')).embeddingsStatus(options, flags()),
    );
  group
    .command('enable')
    .description('install the packages of the local model, and prepare the model')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('embeddings enable --yes'))
    .action(async (options: ConsentOptions) =>
      (await import('../commands/embeddings.js')).enableEmbeddings(options, flags()),
    );
  group
    .command('update')
    .description('make the vectors that are missing, as a running server does in the background')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('embeddings update'))
    .action(async (options: ConsentOptions) =>
      (await import('../commands/embeddings.js')).updateEmbeddings(options, flags()),
    );
  group
    .command('disable')
    .description('remove the packages, the model and the vectors; conversations are not changed')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('embeddings disable'))
    .action(async (options: ConsentOptions) =>
      (await import('../commands/embeddings.js')).disableEmbeddings(options, flags()),
    );
  group.commands.forEach(pointToHelp);
}
