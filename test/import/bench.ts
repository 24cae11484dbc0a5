/** What the tests of imports share: stores in a real folder, and functions to read what is in it afterwards. */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { GraphImport } from '../../src/exchange/graph/graph-import.js';
import type { ImportReport, ImportRequest } from '../../src/import/import-types.js';
import { runImport } from '../../src/import/run-import.js';
import { SecretMasker } from '../../src/privacy/secret-masker.js';
import { ConversationDocuments } from '../../src/stores/conversations/files/conversation-documents.js';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { KnowledgeGraph } from '../../src/stores/knowledge-graph/knowledge-graph.js';
import { ImportedNotes } from '../../src/stores/memory-bank/imported-note-marks.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { StateStore } from '../../src/stores/state/state.js';
import { SummaryStore } from '../../src/stores/summaries/summary-store.js';
import { type Options, openStore } from '../stores/conversations/store.js';
import { tempFolder } from '../support/temp-folder.js';

export const FIXTURES = join(import.meta.dirname, '../fixtures/import');

export async function openImportBench(options: Options = {}) {
  const bench = await openStore(options);
  const { store, time, logsFolder } = bench;
  const clock = { now: () => time.now, monotonic: () => performance.now() };
  const bank = join(logsFolder, '../memory-bank');
  const masker = new SecretMasker({ masksSecrets: true });
  const memoryBank = new MemoryBank({ folder: bank, maxFiles: 1000, masker, clock, fsync: false });
  const kg = new KnowledgeGraph({
    snapshotPath: join(bank, 'kg_snapshot.json'),
    walPath: join(bank, 'kg_wal.log'),
    maxTriples: 5000,
    ttlDays: Number.POSITIVE_INFINITY,
    evict: 'off',
    syncsAppends: false,
    fsync: false,
    clock,
  });
  const insights = new InsightStore({ folder: bank, masker, fsync: false, clock });
  const documents = new ConversationDocuments({ logsFolder, fsync: false, clock });
  const graphImport = new GraphImport({ kg, memoryBank, folder: bank, clock });
  const summaries = new SummaryStore({ logsFolder, conversations: store, fsync: false });
  const stores = {
    masker,
    graphImport,
    documents,
    summaries,
    conversations: store,
    memoryBank,
    importedNotes: new ImportedNotes({ logsFolder, fsync: false }),
    insights,
    kg,
    state: new StateStore({ logsFolder, fsync: false, clock }),
    logsFolder,
  };
  const run = (paths: string | readonly string[], more: Partial<ImportRequest> = {}) =>
    runImport(stores, {
      paths: [paths].flat(),
      activity: 'short',
      dryRun: false,
      ...more,
    });
  return {
    ...bench,
    memoryBank,
    kg,
    insights,
    stores,
    bank,
    import: run,
    /** The same of a file of this content. */
    importText: (content: string | Uint8Array | object, name = 'export.json') =>
      run(fileWith(content, name)),
    /** The conversation with this id in the source. */
    // biome-ignore lint/suspicious/noExplicitAny: tests read any field of the file
    bySource(id: string): any {
      const found = bench
        .folders()
        .filter((name) => bench.jsonOf(name).metadata?.source?.id === id);
      if (found.length > 1) throw new Error(`${id} is there ${found.length} times`);
      return found[0] === undefined ? undefined : bench.jsonOf(found[0]);
    },
    /** A hash of all files. */
    hash: () => hashOf(join(logsFolder, '..')),
  };
}

export function fileWith(content: string | Uint8Array | object, name = 'export.json'): string {
  const path = join(tempFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  const isRaw = typeof content === 'string' || content instanceof Uint8Array;
  writeFileSync(path, isRaw ? content : JSON.stringify(content));
  return path;
}

/** A folder with these files. */
export function folderWith(files: Readonly<Record<string, string | Uint8Array | object>>): string {
  const folder = tempFolder();
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    const isRaw = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(path, isRaw ? content : JSON.stringify(content));
  }
  return folder;
}

export const lines = (...values: readonly unknown[]) =>
  values.map((value) => `${typeof value === 'string' ? value : JSON.stringify(value)}\n`).join('');

// biome-ignore lint/suspicious/noExplicitAny: of a file
export const said = (conversation: any) =>
  // biome-ignore lint/suspicious/noExplicitAny: of a file
  conversation.messages.map(({ role, content }: any) => `${role}: ${content}`);

export const counts = ({ added, updated, unchanged, skipped }: ImportReport) => ({
  added,
  updated,
  unchanged,
  skipped,
});

function hashOf(folder: string): string {
  const hash = createHash('sha256');
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
    if (/(^|\/)\.(leases|locks)(\/|$)/.test(name)) continue;
    hash.update(`${name}\n`);
    try {
      hash.update(readFileSync(join(folder, name)));
    } catch {
      // A folder.
    }
  }
  return hash.digest('hex');
}
