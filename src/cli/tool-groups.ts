/**
 * The commands that are made of tools: `list` and `save`, and the groups `insight`, `kg` and `mb`,
 * whose commands are all tools of a toolset. A tool that is added is a command without a line here.
 */
import type { Command } from 'commander';
import type { Toolset } from '../tools/define-tool.js';
import { tools } from '../tools/index.js';
import { commandNameOf } from './command-words.js';
import type { Flags } from './configuration.js';
import { addInsightLines } from './insight-lines.js';
import { GROUPS, SINGLE_TOOLS } from './names.js';
import type { Paint } from './paint.js';
import { escapeLines, oneLine } from './terminal-text.js';
import { endAsTool, makeToolCommand, type ToolCommand } from './tool-command.js';
import { EXAMPLES } from './tool-examples.js';

/** What the schema cannot tell: what is typed most, and answers that are texts of their own. */
const OWN_WAYS: Readonly<Record<string, Pick<ToolCommand, 'words' | 'asks' | 'print'>>> = {
  list: { words: ['query'], print: conversationLines },
  'kg add': { words: ['subject', 'predicate', 'object'] },
  'kg delete': { words: ['subject', 'predicate', 'object'] },
  'kg query': { asks: true },
  'kg neighbors': { asks: true },
  'kg export': { print: ({ text, path }) => asText(text ?? path) },
  'mb read': { print: ({ content }) => asText(content) },
};

/** Gives a command what it takes, once it is known that it is asked for. */
export function fillIn(command: Command, flags: () => Flags): void {
  const name = SINGLE_TOOLS[command.name()];
  const tool = tools.find((each) => each.name === name);
  if (tool !== undefined) {
    const examples = EXAMPLES[command.name()] ?? [];
    makeToolCommand(command, { ...OWN_WAYS[command.name()], tool, flags, examples });
  }
  const toolset = GROUPS[command.name()];
  if (toolset !== undefined) fillGroup(command, toolset, flags);
}

function fillGroup(group: Command, toolset: string, flags: () => Flags): void {
  group.helpCommand(false).exitOverride(endAsTool);
  for (const tool of tools.filter((each) => each.toolset === (toolset as Toolset))) {
    const name = commandNameOf(tool, group.name());
    const command = group.command(name).description(firstSentence(tool.description));
    const path = `${group.name()} ${name}`;
    makeToolCommand(command, { ...OWN_WAYS[path], tool, flags, examples: EXAMPLES[path] ?? [] });
  }
  if (group.name() === 'insight') addInsightLines(group, flags);
}

/** A text for itself: exactly as it is through a pipe, safe for the screen on a terminal. */
function asText(text: unknown): string {
  const exact = String(text).replace(/\n$/, '');
  return process.stdout.isTTY ? escapeLines(exact) : exact;
}

const firstSentence = (text: string) => /^.*?[.;](?= |$)/.exec(text)?.[0].slice(0, -1) ?? text;

function conversationLines(answer: Readonly<Record<string, unknown>>, paint: Paint): string {
  const conversations = answer['conversations'] as readonly Readonly<Record<string, unknown>>[];
  return conversations
    .map(({ conversationId, updatedAt, messageCount, title, module, tags }) => {
      const facts = `${conversationId}  ${String(updatedAt).slice(0, 10)}  ${String(messageCount).padStart(4)}`;
      const area = [module, ...(Array.isArray(tags) ? tags.map((tag) => `#${tag}`) : [])];
      const notes = oneLine(area.filter((part) => part !== undefined).join(' '));
      const name = oneLine(String(title ?? ''));
      return [paint.dim(facts), name, ...(notes === '' ? [] : [paint.dim(notes)])].join('  ');
    })
    .join('\n');
}
