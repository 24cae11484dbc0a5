/**
 * `daybook export`: conversations to a new file or to the standard output, for people and pipes.
 */
import { type ExportCounts, newCounts } from '../../exchange/export.js';
import type { ExportFormat } from '../../exchange/formats.js';
import { realPlace } from '../../files/door/real-place.js';
import type { Flags } from '../configuration.js';
import { findConversation } from '../find-conversation.js';
import { NOTHING_FOUND } from '../status.js';
import { countOf } from '../terminal/output.js';
import { progressBar } from '../terminal/progress-bar.js';
import { toStdout } from '../terminal/stdout.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface ExportOptions {
  format: ExportFormat;
  output?: string;
  module?: string;
  share?: boolean;
}

/** `refs`: as findConversation. What cannot be read is named on stderr. */
export async function exportConversations(
  refs: readonly string[],
  { format, output, module, share = false }: ExportOptions,
  flags: Flags,
): Promise<void> {
  await withApp(
    flags,
    async ({ conversations, exporter }, signal) => {
      const ids: string[] = [];
      for (const ref of refs) ids.push(await findConversation(conversations, ref));
      const selection = { refs: ids.length === 0 ? undefined : ids, module };
      const bar = progressBar(process.stderr);
      const onProgress = (progress: number, total: number) => bar.show({ progress, total });
      const request = { format, selection, forSharing: share, signal, onProgress };
      if (output === undefined) {
        const counts = newCounts();
        // Where text and bar would share the terminal, the text is progress enough.
        const quiet = process.stdout.isTTY ? { ...request, onProgress: () => undefined } : request;
        await toStdout(exporter.stream(quiet, counts));
        bar.clear();
        return reportDamaged(counts);
      }
      const written = await exporter.toPath(realPlace(output), request);
      bar.clear();
      console.log(
        `${countOf(written.conversations, 'conversation')}, ${countOf(written.messages, 'message')}`,
      );
      reportDamaged(written);
    },
    { isReading: true },
  );
}

function reportDamaged({ damaged }: ExportCounts): void {
  for (const { error } of damaged) {
    console.error(escapeControls(`not exported: ${error.message}`));
  }
  if (damaged.length > 0) process.exitCode = NOTHING_FOUND;
}
