/**
 * Names, options and help of the commands for conversations: list, show, save, edit, rename, tag, pin,
 * delete, open. The argument `conversation` is a key, an id or its unique beginning, a title, or `last`.
 */
import type { Command } from 'commander';
import { examplesOf, JSON_OPTION } from '../command-help.js';
import type { DeleteOptions } from '../commands/delete.js';
import type { TagOptions } from '../commands/rename-tag-pin.js';
import type { ShowOptions } from '../commands/show.js';
import type { Flags } from '../options/configuration.js';

const CONVERSATION = 'key, id or its beginning, title, or last';
interface OpenOptions {
  readonly folder?: boolean;
  readonly port?: string;
  readonly print?: boolean;
}

export function addConversations(program: Command, flags: () => Flags): void {
  program.command('list').description('list conversations, most recently changed first');
  program
    .command('show')
    .argument('<conversation...>', CONVERSATION)
    .description('show a conversation: rendered on a terminal, as Markdown in a pipe')
    .option('--tools', 'also show input and output of tools, and thinking')
    .option('--json', 'the whole conversation as JSON')
    .addHelpText(
      ...examplesOf('show garden-plan', 'show last', 'show garden-plan > garden-plan.md'),
    )
    .action(async (words: string[], options: ShowOptions) =>
      (await import('../commands/show.js')).show(words.join(' '), options, flags()),
    );
  program.command('save').description('save one message of a conversation');
  addChanges(program, flags);
  program
    .command('delete')
    .argument('<conversation...>', CONVERSATION)
    .description('move a conversation to the trash; undo it with daybook restore')
    .option('--permanent', 'remove it permanently instead of moving it to the trash')
    .option('--yes', 'do not ask before a permanent removal')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('delete garden-plan', 'delete last --permanent'))
    .action(async (words: string[], options: DeleteOptions) =>
      (await import('../commands/delete.js')).deleteConversation(words.join(' '), options, flags()),
    );
  program
    .command('edit')
    .argument('<conversation...>', CONVERSATION)
    .description(
      'open the file of a conversation in $VISUAL or $EDITOR, and check it before it is stored',
    )
    .addHelpText(...examplesOf('edit garden-plan'))
    .action(async (words: string[]) =>
      (await import('../commands/edit.js')).edit(words.join(' '), flags()),
    );
  program
    .command('open')
    .argument('[conversation...]', CONVERSATION)
    .description('open the page of the store in the browser, or the folder of a conversation')
    .option('--folder', 'open a folder in the file manager instead of the page')
    .option(
      '--port <number>',
      'port of the page (default: 3000, or a free port if another program uses 3000)',
    )
    .option('--print', 'only print the link or the path')
    .addHelpText(...examplesOf('open', 'open last --print', 'open --folder'))
    .action(async (words: string[], { folder, ...options }: OpenOptions) => {
      if (words.length > 0 || folder) {
        return (await import('../commands/open-folder.js')).openFolder(
          words.join(' '),
          options,
          flags(),
        );
      }
      return (await import('../commands/open-page.js')).openPage(options, flags());
    });
}

function addChanges(program: Command, flags: () => Flags): void {
  program
    .command('rename')
    .argument('<conversation>', CONVERSATION)
    .argument('<title...>', 'the new title')
    .description('give a conversation another title')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('rename last Plans for the garden'))
    .action(async (ref: string, title: string[], { json }: { json?: boolean }) =>
      (await import('../commands/rename-tag-pin.js')).rename(ref, title.join(' '), json, flags()),
    );
  program
    .command('tag')
    .argument('<conversation>', CONVERSATION)
    .argument('[tags...]', 'tags to add; commas separate tags, and a # before a tag is left out')
    .description('add or remove tags of a conversation; without tags, show them')
    .option('--remove <tag...>', 'tags to remove')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('tag last garden spring', 'tag last --remove spring'))
    .action(async (ref: string, tags: string[], options: TagOptions) =>
      (await import('../commands/rename-tag-pin.js')).tag(ref, tags, options, flags()),
    );
  for (const [name, isPinned] of [
    ['pin', true],
    ['unpin', false],
  ] as const) {
    program
      .command(name)
      .argument('<conversation...>', CONVERSATION)
      .description(isPinned ? 'protect a conversation from prune and archive' : 'undo daybook pin')
      .option(...JSON_OPTION)
      .addHelpText(...examplesOf(`${name} garden-plan`))
      .action(async (words: string[], { json }: { json?: boolean }) =>
        (await import('../commands/rename-tag-pin.js')).pin(
          words.join(' '),
          isPinned,
          json,
          flags(),
        ),
      );
  }
}
