/**
 * `daybook completion SHELL`: prints a script with which the shell calls `daybook complete`. The
 * candidates are commands, options, kinds of imports, and the names of conversations and notes in the store.
 */
import type { Command, Option } from 'commander';
import { CONTROLS } from '../../base/text/display-text.js';
import type { Config } from '../../config/config.js';
import { openConversationStore } from '../../stores/conversations/conversations.js';
import { NoteCatalogue } from '../../stores/memory-bank/note-catalogue.js';
import { isMadeOfTools } from '../command-help.js';
import { configuration, type Flags } from '../options/configuration.js';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_daybook() {
  local IFS=$'\\n'
  COMPREPLY=($(daybook complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null | cut -f1 | while read -r word; do printf '%q\\n' "$word"; done))
}
complete -o default -F _daybook daybook`,
  zsh: `#compdef daybook
_daybook() {
  local -a candidates
  local line
  for line in "\${(@f)$(daybook complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    [[ -n $line ]] && candidates+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  if (( $#candidates )); then _describe 'daybook' candidates; else _files; fi
}
if [[ $funcstack[1] == _daybook ]]; then
  _daybook
else
  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
  compdef _daybook daybook
fi`,
  fish: `function __daybook_candidates
  set -l words (commandline -opc) (commandline -ct)
  set -l candidates (daybook complete -- $words[2..] 2>/dev/null)
  if test (count $candidates) -gt 0
    printf '%s\\n' $candidates
  else
    __fish_complete_path (commandline -ct)
  end
end
complete --command daybook --no-files --arguments '(__daybook_candidates)'`,
};

export function printScript(shell: string): void {
  console.log(SCRIPTS[shell]);
}

interface Candidate {
  readonly word: string;
  readonly about: string;
}

/** A longer list is not useful in a shell. */
const MAX_CANDIDATES = 200;

/** Prints one candidate on each line, a tab, and its description. `typed`: the words after `daybook`. */
export async function complete(
  program: Command,
  typed: readonly string[],
  flags: Flags,
): Promise<void> {
  const last = typed.at(-1) ?? '';
  const candidates = await candidatesOf(program, typed.slice(0, -1), last, flags);
  const fitting = candidates.filter(({ word }) => word.startsWith(last)).slice(0, MAX_CANDIDATES);
  const lines = fitting.map(
    ({ word, about }) => `${withoutControls(word)}\t${withoutControls(about)}\n`,
  );
  process.stdout.write(lines.join(''));
}

/** Replaces control characters: tabs and newlines separate candidates, and the shell prints the others. */
const withoutControls = (text: string) => text.replace(CONTROLS, ' ');

async function candidatesOf(
  program: Command,
  before: readonly string[],
  last: string,
  flags: Flags,
): Promise<readonly Candidate[]> {
  const { command, words, option, root, isHelp } = await commandOf(program, before);
  const typed = root === undefined ? flags : { ...flags, root };
  if (option !== undefined && !last.startsWith('-')) return valuesOf(option, command, typed);
  if (last.startsWith('-')) return optionsOf(command, program);
  if (command.commands.length > 0) return commandsIn(command);
  if (isHelp) return [];
  const { registeredArguments: args } = command;
  const argument = args[words] ?? (args.at(-1)?.variadic ? args.at(-1) : undefined);
  if (argument?.argChoices !== undefined) return plain(argument.argChoices);
  const name = argument?.name() ?? '';
  // The path of `mb add` is that of a new note.
  if (name === 'path' && command.parent?.name() === 'mb' && command.name() !== 'add')
    return notePaths(typed);
  return name === 'conversation' || name === 'conversations' ? conversationNames(typed) : [];
}

/**
 * The command in `before`, the number of its arguments so far, the option that needs a value next, and the
 * value of `--root`. After `help`, the command is the one to be described.
 */
async function commandOf(program: Command, before: readonly string[]) {
  let command = program;
  let words = 0;
  let option: Option | undefined;
  let root: string | undefined;
  const isHelp = before[0] === 'help';
  for (const word of isHelp ? before.slice(1) : before) {
    const [name = '', ...rest] = word.startsWith('--') ? word.split('=') : [word];
    const known = [...command.options, ...program.options];
    const named = known.find(({ long, short }) => long === name || short === name);
    const value = option === undefined ? rest.join('=') : word;
    if ((option ?? named)?.long === '--root' && value !== '') root = value;
    if (option !== undefined) {
      option = undefined;
      continue;
    }
    if (named !== undefined) {
      if (rest.length === 0 && (named.required || named.optional)) option = named;
      continue;
    }
    const next = command.commands.find((each) => each.name() === word);
    if (next === undefined) {
      words += 1;
      continue;
    }
    command = next;
    if (isMadeOfTools(next.name()) && next.commands.length === 0) {
      (await import('../tools/tool-groups.js')).fillIn(next, () => ({}));
    }
  }
  return { command, words, option, root, isHelp };
}

const plain = (words: readonly string[]) => words.map((word) => ({ word, about: '' }));

function commandsIn(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map((each) => ({ word: each.name(), about: each.description() }));
}

function optionsOf(command: Command, program: Command): Candidate[] {
  const options = [...command.createHelp().visibleOptions(command), ...program.options];
  const found = options.flatMap(({ long, description }) =>
    long === undefined || long === null
      ? []
      : [[long, { word: long, about: description }] as const],
  );
  // The last one of a name wins, so that the own option of a command replaces that of the program.
  return [...new Map(found.reverse()).values()].reverse();
}

async function valuesOf(
  option: Option,
  command: Command,
  flags: Flags,
): Promise<readonly Candidate[]> {
  if (option.argChoices !== undefined) return plain(option.argChoices);
  if (command.name() === 'import' && option.long === '--from')
    return plain((await import('../../import/source-list.js')).KINDS);
  const isConversation = option.long === '--conversation' || option.long === '--conversation-id';
  return isConversation ? conversationNames(flags) : [];
}

/** Keys, ids and titles of all conversations. */
async function conversationNames(flags: Flags): Promise<readonly Candidate[]> {
  const config: Config = configuration(flags);
  const store = await openConversationStore({
    logsFolder: config.logsDir,
    maxMessages: config.maxMessages,
    fsync: config.fsync,
    isReading: true,
  });
  const heads = await store.list();
  await store.close();
  return [
    { word: 'last', about: 'the conversation that was changed last' },
    ...heads.flatMap(({ clientId, conversationId, title = '' }) => [
      ...(clientId === undefined ? [] : [{ word: clientId, about: title }]),
      { word: conversationId, about: title },
      ...(title === '' ? [] : [{ word: title, about: conversationId }]),
    ]),
  ];
}

async function notePaths(flags: Flags): Promise<readonly Candidate[]> {
  const notes = new NoteCatalogue(configuration(flags).memoryBankFolder);
  await notes.refresh();
  return plain(notes.notes().map(({ path }) => path));
}
