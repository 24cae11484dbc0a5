/**
 * The history that aider writes into each project, `.aider.chat.history.md`. Each start of aider begins a
 * conversation. Lines after `####` are prompts, lines after `>` are what aider itself wrote, and the rest is
 * what the model answered. Aider ends its own lines with two spaces; a heading or a quotation of the model
 * has none.
 */
import { basename, dirname } from 'node:path';
import { sha256Hex } from '../../base/ids.js';
import type { InputFile } from '../../files/input/input-types.js';
import { uniqueIds } from '../reading/messages/tree.js';
import { TurnBuilder } from '../reading/messages/turns.js';
import { moduleOfFolder } from '../reading/text/module-of-folder.js';
import { timeIn } from '../reading/text/times.js';
import type { Activity, ImportedConversation } from '../source-interface.js';

const OWN_NAME = '.aider.chat.history.md';
const START = /^# aider chat started at (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/;
const OWN_LINE = /^(####|>) .* {2}$/;
const MODEL = /^(?:Main model|Model): (\S+)/;

type Writer = 'user' | 'assistant' | 'aider';

export const isAiderLog = (text: string): boolean =>
  /^\s*# aider chat started at \d{4}-/.test(text.replace(/^\ufeff/, ''));

export function* aiderConversations(
  text: string,
  file: InputFile,
  activity: Activity,
): Generator<ImportedConversation> {
  const uniqueId = uniqueIds();
  const path = file.diskPath;
  // A copy under another name is no longer in the folder of its project.
  const folder = path !== undefined && basename(path) === OWN_NAME ? dirname(path) : undefined;
  for (const { startedAt, lines } of sessionsIn(text)) {
    const turns = turnsIn(lines, activity);
    const messages = turns.messages();
    const first = sha256Hex(messages[0]?.content ?? '').slice(0, 8);
    yield {
      type: 'conversation',
      path: file.name,
      record: startedAt,
      fileTimeMs: file.modifiedAtMs,
      id: uniqueId(`${startedAt} ${first}`),
      createdAt: timeIn(startedAt),
      ...moduleOfFolder(folder),
      messages,
    };
  }
}

function sessionsIn(text: string) {
  const sessions: { startedAt: string; lines: string[] }[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, startedAt] = START.exec(line) ?? [];
    if (startedAt === undefined) sessions.at(-1)?.lines.push(line);
    else sessions.push({ startedAt, lines: [] });
  }
  return sessions;
}

/** What aider wrote before the first prompt is about its start, and is left out. */
function turnsIn(lines: readonly string[], activity: Activity): TurnBuilder {
  const turns = new TurnBuilder(activity);
  let model: string | undefined;
  let isBegun = false;
  for (const { writer, text } of blocksIn(lines)) {
    isBegun ||= writer === 'user';
    if (writer === 'aider') model = modelIn(text) ?? model;
    if (!isBegun) continue;
    if (writer === 'aider') turns.addToolResult({ name: 'aider', text });
    else if (writer === 'user') turns.addMessage({ role: 'user', content: text });
    else {
      const metadata = model === undefined ? undefined : { model };
      turns.addMessage({ role: 'assistant', content: text, metadata });
    }
  }
  return turns;
}

function modelIn(text: string): string | undefined {
  for (const line of text.split('\n')) {
    const model = MODEL.exec(line)?.[1];
    if (model !== undefined) return model;
  }
  return undefined;
}

/** Consecutive lines of one writer. */
function blocksIn(lines: readonly string[]): { writer: Writer; text: string }[] {
  // An editor may have removed the spaces at the ends of lines.
  const isMarked = lines.some((line) => OWN_LINE.test(line));
  const blocks: { writer: Writer; lines: string[] }[] = [];
  for (const line of lines) {
    const writer = !isMarked || OWN_LINE.test(line) ? writerOf(line) : 'assistant';
    const text = writer === 'assistant' ? line : line.replace(/^(####|>) ?/, '').trimEnd();
    const last = blocks.at(-1);
    if (last?.writer === writer) last.lines.push(text);
    else blocks.push({ writer, lines: [text] });
  }
  return blocks
    .map((block) => ({ writer: block.writer, text: block.lines.join('\n').trim() }))
    .filter(({ text }) => text !== '');
}

function writerOf(line: string): Writer {
  if (line.startsWith('#### ')) return 'user';
  return /^>( |$)/.test(line) ? 'aider' : 'assistant';
}
