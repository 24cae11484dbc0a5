/**
 * The hook of Daybook in the settings file of a coding assistant: a command that the assistant runs when a
 * session begins. Claude Code, Codex and Gemini CLI use the same form. An entry has the words of the command.
 */
import { isRecord, listIn, objectIn, textIn } from '../../base/json-fields.js';
import type { Client, Entry } from './clients.js';
import { type Change, edited, parsedObject, requireSingle, withoutElement } from './edit-json.js';
import { shellLine, shellWords } from './shell-line.js';
import { HOOK_WORDS } from './start-command.js';
import { unfitFile } from './unfit-file.js';

const EVENT = 'SessionStart';

/** Where the hook is: the group of hooks, its place in the group, and whether the group has other hooks. */
interface Place {
  readonly group: number;
  readonly at: number;
  readonly isAlone: boolean;
  readonly entry: Entry;
}

const readEntry = (text: string, client: Client): Entry | undefined => placeIn(text, client)?.entry;

function withEntry(text: string, client: Client, entry: Entry): string {
  const place = placeIn(text, client);
  const hook = hookOf(entry);
  if (place === undefined) {
    const group = { hooks: [hook] };
    const hasGroups = groupsIn(text, client) !== undefined;
    const change: Change = hasGroups ? [['hooks', EVENT, -1], group] : [['hooks', EVENT], [group]];
    return edited(text, [change]);
  }
  const before = hookOf(place.entry);
  const path = ['hooks', EVENT, place.group, 'hooks', place.at];
  const changes = Object.entries(hook)
    .filter(([name, wanted]) => before[name] !== wanted)
    .map(([name, wanted]): Change => [[...path, name], wanted]);
  return changes.length === 0 ? text : edited(text, changes);
}

/** Lists that are empty then are removed too. */
function withoutEntry(text: string, client: Client): string {
  const place = placeIn(text, client);
  if (place === undefined) return text;
  const { group, at, isAlone } = place;
  const without = isAlone
    ? withoutElement(text, ['hooks', EVENT], group)
    : withoutElement(text, ['hooks', EVENT, group, 'hooks'], at);
  if (groupsIn(without, client)?.length !== 0) return without;
  const hasOtherEvents = Object.keys(hooksIn(without, client) ?? {}).length > 1;
  return edited(without, [[hasOtherEvents ? ['hooks', EVENT] : ['hooks'], undefined]]);
}

const blockOf = (_client: Client, entry: Entry): string =>
  JSON.stringify({ hooks: { [EVENT]: [{ hooks: [hookOf(entry)] }] } }, null, 2);

/** The entry as it is in the file: the command is a line for a shell. */
function hookOf({ type, command, args, ...fields }: Entry): Entry {
  const words = [command, ...listIn(args)];
  // Claude Code runs hooks with Git Bash on Windows.
  const line = shellLine(words.map(String), process.platform, true);
  return { type, command: line, ...fields };
}

function placeIn(text: string, client: Client): Place | undefined {
  for (const [group, value] of (groupsIn(text, client) ?? []).entries()) {
    const hooks = listIn(objectIn(value)['hooks']);
    for (const [at, hook] of hooks.entries()) {
      const fields = objectIn(hook);
      const line = textIn(fields['command']);
      if (line === undefined || !isOwn(line, client)) continue;
      const [command = '', ...args] = shellWords(line);
      return { group, at, isAlone: hooks.length === 1, entry: { ...fields, command, args } };
    }
  }
  return undefined;
}

const isOwn = (line: string, { name }: Client): boolean =>
  ` ${line} `.includes(` ${[...HOOK_WORDS, name].join(' ')} `);

/** Throws CORRUPT, also if the hooks have another form, which Daybook does not know. */
function groupsIn(text: string, client: Client): readonly unknown[] | undefined {
  const groups = hooksIn(text, client)?.[EVENT];
  if (groups === undefined || Array.isArray(groups)) return groups;
  throw unfitFile(client, `has a value in "${EVENT}" that is not a list`);
}

function hooksIn(text: string, client: Client): Readonly<Record<string, unknown>> | undefined {
  const hooks = parsedObject(text, client)?.['hooks'];
  if (hooks !== undefined && !isRecord(hooks))
    throw unfitFile(client, 'has a value in "hooks" that is not an object');
  requireSingle(text, client, [
    [[], ['hooks']],
    [['hooks'], [EVENT]],
  ]);
  return hooks;
}

export const hookEntries = { readEntry, withEntry, withoutEntry, blockOf };
