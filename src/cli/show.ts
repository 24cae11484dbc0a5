/**
 * `daybook show`: one conversation, rendered on a terminal, as Markdown through a pipe, or as the
 * document that it is.
 */
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { newCounts } from '../exchange/export.js';
import type { Flags } from './configuration.js';
import { renderMarkdown } from './markdown.js';
import { paintFor } from './paint.js';
import { toStdout } from './stdout.js';
import { terminalJson } from './terminal-text.js';
import { withApp } from './with-app.js';

const DEFAULT_COLUMNS = 80;

/** `ref`: an id or a key. CONVERSATION_NOT_FOUND, CONVERSATION_CORRUPTED. */
export async function show(ref: string, { json }: { json?: boolean }, flags: Flags): Promise<void> {
  await withApp(flags, async ({ conversations, exporter }, signal) => {
    if (json) {
      console.log(terminalJson(await conversations.load(ref)));
      return;
    }
    const { conversationId } = await conversations.load(ref); // an error that names what is wrong
    const selection = { refs: [conversationId] };
    const request = { format: 'markdown', selection, forSharing: false, signal } as const;
    const markdown = exporter.stream(request, newCounts());
    if (!process.stdout.isTTY) return toStdout(markdown); // exactly, as for a file
    const columns = process.stdout.columns || DEFAULT_COLUMNS; // some terminals tell 0
    process.stdout.write(
      renderMarkdown(await text(Readable.from(markdown)), paintFor(process.stdout), columns),
    );
  });
}
