/**
 * A command made of a tool: arguments and options from its input, the answer for people or as JSON.
 * Status 0: done; 1: nothing found, or nothing there; 2: an error.
 */
import { text } from 'node:stream/consumers';
import type { Command } from 'commander';
import type { App } from '../app.js';
import type { Tool } from '../tools/define-tool.js';
import { answerText } from './answer-text.js';
import { inCommandWords, type OptionNames } from './command-words.js';
import type { Flags } from './configuration.js';
import { tellFailure } from './failure.js';
import { examplesText } from './names.js';
import { MATCH_END, MATCH_START, type Paint, paintFor } from './paint.js';
import { progressBar } from './progress-bar.js';
import { toStdout, watchStdout } from './stdout.js';
import { escapeControls, terminalJson } from './terminal-text.js';
import { addFields, type Field, fieldsOf, inputFrom, optionNames } from './tool-options.js';
import { withApp } from './with-app.js';

const DONE = 0;
const NOTHING = 1;
export const FAILED = 2;

type Answer = Readonly<Record<string, unknown>>;
export type Input = Readonly<Record<string, unknown>>;

export interface ToolCommand {
  readonly tool: Tool;
  readonly flags: () => Flags;
  /** Inputs that are not needed and are typed as words all the same. */
  readonly words?: readonly string[];
  /** Where an empty answer is "nothing found", as it is wherever there is a query. */
  readonly asks?: boolean;
  /** Lines of examples, without the name of the program. */
  readonly examples?: readonly string[];
  /** The answer as lines for people; facts and blocks unless given. */
  readonly print?: (answer: Answer, paint: Paint) => string;
  /** What inputs are here, where that differs from what they are to an assistant. */
  readonly about?: Readonly<Record<string, string>>;
  /** The input as the tool takes it, from the one that was typed. */
  readonly prepare?: (input: Input) => Promise<Input>;
  /** The whole of a text that the tool gives in pages; undefined where its answer is wanted. */
  readonly stream?: (
    input: Input,
    app: App,
    signal: AbortSignal,
  ) => AsyncIterable<string> | undefined;
}

/** Wrong use is an error like any other. */
export const endAsTool = ({ exitCode }: { exitCode: number }): never =>
  process.exit(exitCode === 0 ? DONE : FAILED);

/** Gives a command that has a name and a description all the rest. */
export function makeToolCommand(command: Command, made: ToolCommand): void {
  const { tool, examples = [], about = {} } = made;
  const fields = fieldsOf(tool, made.words);
  const names = optionNames(fields);
  const shown = fields.map((field) => {
    const description = inCommandWords(about[field.name] ?? field.schema.description ?? '', names);
    return { ...field, schema: { ...field.schema, description } };
  });
  addFields(command, shown);
  command
    .description(inCommandWords(command.description(), names))
    .option('--json', `the answer of the tool ${tool.name} as JSON`)
    .addHelpText('after', examplesText(...examples))
    .exitOverride(endAsTool)
    .action(async () => run(command, fields, made));
}

async function run(command: Command, fields: readonly Field[], made: ToolCommand): Promise<void> {
  const { tool, print = answerText } = made;
  const names = optionNames(fields);
  const isJson = command.opts()['json'] === true;
  watchStdout(FAILED);
  try {
    const typed = { args: await argumentsOf(command, fields), options: command.opts() };
    const given = inputFrom(tool, fields, typed, presetOf(fields, isJson));
    const input = (await made.prepare?.(given)) ?? given;
    const answer = await ask(made, input, isJson);
    if (answer === undefined) return;
    const isAsked = made.asks === true || 'query' in input || 'q' in input;
    if (isJson) console.log(terminalJson(answer));
    else tell(answer, print(answer, paintFor(process.stdout)), { isAsked, names });
    process.exitCode = isNothing(answer, isAsked) ? NOTHING : DONE;
  } catch (error) {
    await tellFailure(error, FAILED, names);
  }
}

/** Arguments as commander has them; a lone `-` stands for what comes on the standard input. */
async function argumentsOf(command: Command, fields: readonly Field[]): Promise<unknown[]> {
  const args = [...command.processedArgs];
  const rest = fields.filter(({ isArgument }) => isArgument).findIndex((field) => field.takesRest);
  const words: unknown = args[rest];
  if (Array.isArray(words) && words.length === 1 && words[0] === '-') {
    args[rest] = (await text(process.stdin)).replace(/\r?\n$/, '');
  }
  return args;
}

/** What the terminal decides: its own marks around matches, and answers as long as a tool gives. */
function presetOf(fields: readonly Field[], isJson: boolean): Record<string, unknown> {
  const longest = fields.find(({ name }) => name === 'maxTokens')?.schema.maximum;
  return {
    ...(longest !== undefined && { maxTokens: longest }),
    ...(!isJson && { highlightStart: MATCH_START, highlightEnd: MATCH_END }),
  };
}

/** `undefined` where the answer was a text that is written already. */
async function ask(
  { tool, flags, stream }: ToolCommand,
  input: Input,
  isJson: boolean,
): Promise<Answer | undefined> {
  let answer: Answer | undefined;
  await withApp(flags(), async (app, signal) => {
    const text = isJson ? undefined : stream?.(input, app, signal);
    if (text !== undefined) return toStdout(text);
    const bar = progressBar(process.stderr);
    try {
      const call = { signal, isRemote: false, progress: bar.show };
      answer = tool.output.parse(await tool.run(input, app, call));
    } finally {
      bar.clear();
    }
  });
  return answer;
}

const isNothing = (answer: Answer, isAsked: boolean) =>
  ['found', 'updated', 'deleted'].some((name) => answer[name] === false || answer[name] === 0) ||
  (isAsked && answer['total'] === 0);

/** What was found goes to stdout; how much there is besides goes to stderr, out of the way of pipes. */
function tell(
  answer: Answer,
  found: string,
  { isAsked, names }: { isAsked: boolean; names: OptionNames },
): void {
  const { total, hasMore, nextOffset, nextCursor, explanation, note, relaxed } = answer;
  if (isNothing(answer, isAsked)) {
    const why = inCommandWords(String(explanation ?? note ?? ''), names);
    console.error(escapeControls(`Nothing found. ${why}`.trimEnd()));
    return;
  }
  if (relaxed === true) console.error('Nothing has all of the words; these have some.');
  if (found !== '') console.log(found);
  const more = nextOffset === undefined ? `--cursor ${nextCursor}` : `--offset ${nextOffset}`;
  const all = total === undefined ? 'There is' : `${total} in all;`;
  if (hasMore === true) console.error(`${all} more with ${more}`);
  else if (total === 0) console.error('None.');
}
