/**
 * `daybook export`: conversations to a new file or to the standard output, for people and pipes.
 */
import { resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { errnoOf } from '../base/errors.js';
import { type ExportCounts, type ExportRequest, newCounts } from '../exchange/export.js';
import type { ExportFormat } from '../exchange/formats.js';
import type { Flags } from './configuration.js';
import { withApp } from './with-app.js';

export interface ExportOptions {
  format: ExportFormat;
  output?: string;
  module?: string;
  share?: boolean;
}

/** What cannot be read is named on stderr, and ends the command with 1. */
export async function exportConversations(
  refs: readonly string[],
  { format, output, module, share = false }: ExportOptions,
  flags: Flags,
): Promise<void> {
  await withApp(flags, async ({ exporter }, signal) => {
    const selection = { refs: refs.length === 0 ? undefined : refs, module };
    const request: ExportRequest = { format, selection, forSharing: share, signal };
    if (output === undefined) {
      const counts = newCounts();
      await toStdout(exporter.stream(request, counts));
      return report(counts);
    }
    const written = await exporter.toPath(resolve(output), request);
    console.log(`${written.conversations} conversations, ${written.messages} messages`);
    report(written);
  });
}

async function toStdout(text: AsyncIterable<string>): Promise<void> {
  try {
    await pipeline(Readable.from(text), process.stdout, { end: false });
  } catch (error) {
    if (errnoOf(error) !== 'EPIPE') throw error; // the reader, such as `head`, has enough
  }
}

function report({ damaged }: ExportCounts): void {
  for (const { error } of damaged) console.error(`not exported: ${error.message}`);
  if (damaged.length > 0) process.exitCode = 1;
}
