/**
 * What `/export` of Claude Code writes: the text of the screen, in lines as wide as the terminal was. It begins
 * with the logo or the box that Claude Code shows at its start. `>` or `❯` begins a prompt, `!` a command for the
 * shell, `⏺` or `●` an answer or a tool call, `⎿` a result, and `✻ Thinking…` what the model thought. The forms
 * are those of exports of the versions 1.0 to 2.1.
 */
import type { InputFile } from '../../../files/input/input-types.js';
import { TurnBuilder } from '../../reading/messages/turns.js';
import { moduleOfFolder } from '../../reading/text/module-of-folder.js';
import type { Activity, ImportedConversation } from '../../source-interface.js';

const LOGO = /^\W*▐▛███▜▌|^╭─+ Claude Code v\d|^╭─+╮\s*│ ✻ Welcome to Claude Code!/;
const MARKER = /^([>❯!⏺●✻✽∴※])(?: (.*))?$/;
const PROMPT = /[>❯]/;
const SHELL = '!';
const ANSWER = /[⏺●]/;
const RESULT = /^ {2}⎿ ?/;
/** Further lines of a result are indented more than an answer. */
const IN_RESULT = /^(?: {4}|$)/;
/** Stands for tool calls that were not shown: `Read 3 files (ctrl+o to expand)`. */
const FOLDED = /^(.*\S)? ?\(ctrl\+[a-z] to [^()]*\)$/;
/** `Bash(ls)`, `github - get_issue (MCP)(id: 1)`. */
const CALL = /^([\w.-]+(?::[\w.-]+)*(?: - [\w.-]+)?(?: \(MCP\))?)\((.*)\)$/s;
/** A call without input, such as `Update Todos`. */
const SHORT_CALL = /^[^\n]{1,60}[^\n.:!?。：！？]$/;
/** Characters in which the model and the folder are looked for. */
const MAX_BANNER = 4000;
const MODEL = /(\w[\w .]*(?:\([^)]*\))?) · (?:Claude|API)/;
const FOLDERS = [
  /^[\s*]*▘▘ ▝▝[\s*]+(\S.*?)\s*$/m,
  /cwd: (.*?)\s*│?$/m,
  /^│\s+([~A-Z]?:?[\\/].*?)\s+│/m,
] as const;

export const isClaudeCodeScreen = (text: string): boolean => LOGO.test(trimmedStart(text));

export function claudeCodeScreen(
  text: string,
  file: InputFile,
  activity: Activity,
): ImportedConversation {
  const { banner, blocks } = blocksIn(trimmedStart(text));
  const model = MODEL.exec(banner)?.[1]?.trim();
  const [folder] = FOLDERS.flatMap((pattern) => pattern.exec(banner)?.[1] ?? []);
  const turns = new TurnBuilder(activity);
  for (const block of blocks) addBlock(turns, block, model);
  return {
    type: 'conversation',
    path: file.name,
    id: file.name,
    fileTimeMs: file.modifiedAtMs,
    ...moduleOfFolder(folder),
    messages: turns.messages(),
    leftOut: turns.leftOut,
  };
}

const trimmedStart = (text: string) => text.replace(/^[\s\ufeff]{1,1000}/, '');

interface Block {
  readonly marker: string;
  readonly lines: string[];
  /** The lines of the results. */
  readonly results: string[];
  /** Lines that stand for tool calls that were not shown. */
  readonly folded: string[];
}

/** The marked parts of the screen, and the text before the first of them. */
function blocksIn(text: string): { banner: string; blocks: readonly Block[] } {
  const banner: string[] = [];
  const blocks: Block[] = [];
  let isInResult = false;
  let isAfterBlank = true;
  for (const line of text.split(/\r?\n/).map((each) => each.trimEnd())) {
    const last = blocks.at(-1);
    const [, marker = '', rest = ''] = MARKER.exec(line) ?? [];
    const isMore = marker !== '' && marker === last?.marker && PROMPT.test(marker) && !isAfterBlank;
    isAfterBlank = line === '';
    if (marker !== '' && !isMore) {
      isInResult = false;
      if (FOLDED.test(rest)) blocks.push({ marker, lines: [], results: [], folded: [rest] });
      else blocks.push({ marker, lines: [rest], results: [], folded: [] });
    } else if (last === undefined) banner.push(line);
    else if (isMore) last.lines.push(rest);
    else if (RESULT.test(line)) {
      isInResult = true;
      last.results.push(line.replace(RESULT, '').trimStart());
    } else if (isInResult && IN_RESULT.test(line)) last.results.push(line.replace(/^ {4,5}/, ''));
    else if (FOLDED.test(line)) last.folded.push(line.trim());
    else {
      isInResult = false;
      last.lines.push(line.replace(/^ {1,2}/, ''));
    }
  }
  return { banner: banner.join('\n').slice(0, MAX_BANNER), blocks };
}

function addBlock(turns: TurnBuilder, block: Block, model: string | undefined): void {
  const { marker, folded } = block;
  const text = block.lines.join('\n').trim();
  const result = block.results.join('\n').trim();
  if (PROMPT.test(marker) || marker === SHELL) {
    turns.addMessage({ role: 'user', content: marker === SHELL ? `! ${text}` : text });
    if (result !== '') turns.countLeftOut('outputs of commands');
  } else if (!ANSWER.test(marker)) {
    // One line is a status, such as `✻ Brewed for 46s`.
    if (!text.includes('\n')) turns.countLeftOut('status lines');
    else turns.addThinking(text.replace(/^Thinking…\s+/, ''));
  } else if (result !== '' && !result.startsWith('Interrupted')) addCall(turns, text, result);
  else if (CALL.test(text)) addCall(turns, text, undefined);
  else {
    const metadata = model === undefined ? undefined : { model };
    turns.addMessage({ role: 'assistant', content: text, metadata });
  }
  for (const line of folded) turns.addToolCall({ name: 'Claude Code', result: line });
}

function addCall(turns: TurnBuilder, text: string, result: string | undefined): void {
  const [, name, input] = CALL.exec(text) ?? [];
  if (name !== undefined) turns.addToolCall({ name, input, result });
  else if (SHORT_CALL.test(text)) turns.addToolCall({ name: text, result });
  else {
    turns.addMessage({ role: 'assistant', content: text });
    turns.addToolCall({ name: 'Claude Code', result });
  }
}
