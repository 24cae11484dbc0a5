/** `daybook export`: writes conversations to a new file or to the standard output. */

import { AppError } from '../../base/errors.js';
import { countOf } from '../../base/text/display-text.js';
import { type ExportCounts, newCounts } from '../../exchange/export.js';
import type { ExportFormat } from '../../exchange/export-formats.js';
import { resolveRealPath } from '../../files/safe-access/real-path.js';
import { findConversation } from '../arguments/find-conversation.js';
import { NOTHING_FOUND } from '../errors/exit-status.js';
import { type AgeOptions, ageRecipientsOf } from '../options/age-encryption-options.js';
import { configuration, type Flags } from '../options/configuration.js';
import { withProgressBar } from '../terminal/progress-bar.js';
import { toStdout } from '../terminal/stdout.js';
import { escapeControls } from '../terminal/terminal-text.js';
import { withApp } from '../with-app.js';

export interface ExportOptions {
  /** `markdown-files`: a folder with one file for each conversation. */
  format?: ExportFormat | 'markdown-files';
  output?: string;
  module?: string;
  tag?: string;
  share?: boolean;
}

/** `refs`: names for `findConversation`. Conversations that cannot be read are listed on stderr. */
export async function exportConversations(
  refs: readonly string[],
  { module, tag, share = false, ...options }: ExportOptions & AgeOptions,
  flags: Flags,
): Promise<void> {
  const output = options.output === '-' ? undefined : options.output;
  const format = options.format ?? formatOf(output);
  const isFolder = format === 'markdown-files';
  if (isFolder && output === undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      'The format markdown-files needs -o with the name of a new folder.',
    );
  }
  const age = ageRecipientsOf(options, configuration(flags));
  if (age !== undefined && (isFolder || output === undefined)) {
    throw new AppError('VALIDATION_ERROR', 'An age file needs -o with the name of a new file.');
  }
  await withApp(
    flags,
    async ({ conversations, exporter }, signal) => {
      const ids: string[] = [];
      for (const ref of refs) ids.push(await findConversation(conversations, ref));
      const selection = { refs: ids.length === 0 ? undefined : ids, module, tag };
      // A file would be in the way of the next try.
      const mayBeEmpty = output !== undefined && hasFilter(selection);
      if (mayBeEmpty && (await exporter.isEmpty(selection))) return reportNone(selection);
      // No bar if the exported text itself goes to the terminal.
      const isShown = output !== undefined || !process.stdout.isTTY;
      const counts = await withProgressBar(async (show): Promise<ExportCounts> => {
        const onProgress = (progress: number, total: number) =>
          isShown && show({ progress, total });
        const request = { selection, forSharing: share, signal, onProgress };
        if (isFolder) return exporter.toFolder(resolveRealPath(output ?? ''), request);
        if (output !== undefined)
          return exporter.toPath(resolveRealPath(output), { ...request, format, age });
        const written = newCounts();
        await toStdout(exporter.stream({ ...request, format }, written));
        return written;
      });
      if (output !== undefined) {
        const { conversations: done, messages } = counts;
        const copied = isFolder && counts.attachments > 0;
        console.log(
          `${countOf(done, 'conversation')}, ${countOf(messages, 'message')}${copied ? `, ${countOf(counts.attachments, 'attachment')}` : ''}`,
        );
      }
      if (!isFolder) reportAttachments(counts);
      reportDamaged(counts);
      if (hasFilter(selection) && counts.conversations + counts.damaged.length === 0)
        reportNone(selection);
    },
    { isReading: true, writesElsewhere: true },
  );
}

interface Filters {
  readonly module: string | undefined;
  readonly tag: string | undefined;
}

const hasFilter = ({ module, tag }: Filters) => Boolean(module || tag);

function reportNone({ module, tag }: Filters): void {
  const names = [module && `the module ${module}`, tag && `the tag ${tag}`].filter(Boolean);
  console.error(escapeControls(`No conversation has ${names.join(' and ')}.`));
  process.exitCode = NOTHING_FOUND;
}

/** The format by the extension of the file name, without `.age`. */
function formatOf(output = ''): ExportFormat {
  const name = output.replace(/\.age$/i, '').toLowerCase();
  if (name.endsWith('.md')) return 'markdown';
  return name.endsWith('.json') ? 'json' : 'jsonl';
}

function reportAttachments({ attachments }: ExportCounts): void {
  if (attachments === 0) return;
  console.error(
    `not exported: ${countOf(attachments, 'attachment')}. Backups and the format markdown-files have attachments.`,
  );
}

function reportDamaged({ damaged }: ExportCounts): void {
  for (const { error } of damaged) {
    console.error(escapeControls(`not exported: ${error.message}`));
  }
  if (damaged.length > 0) process.exitCode = NOTHING_FOUND;
}
