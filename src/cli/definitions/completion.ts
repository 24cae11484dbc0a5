/** Names, options and help of `daybook completion`, and of the hidden command that its scripts call. */
import type { Command } from 'commander';
import { Argument } from 'commander';
import { examplesOf } from '../command-help.js';
import type { Flags } from '../options/configuration.js';

/** The shells that `daybook completion` supports. */
const SHELLS = ['bash', 'zsh', 'fish'];

export function addCompletion(program: Command, flags: () => Flags): void {
  program
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell').choices(SHELLS))
    .description('print a script that completes daybook commands in your shell')
    .addHelpText(
      ...examplesOf(
        'completion bash >> ~/.bashrc',
        'completion zsh >> ~/.zshrc',
        'completion fish > ~/.config/fish/completions/daybook.fish',
      ),
    )
    .action(async (shell: string) =>
      (await import('../commands/completion.js')).printScript(shell),
    );
  program
    .command('complete', { hidden: true })
    .argument('[words...]', 'the words typed so far, the last one unfinished')
    .allowUnknownOption()
    .helpOption(false)
    .action(async (words: string[]) =>
      (await import('../commands/completion.js')).complete(program, words, flags()),
    );
}
