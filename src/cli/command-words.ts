/**
 * What is written for assistants, in the words of the command line: hints and notes name tools and
 * their inputs, and whoever typed a command knows commands and options.
 */
import type { Tool, Toolset } from '../tools/define-tool.js';
import { tools } from '../tools/index.js';
import { GROUPS, SINGLE_TOOLS } from './names.js';

/** `save_insight` of `insight` is `save`; `kg_add` of `kg` is `add`. */
export function commandNameOf({ name }: Tool, group: string): string {
  return name
    .split('_')
    .filter((word) => word !== group && word !== `${group}s`)
    .join('-');
}

/** Commands by the tool that does the same. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['search_messages', 'search'],
  ['get_conversation', 'show'],
  ['export_conversations', 'export'],
  ['store_info', 'info'],
  ...Object.entries(SINGLE_TOOLS).map(([command, tool]) => [tool, command] as const),
  ...Object.entries(GROUPS).flatMap(([group, toolset]) =>
    tools
      .filter((tool) => tool.toolset === (toolset as Toolset))
      .map((tool) => [tool.name, `${group} ${commandNameOf(tool, group)}`] as const),
  ),
]);

// A name of one word, such as backup, is a word of the language as well.
const TOOL_NAMES = tools.map(({ name }) => name).filter((name) => name.includes('_'));
const TOOL_NAME = new RegExp(`(the tool )?\\b(${TOOL_NAMES.join('|')})\\b`, 'g');
/** What stands before an input that is one word of the language: `Give title, tags or module`. */
const BEFORE_INPUT =
  /(?:\b(?:give|try|leave|with|without) (?:either )?|\()(?:[\w-]+(?:, or |, | or | and ))*$/i;

/** Options by the input that they stand for, such as `--as-of` by `asOf`. */
export type OptionNames = Readonly<Record<string, string>>;

export function inCommandWords(text: string, options: OptionNames = {}): string {
  const commands = text
    .replace(TOOL_NAME, (_, _the, name: string) => {
      const command = COMMANDS.get(name);
      return command === undefined ? `the tool ${name}` : `daybook ${command}`;
    })
    .replace(/\bcall again\b/g, 'try again');
  const inputs = Object.keys(options);
  if (inputs.length === 0) return commands;
  const input = new RegExp(`(?<![-\\w])(${inputs.join('|')})\\b(?:: (true|false)\\b)?`, 'g');
  return commands.replace(input, (words, name: string, value: string | undefined, at: number) => {
    const option = options[name] ?? name;
    if (value !== undefined) return value === 'true' ? option : option.replace('--', '--no-');
    const isInput = /[A-Z]/.test(name) || BEFORE_INPUT.test(commands.slice(0, at));
    return isInput ? option : words;
  });
}
