/** Makes a command from a tool: arguments and options from its input, the answer as text or as JSON. */
import type { Command } from 'commander';
import type { App } from '../../app.js';
import type { Tool } from '../../tools/define-tool.js';
import { examplesOf } from '../command-help.js';
import { NOTHING_FOUND, OK } from '../errors/exit-status.js';
import { reportFailure } from '../errors/failure.js';
import { reportEmptyStore } from '../notices/not-listed.js';
import { reportOtherRoot } from '../notices/other-root.js';
import { reportUnreadable } from '../notices/problems.js';
import { configuration, type Flags } from '../options/configuration.js';
import { withLocalTimes } from '../options/days.js';
import { columnsOf } from '../terminal/columns.js';
import { daybookLine, withRoot } from '../terminal/command-line.js';
import { confirmOrEnd } from '../terminal/confirm.js';
import { showText } from '../terminal/pager.js';
import { MATCH_END, MATCH_START, paintFor } from '../terminal/paint.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { textOfStdin } from '../terminal/stdin.js';
import { toStdout } from '../terminal/stdout.js';
import { escapeControls, terminalJson } from '../terminal/terminal-text.js';
import { timesFor, zoneFor } from '../terminal/times.js';
import type { Answer, View } from '../views/view.js';
import { withApp } from '../with-app.js';
import { answerText } from './answer-text.js';
import { type OptionNames, withCommandNames } from './command-names.js';
import { allPages, canBePaged, noneLeft, type Pages, pagesOf } from './paging.js';
import { addFields, type Field, fieldsOf, inputFrom, optionNames } from './tool-options.js';

export type Input = Readonly<Record<string, unknown>>;

export interface ToolCommand {
  readonly tool: Tool;
  readonly flags: () => Flags;
  /** Optional inputs that are arguments, not options. */
  readonly words?: readonly string[];
  /** Examples without the name of the program. */
  readonly examples?: readonly string[];
  /** The answer as text for people. Default: names and values. */
  readonly print?: (answer: Answer, view: View, input: Input) => string;
  /** The help of the command. Default: the first sentence of the description of the tool. */
  readonly description?: string;
  /** The help of inputs, by name. Default: the description of the input. */
  readonly about?: Readonly<Record<string, string>>;
  /** Changes the arguments before they are checked, for example the beginning of an id into the id. */
  readonly complete?: (args: readonly unknown[], app: App) => Promise<readonly unknown[]>;
  /** Changes the checked input before the tool is called. */
  readonly prepare?: (input: Input, app: App, command: Command) => Promise<Input>;
  /** The question before a change that cannot be undone; `undefined` for other changes. */
  readonly question?: (input: Input, app: App) => Promise<string | undefined>;
  /** Whether the command with these options only reads. Default: what the tool itself says. */
  readonly isReading?: (options: Input) => boolean;
  /** Without a result, the command shows whether the store has a conversation. */
  readonly listsConversations?: boolean;
  /** The whole text that the tool returns in pages; `undefined` to use the answer of the tool. */
  readonly stream?: (
    input: Input,
    app: App,
    signal: AbortSignal,
  ) => AsyncIterable<string> | undefined;
}

/** Adds options, help and action to `command`. */
export function makeToolCommand(command: Command, made: ToolCommand): void {
  const { tool, examples = [], about = {}, description } = made;
  const fields = fieldsOf(tool, made.words);
  const names = optionNames(fields);
  const shown = fields.map((field) => {
    const help = about[field.name] ?? field.schema.description ?? '';
    return { ...field, schema: { ...field.schema, description: withCommandNames(help, names) } };
  });
  addFields(command, shown);
  if (description !== undefined) command.description(description);
  if (canBePaged(fields)) command.option('--all', 'all results');
  if (made.question) command.option('--yes', 'do not ask before a permanent removal');
  command
    .option('--json', `the answer of the tool ${tool.name} as JSON`)
    .addHelpText(...examplesOf(...examples))
    .action(async () => {
      await run(command, fields, made).catch((error: unknown) =>
        reportFailure(error, made.flags(), names),
      );
    });
}

