/**
 * The commands that are made from tools: `list`, `save`, and the groups `insight`, `kg` and `mb`. Each
 * tool of the toolset of a group is a command, so a new tool needs no change in this file.
 */
import type { Command } from 'commander';
import type { Tool, Toolset } from '../../tools/define-tool.js';
import { tools } from '../../tools/index.js';
import { GROUPS, pointToHelp, SINGLE_TOOLS } from '../command-help.js';
import { addInsightLines } from '../commands/insight-jsonl.js';
import type { Flags } from '../options/configuration.js';
import { commandNameOf } from './command-names.js';
import { CUSTOM } from './custom-commands.js';
import { COMMAND_HELP } from './help-texts.js';
import { makeToolCommand } from './tool-command.js';
import { EXAMPLES } from './tool-examples.js';

/** Adds the options, or the commands of a group, when `command` is used. */
export function fillIn(command: Command, flags: () => Flags): void {
  const name = SINGLE_TOOLS[command.name()];
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) make(command, command.name(), tool, flags);
  const toolset = GROUPS[command.name()];
  if (toolset !== undefined) fillGroup(command, toolset, flags);
}

function fillGroup(group: Command, toolset: string, flags: () => Flags): void {
  group.helpCommand(false).configureHelp({ subcommandTerm: (command) => command.name() });
  for (const tool of tools.filter((each) => each.toolset === (toolset as Toolset))) {
    const name = commandNameOf(tool, group.name());
    const command = group.command(name).description(firstSentence(tool));
    make(command, `${group.name()} ${name}`, tool, flags);
  }
  if (group.name() === 'insight') addInsightLines(group, flags);
  group.commands.forEach(pointToHelp);
}

/** `path`: the words of the command, such as `kg add`. */
function make(command: Command, path: string, tool: Tool, flags: () => Flags): void {
  const help = COMMAND_HELP[path] ?? {};
  const examples = EXAMPLES[path] ?? [];
  makeToolCommand(command, { ...CUSTOM[path], ...help, tool, flags, examples });
}

function firstSentence({ description }: Tool): string {
  const sentence = /^.*?[.;](?= |$)/.exec(description)?.[0].slice(0, -1) ?? description;
  return `${sentence.charAt(0).toLowerCase()}${sentence.slice(1)}`;
}
