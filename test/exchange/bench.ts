/** For the tests of exports: a store, its documents, and functions to export and restore them. */
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Exporter, type ExportRequest, newCounts } from '../../src/exchange/export.js';
import type { ExportFormat } from '../../src/exchange/export-formats.js';
import { restoreExport } from '../../src/exchange/restore-export.js';
import { ConversationDocuments } from '../../src/stores/conversations/files/conversation-documents.js';
import { SummaryStore } from '../../src/stores/summaries/summary-store.js';
import { type Options, openStore } from '../stores/conversations/store.js';
import { tempFolder } from '../support/temp-folder.js';

export async function openBench(options: Options = {}) {
  const bench = await openStore(options);
  const { store, time, logsFolder } = bench;
  const clock = { now: () => time.now, monotonic: () => performance.now() };
  const { codec } = options;
  const documents = new ConversationDocuments({
    logsFolder,
    clock,
    fsync: false,
    ...(codec && { codec }),
  });
  const exportsFolder = join(logsFolder, '../exports');
  const summaries = new SummaryStore({
    logsFolder,
    conversations: store,
    fsync: false,
    ...(codec && { codec }),
  });
  const exporter = new Exporter({
    store,
    documents,
    summaries,
    exportsFolder,
    clock,
    fsync: false,
  });
  const requestOf = (format: ExportFormat, more: Partial<ExportRequest> = {}): ExportRequest => ({
    format,
    selection: {},
    forSharing: false,
    ...more,
  });
  return {
    ...bench,
    documents,
    summaries,
    exporter,
    folder: exportsFolder,
    requestOf,
    async exported(format: ExportFormat, more: Partial<ExportRequest> = {}): Promise<string> {
      let text = '';
      for await (const part of exporter.stream(requestOf(format, more), newCounts())) text += part;
      return text;
    },
    restore: (text: string, more: { asNew?: boolean; dryRun?: boolean } = {}) => {
      const path = join(tempFolder(), 'export.txt');
      writeFileSync(path, text);
      const places = { store, documents, summaries };
      return restoreExport(path, { ...places, asNew: false, dryRun: false, ...more });
    },
    /** The text of every conversation.json, by id. */
    files: () =>
      Object.fromEntries(
        readdirSync(logsFolder)
          .filter((name) => !name.startsWith('.'))
          .map((id) => [id, bench.textOf(id)]),
      ),
  };
}
