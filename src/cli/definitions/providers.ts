/** Names, options and help of `daybook providers`. */
import { type Command, Option } from 'commander';
import { PROVIDER_KINDS } from '../../providers/llm/provider-kinds.js';
import { examplesOf, JSON_OPTION, pointToHelp, YES_OPTION } from '../command-help.js';
import type { AddOptions } from '../commands/providers.js';
import type { Flags } from '../options/configuration.js';
import type { ConsentOptions } from '../terminal/output.js';

export function addProviders(program: Command, flags: () => Flags): void {
  const group = program
    .command('providers')
    .description('the language models that may write summaries: list, add, allow, remove, test')
    .helpCommand(false)
    .addHelpText(...examplesOf('providers', 'providers add local --kind ollama --model llama3.2'));
  group
    .command('list', { isDefault: true })
    .description('list the providers in the order in which they are asked')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('providers', 'providers list --json'))
    .action(async (options: { json?: boolean }) =>
      (await import('../commands/providers.js')).listProviders(options, flags()),
    );
  addAdd(group, flags);
  group
    .command('allow')
    .argument('<name>', 'a provider of the list')
    .description('show what will be sent to a provider and where, then allow it')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('providers allow gpt'))
    .action(async (name: string, options: ConsentOptions) =>
      (await import('../commands/providers.js')).allowProvider(name, options, flags()),
    );
  group
    .command('remove')
    .argument('<name>', 'a provider of the list')
    .description('remove a provider; nothing more is sent to it')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('providers remove gpt'))
    .action(async (name: string, options: { json?: boolean }) =>
      (await import('../commands/providers.js')).removeProvider(name, options, flags()),
    );
  group
    .command('test')
    .argument('<name>', 'a provider of the list')
    .description('ask a provider one test question that contains none of your data')
    .option(...JSON_OPTION)
    .addHelpText(...examplesOf('providers test local'))
    .action(async (name: string, options: { json?: boolean }) =>
      (await import('../commands/providers.js')).testProvider(name, options, flags()),
    );
  group.commands.forEach(pointToHelp);
}

function addAdd(group: Command, flags: () => Flags): void {
  group
    .command('add')
    .argument('<name>', 'its name in the list; if a provider has this name, it is changed')
    .description('add a provider; shows what will be sent and where, then asks you to allow it')
    .addOption(new Option('--kind <kind>', 'kind of server').choices(PROVIDER_KINDS))
    .option('--model <name>', 'the model to ask')
    .option('--endpoint <url>', 'its address (default: the usual address for its kind)')
    .option('--key-env <NAME>', 'the NAME of the environment variable with the key')
    .option('--priority <n>', 'the provider with the highest number is asked first (default: 0)')
    .option('--context-tokens <n>', 'maximum number of tokens of one request, including the answer')
    .option(...YES_OPTION)
    .option(...JSON_OPTION)
    .addHelpText(
      ...examplesOf(
        'providers add local --kind ollama --model llama3.2',
        'providers add claude --kind anthropic --model claude-haiku-4-5 --priority 10',
      ),
    )
    .action(async (name: string, options: AddOptions) =>
      (await import('../commands/providers.js')).addProvider(name, options, flags()),
    );
}
