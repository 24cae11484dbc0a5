/** `daybook show`: prints a conversation, rendered on a terminal, as Markdown to a pipe, or as JSON. */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { newCounts } from '../../exchange/export.js';
import { resumeOf } from '../../import/resume-command.js';
import { findConversation } from '../arguments/find-conversation.js';
import type { Flags } from '../options/configuration.js';
import { columnsOf } from '../terminal/columns.js';
import { renderMarkdown } from '../terminal/markdown.js';
import { showText } from '../terminal/pager.js';
import { paintFor } from '../terminal/paint.js';
import { toStdout } from '../terminal/stdout.js';
import { oneLine, terminalJson } from '../terminal/terminal-text.js';
import { timesFor } from '../terminal/times.js';
import { withReadingApp } from '../with-app.js';

export interface ShowOptions {
  json?: boolean;
  /** Shows input and output of tools, and thinking. Otherwise one line has the names of the tools. */
  tools?: boolean;
}

/** `name`: see `findConversation`. Throws CONVERSATION_NOT_FOUND, CONVERSATION_CORRUPTED or CONFLICT. */
export async function show(
  name: string,
  { json, tools }: ShowOptions,
  flags: Flags,
): Promise<void> {
  await withReadingApp(flags, async ({ conversations, exporter }, signal) => {
    const { conversationId, ...conversation } = await conversations.load(
      await findConversation(conversations, name),
    );
    if (json) {
      console.log(terminalJson({ conversationId, ...conversation }));
      return;
    }
    const selection = { refs: [conversationId] };
    const activity = tools ? 'all' : 'folded';
    const chosen = { format: 'markdown', selection, forSharing: false, activity } as const;
    const request = { ...chosen, signal };
    if (!process.stdout.isTTY) return toStdout(exporter.stream(request, newCounts())); // the same text as in an exported file
    const { zone, minute } = timesFor(flags);
    const markdown = exporter.stream({ ...request, timeOf: minute }, newCounts());
    const notes = [`times: ${zone}`, ...resumeLines(conversation)].map((note) => `*${note}*\n`);
    const whole = `${await text(Readable.from(markdown))}\n${notes.join('\n')}`;
    const columns = columnsOf(process.stdout);
    await showText(renderMarkdown(whole, paintFor(process.stdout), columns));
  });
}

function resumeLines(head: Parameters<typeof resumeOf>[0]): string[] {
  const resume = resumeOf(head);
  if (resume === undefined) return [];
  const { program, command, folder } = resume;
  const where = folder === undefined ? '' : ` in ${oneLine(folder)}`;
  return [`to continue it in ${program}, while that still has it, run ${command}${where}`];
}
