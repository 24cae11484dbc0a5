/**
 * The names of tools and inputs on the command line. Messages and hints have these names in backquotes
 * (`save_message`, `oldText`); the command line replaces them by commands and options.
 */
import type { AppError, ErrorCode } from '../../base/errors.js';
import type { Tool, Toolset } from '../../tools/define-tool.js';
import { tools } from '../../tools/index.js';
import { GROUPS, SINGLE_TOOLS } from '../command-help.js';

/** The command of a tool in a group: `save_insight` is `insight save`, `kg_add` is `kg add`. */
export function commandNameOf({ name }: Tool, group: string): string {
  return name
    .split('_')
    .filter((word) => word !== group && word !== `${group}s`)
    .join('-');
}

/** Tool name to the command that does the same. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ['search_messages', 'search'],
  ['get_conversation', 'show'],
  ['export_conversations', 'export'],
  ['import_conversations', 'import'],
  ['store_info', 'info'],
  ['list_trash', 'trash'],
  ['update_conversation', 'rename, daybook tag or daybook edit'],
  ...Object.entries(SINGLE_TOOLS).map(([command, tool]) => [tool, command] as const),
  ...Object.entries(GROUPS).flatMap(([group, toolset]) =>
    tools
      .filter((tool) => tool.toolset === (toolset as Toolset))
      .map((tool) => [tool.name, `${group} ${commandNameOf(tool, group)}`] as const),
  ),
]);

/** Input name to option, such as `asOf` to `--as-of`. */
export type OptionNames = Readonly<Record<string, string>>;

/** A name, or an option as it is typed, in backquotes, with an optional boolean value. */
const MARKED = /`((?:--)?\w+)(?:: (true|false))?`/g;

/** A command, such as `daybook trash`, in backquotes. */
const MARKED_COMMAND = /`(daybook [^`]+)`/g;

/**
 * Replaces names in backquotes by commands and options; other names, and commands, only lose their backquotes.
 */
export function withCommandNames(text: string, options: OptionNames = {}): string {
  const optionOf = new Map(Object.entries(options)); // the text may have any name, such as `constructor`
  return text
    .replace(MARKED_COMMAND, '$1')
    .replace(MARKED, (_, name: string, value: string | undefined) => {
      const command = COMMANDS.get(name);
      if (command !== undefined) return `daybook ${command}`;
      const option = optionOf.get(name) ?? name;
      if (value === undefined || !option.startsWith('--')) return option;
      return value === 'true' ? option : option.replace('--', '--no-');
    });
}

/** Hints for people that replace a general hint written for assistants, by error code. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'Correct the command and try again. --help shows its arguments and options.',
  TIMEOUT: 'Try again, if possible with a smaller request.',
  CONVERSATION_NOT_FOUND: 'To see the conversations, run daybook list.',
  RATE_LIMITED: 'Wait for the time in the message, or for a minute, then try again.',
  PROVIDER: 'Nothing that is stored was changed. Try again later.',
  STORAGE_FULL: 'This step changed nothing. Free some disk space, then try again.',
  LOCKED:
    'Another process is writing here. Try again in a few seconds. daybook unlock shows the owner of the lock.',
};

/** The hint for people, with commands and options as in `withCommandNames`. */
export function hintForPeople({ code, hint, isGeneralHint }: AppError, options?: OptionNames) {
  const own = isGeneralHint ? HINTS[code] : undefined;
  return own ?? withCommandNames(hint, options);
}
