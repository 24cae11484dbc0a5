/**
 * `daybook export`: conversations to a new file or to the standard output, for people and pipes.
 */
import { resolve } from 'node:path';
import { type ExportCounts, newCounts } from '../exchange/export.js';
import type { ExportFormat } from '../exchange/formats.js';
import type { Flags } from './configuration.js';
import { progressBar } from './progress-bar.js';
import { toStdout } from './stdout.js';
import { countOf } from './tell.js';
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
    const bar = progressBar(process.stderr);
    const onProgress = (progress: number, total: number) => bar.show({ progress, total });
    const request = { format, selection, forSharing: share, signal, onProgress };
    if (output === undefined) {
      const counts = newCounts();
      // Where text and bar would share the terminal, the text is progress enough.
      const quiet = process.stdout.isTTY ? { ...request, onProgress: () => undefined } : request;
      await toStdout(exporter.stream(quiet, counts));
      bar.clear();
      return report(counts);
    }
    const written = await exporter.toPath(resolve(output), request);
    bar.clear();
    console.log(
      `${countOf(written.conversations, 'conversation')}, ${countOf(written.messages, 'message')}`,
    );
    report(written);
  });
}

function report({ damaged }: ExportCounts): void {
  for (const { error } of damaged) console.error(`not exported: ${error.message}`);
  if (damaged.length > 0) process.exitCode = 1;
}
