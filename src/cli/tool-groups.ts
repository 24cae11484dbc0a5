/**
 * The commands that are made of tools: `list` and `save`, and the groups `insight`, `kg` and `mb`,
 * whose commands are all tools of a toolset. A tool that is added is a command without a line here.
 */
import { basename, dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import type { App } from '../app.js';
import { readExportFile } from '../exchange/export-folder.js';
import { readStamp } from '../files/stamp.js';
import type { Tool, Toolset } from '../tools/define-tool.js';
import { tools } from '../tools/index.js';
import { kgExport } from '../tools/kg/kg-export.js';
import { answerText } from './answer-text.js';
import { commandNameOf } from './command-words.js';
import type { Flags } from './configuration.js';
import { addInsightLines } from './insight-lines.js';
import { GROUPS, pointToHelp, SINGLE_TOOLS } from './names.js';
import { MATCH_END, MATCH_START, type Paint } from './paint.js';
import { escapeLines, oneLine } from './terminal-text.js';
import { endAsTool, type Input, makeToolCommand, type ToolCommand } from './tool-command.js';
import { EXAMPLES } from './tool-examples.js';

/** What the schema cannot tell: what is typed most, and answers that are texts of their own. */
const OWN_WAYS: Readonly<Record<string, Omit<ToolCommand, 'tool' | 'flags' | 'examples'>>> = {
  list: { words: ['query'], print: conversationLines },
  'kg add': { words: ['subject', 'predicate', 'object'] },
  'kg delete': { words: ['subject', 'predicate', 'object'] },
  'kg query': { words: ['subject', 'predicate', 'object'], asks: true },
  'kg neighbors': { asks: true },
  'kg export': { stream: wholeGraph, print: ({ text, path }) => asText(text ?? path) },
  'kg import': { prepare: readHere, about: { file: 'A file, here or in the exports folder.' } },
  'mb read': { print: ({ content }) => asText(content) },
  'mb search': { print: lineHits },
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
  group
    .helpCommand(false)
    .exitOverride(endAsTool)
    .configureHelp({ subcommandTerm: (command) => command.name() });
  for (const tool of tools.filter((each) => each.toolset === (toolset as Toolset))) {
    const name = commandNameOf(tool, group.name());
    const command = group.command(name).description(firstSentence(tool));
    const path = `${group.name()} ${name}`;
    makeToolCommand(command, { ...OWN_WAYS[path], tool, flags, examples: EXAMPLES[path] ?? [] });
  }
  if (group.name() === 'insight') addInsightLines(group, flags);
  group.commands.forEach(pointToHelp);
}

/** A text for itself: exactly as it is through a pipe, safe for the screen on a terminal. */
function asText(text: unknown): string {
  const exact = String(text).replace(/\n$/, '');
  return process.stdout.isTTY ? escapeLines(exact) : exact;
}

function firstSentence({ description }: Tool): string {
  return /^.*?[.;](?= |$)/.exec(description)?.[0].slice(0, -1) ?? description;
}

/** A pipe or a file gets all of the graph, as `export` and `insight export` give all. */
function wholeGraph(given: Input, { graphExport }: App, signal: AbortSignal) {
  const { format, file, offset, maxTokens: _, ...filter } = kgExport.input.parse(given);
  if (file !== undefined || offset > 0) return undefined;
  return graphExport.stream({ format, filter, signal });
}

/** A person names files from where they are; an assistant only those of the exports folder. */
async function readHere({ file, ...input }: Input): Promise<Input> {
  const path = resolve(String(file ?? ''));
  if (file === undefined || (await readStamp(path)) === undefined) {
    return { ...input, ...(file !== undefined && { file }) };
  }
  return { ...input, text: await readExportFile(dirname(path), basename(path)) };
}

function lineHits(answer: Readonly<Record<string, unknown>>, paint: Paint): string {
  const results = answer['results'] as readonly Readonly<Record<string, unknown>>[];
  const marked = results.map(({ text, ...hit }) => ({
    ...hit,
    text: String(text).replaceAll('<mark>', MATCH_START).replaceAll('</mark>', MATCH_END),
  }));
  return answerText({ ...answer, results: marked }, paint);
}

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
