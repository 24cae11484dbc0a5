/**
 * Tools and their inputs by the names that they have on the command line. Messages and hints put such
 * names in backticks (`save_message`, `oldText`); each front end shows them as its reader types them.
 */
import type { AppError, ErrorCode } from '../../base/errors.js';
import type { Tool, Toolset } from '../../tools/define-tool.js';
import { tools } from '../../tools/index.js';
import { GROUPS, SINGLE_TOOLS } from '../names.js';

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
  ['import_conversations', 'import'],
  ['store_info', 'info'],
  ...Object.entries(SINGLE_TOOLS).map(([command, tool]) => [tool, command] as const),
  ...Object.entries(GROUPS).flatMap(([group, toolset]) =>
    tools
      .filter((tool) => tool.toolset === (toolset as Toolset))
      .map((tool) => [tool.name, `${group} ${commandNameOf(tool, group)}`] as const),
  ),
]);

/** Options by the input that they stand for, such as `--as-of` by `asOf`. */
export type OptionNames = Readonly<Record<string, string>>;

/** A name in backticks, and the value that a switch is to have. */
const MARKED = /`(\w+)(?:: (true|false))?`/g;

/** The text with names as they are typed; a name that has no other form here stays as it is. */
export function withCommandNames(text: string, options: OptionNames = {}): string {
  return text.replace(MARKED, (_, name: string, value: string | undefined) => {
    const command = COMMANDS.get(name);
    if (command !== undefined) return `daybook ${command}`;
    const option = options[name] ?? name;
    if (value === undefined || !option.startsWith('--')) return option;
    return value === 'true' ? option : option.replace('--', '--no-');
  });
}

/** Hints for people, where the general hint of a code is written for assistants. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  VALIDATION_ERROR: 'Correct the command and try again. --help shows its arguments and options.',
  TIMEOUT: 'Try again. Ask for less, which is faster.',
  CONVERSATION_NOT_FOUND: 'To see the conversations, run daybook list.',
  STORAGE_FULL: 'Nothing was changed. Free some disk space, then try again.',
  LOCKED:
    'Another process is writing here. Try again in a few seconds. daybook unlock shows the owner of the lock.',
};

/** The hint of an error, as `withCommandNames`. */
export function hintForPeople({ code, hint, isGeneralHint }: AppError, options?: OptionNames) {
  const own = isGeneralHint ? HINTS[code] : undefined;
  return own ?? withCommandNames(hint, options);
}