async function run(command: Command, fields: readonly Field[], made: ToolCommand): Promise<void> {
  const options: Record<string, unknown> = command.opts();
  const isJson = options['json'] === true;
  const typed = await argumentsOf(command, fields);
  const pages = pagesOf(fields, options);
  const preset = presetOf(fields, isJson);
  const inputOf = (args: readonly unknown[]) =>
    inputFrom(made.tool, fields, { args, options }, { ...preset, ...pages.firstPage });
  const valid = made.complete === undefined ? inputOf(typed) : undefined;
  await withApp(
    made.flags(),
    async (app, signal) => {
      const typedInput = valid ?? inputOf((await made.complete?.(typed, app)) ?? typed);
      const given = withLocalTimes(typedInput, zoneFor(made.flags()));
      const input = (await made.prepare?.(given, app, command)) ?? given;
      const question = options['yes'] ? undefined : await made.question?.(input, app);
      if (question !== undefined && !(await confirmOrEnd(question, 'Nothing was deleted.'))) return;
      const streamed = isJson ? undefined : made.stream?.(input, app, signal);
      if (streamed !== undefined) return toStdout(streamed);
      const answer = await callPages(made.tool, input, pages, app, signal);
      if (isJson) console.log(terminalJson(answer));
      else await show(made, answer, input, optionNames(fields));
      const none = noneLeft(input, answer);
      const isIncomplete = isNothing(answer) || none !== undefined || leavesOut(answer);
      process.exitCode = isIncomplete ? NOTHING_FOUND : OK;
      if (none !== undefined && !isJson) console.error(none);
      if ('total' in answer || 'notices' in answer)
        await reportUnreadable(made.tool, app, made.flags());
      if (!isNothing(answer)) return;
      if (made.listsConversations && !isJson) await reportEmptyStore(app, made.flags());
      await reportOtherRoot(configuration(made.flags()));
    },
    { isReading: made.isReading?.(options) ?? made.tool.annotations.readOnlyHint },
  );
}

/** The arguments from commander; a single `-` is replaced by the standard input. */
async function argumentsOf(command: Command, fields: readonly Field[]): Promise<unknown[]> {
  const args = [...command.processedArgs];
  const rest = fields.filter(({ isArgument }) => isArgument).findIndex((field) => field.takesRest);
  const words: unknown = args[rest];
  if (Array.isArray(words) && words.length === 1 && words[0] === '-') {
    args[rest] = (await textOfStdin()).replace(/\r?\n$/, '');
  }
  return args;
}

/** Inputs that the terminal sets: the marks around matches, and the maximum length of an answer. */
function presetOf(fields: readonly Field[], isJson: boolean): Record<string, unknown> {
  const longest = fields.find(({ name }) => name === 'maxTokens')?.schema.maximum;
  return {
    ...(longest !== undefined && { maxTokens: longest }),
    ...(!isJson && { highlightStart: MATCH_START, highlightEnd: MATCH_END }),
  };
}

async function callPages(
  tool: Tool,
  input: Input,
  pages: Pages,
  app: App,
  signal: AbortSignal,
): Promise<Answer> {
  return withProgressBar((progress) =>
    allPages(input, pages, async (page) =>
      tool.output.parse(await tool.run(page, app, { signal, isRemote: false, progress })),
    ),
  );
}

const isNothing = (answer: Answer) =>
  ['found', 'updated', 'deleted'].some((name) => answer[name] === false || answer[name] === 0) ||
  answer['total'] === 0;

/** True if an import stored, or an export wrote, only a part of what there is. */
const leavesOut = (answer: Answer) =>
  [answer['refusedTotal'], answer['missingNotesTotal']].some((count) => Number(count ?? 0) > 0);

/** Prints results to stdout, and notes about more results to stderr, so that a pipe gets only results. */
async function show(
  made: ToolCommand,
  answer: Answer,
  input: Input,
  names: OptionNames,
): Promise<void> {
  const { print = answerText } = made;
  const { hasMore, explanation, note, relaxed, approximate } = answer;
  const why = withRoot(made.flags(), withCommandNames(String(explanation ?? note ?? ''), names));
  if (isNothing(answer)) console.error(escapeControls(`Nothing found. ${why}`.trimEnd()));
  if (approximate === true)
    console.error('No title and no tag has these words. These conversations have similar words.');
  if (relaxed === true)
    console.error('Nothing has all of the words. These results have some of them.');
  const { isTTY } = process.stdout;
  const view = {
    paint: paintFor(process.stdout),
    times: timesFor(made.flags()),
    columns: isTTY ? columnsOf(process.stdout) : undefined,
    commandLine: (...words: readonly string[]) => daybookLine(made.flags(), ...words),
  };
  const found = print(answer, view, input);
  if (found !== '') await showText(found);
  if (note !== undefined && !isNothing(answer)) console.error(escapeControls(why));
  if (hasMore === true) console.error(moreLine(answer));
}

function moreLine({ total, nextOffset, nextCursor, nextLine, nextColumn }: Answer): string {
  if (nextLine !== undefined) {
    const column = nextColumn === undefined ? '' : ` --start-column ${nextColumn}`;
    return `There are more lines; to see them, use --start-line ${nextLine}${column}`;
  }
  const next = nextOffset === undefined ? `--cursor ${nextCursor}` : `--offset ${nextOffset}`;
  const all = total === undefined ? 'There are more results;' : `${total} in all;`;
  return `${all} to see them, use --all or ${next}`;
}
