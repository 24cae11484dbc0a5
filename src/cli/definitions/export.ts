/** Names, options and help of `daybook export`. */
import { type Command, Option } from 'commander';
import { examplesOf } from '../command-help.js';
import type { ExportOptions } from '../commands/export.js';
import { ageOption, agePassphraseOption } from '../options/age-encryption-options.js';
import type { Flags } from '../options/configuration.js';

export function addExport(program: Command, flags: () => Flags): void {
  program
    .command('export')
    .argument('[conversations...]', 'keys, ids, titles or last (default: all conversations)')
    .description('write conversations as JSON, JSON Lines or Markdown')
    .addOption(
      new Option(
        '-f, --format <format>',
        'json or jsonl: to restore; openai: for other programs; markdown-files: a folder with one file per conversation and with attachments; markdown: one text, for reading only. All formats except markdown can be imported again (default: markdown for a file that ends in .md, json for .json, otherwise jsonl)',
      ).choices(['json', 'jsonl', 'openai', 'markdown-files', 'markdown']),
    )
    .option(
      '-o, --output <file>',
      'a new file, or a new folder for markdown-files; - is the standard output (the default)',
    )
    .option('--module <name>', 'only conversations of this module')
    .option('--tag <tag>', 'only conversations with this tag')
    .option(
      '--share',
      'leave out system messages, metadata except cited web pages, keys of conversations and links between them; texts are not changed',
    )
    .addOption(ageOption())
    .addOption(agePassphraseOption())
    .addHelpText(
      ...examplesOf(
        'export -o all.jsonl',
        'export -f markdown-files -o conversations',
        'export garden-plan -f markdown --share',
      ),
    )
    .action(async (refs: string[], options: ExportOptions) =>
      (await import('../commands/export.js')).exportConversations(refs, options, flags()),
    );
}
