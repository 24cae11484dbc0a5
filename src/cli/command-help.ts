/** The values and texts that the help of several commands shows. Imports no other modules, so help is fast. */
import type { Command, HelpContext } from 'commander';

export const JSON_OPTION = ['--json', 'the report as JSON'] as const;
export const YES_OPTION = ['--yes', 'do not ask'] as const;

/** Commands that are made of one tool, by the name of the tool. */
export const SINGLE_TOOLS: Readonly<Record<string, string>> = {
  list: 'get_conversations',
  save: 'save_message',
};

/** Groups of commands that are made of all tools of a toolset. */
export const GROUPS: Readonly<Record<string, string>> = {
  insight: 'insights',
  kg: 'kg',
  mb: 'memory_bank',
};

/** Descriptions and examples of the groups. */
export const GROUPS_HELP: Readonly<Record<string, { about: string; examples: readonly string[] }>> =
  {
    insight: {
      about: 'findings about a project, or about all projects',
      examples: ['insight save "Clay soil needs sand" --tags soil', 'insight search sand'],
    },
    kg: {
      about: 'the knowledge graph: facts such as Ada / lives in / London',
      examples: ['kg add Ada "lives in" London', 'kg query Ada'],
    },
    mb: {
      about: 'the memory bank: notes in Markdown',
      examples: ['mb add ideas/garden.md "Sow peas."', 'mb search peas'],
    },
  };

export const isMadeOfTools = (name: string): boolean => name in SINGLE_TOOLS || name in GROUPS;

/** Adds the help of the command to the message for wrong arguments. */
export function pointToHelp(command: Command): void {
  const names = [command.name()];
  for (let { parent } = command; parent !== null; parent = parent.parent)
    names.unshift(parent.name());
  const dashes = command.name() === 'search' ? 'Put -- before words that begin with -. ' : '';
  command.showHelpAfterError(
    `(${dashes}To see its arguments and options, run ${names.join(' ')} --help)`,
  );
  const { outputError } = command.configureOutput();
  command.configureOutput({
    outputError: (text, write) => outputError?.(withSameOption(text, command), write),
  });
}

/** Names of the beginning and of the end of a span of time. A command has one of each. */
const SPAN_OPTIONS = [
  ['--since', '--updated-after', '--from', '--after'],
  ['--until', '--updated-before', '--to', '--before'],
];
const UNKNOWN_OPTION = /(unknown option '(--[a-z-]+)')(?:\n\(Did you mean .*\?\))?/;

/** Commander suggests an option that is spelled alike; this suggests the one that means the same. */
function withSameOption(text: string, { options }: Command): string {
  return text.replace(UNKNOWN_OPTION, (whole, error: string, given: string) => {
    const names = SPAN_OPTIONS.find((each) => each.includes(given)) ?? [];
    const own = names.find((name) => options.some(({ long }) => long === name));
    return own === undefined ? whole : `${error}\n(Did you mean ${own}?)`;
  });
}

/** Without this, `daybook nothing --help` would show the help of the program. */
export function refuseUnknownCommands(command: Command): void {
  const outputHelp = command.outputHelp.bind(command);
  command.outputHelp = ((context?: HelpContext) => {
    const [word = '-'] = command.args;
    const isUnknown = !command.commands.some((each) => each.name() === word);
    if (command.commands.length > 0 && isUnknown && !word.startsWith('-'))
      command.error(`error: unknown command '${word}'`);
    outputHelp(context);
  }) as typeof command.outputHelp;
}

/** Arguments for `addHelpText`. `commands`: without the name of the program. */
export function examplesOf(...commands: readonly string[]) {
  const lines = commands.map((command) => `\n  daybook ${command}`);
  const heading = `\nExample${lines.length === 1 ? '' : 's'}:`;
  return ['after', lines.length === 0 ? '' : heading + lines.join('')] as const;
}
