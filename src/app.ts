/**
 * Composition root: makes the App, with all stores and services, from the configuration. Tools use this
 * interface and not the configuration; `facts` has the settings that may be shown.
 */
import type { Figures } from './analytics/figures.js';
import { closeAll } from './app/close-all.js';
import { rememberRoot, requireRootAtStart, requireWholeRoot } from './app/root-checks.js';
import { doctorOf } from './app/services/doctor.js';
import type { EmbeddingParts } from './app/services/embeddings.js';
import { openStoreEncryption } from './app/services/encryption.js';
import { forgettingOf } from './app/services/forgetting.js';
import { importerOf } from './app/services/imports.js';
import { openLanguageParts } from './app/services/language-model-services.js';
import {
  backupsOf,
  type RetentionParts,
  retentionParts,
  storeSize,
} from './app/services/maintenance.js';
import { researchOf } from './app/services/research.js';
import { cachedHeadsOf, derivedOf, recallServices } from './app/services/search.js';
import type { SummaryParts } from './app/services/summaries.js';
import { startupTasksOf } from './app/startup-tasks.js';
import { factsOf, type StoreFacts } from './app/store-facts.js';
import { openBank, openConversations, openInsights } from './app/stores.js';
import { GracePeriod } from './base/async/grace-period.js';
import { type Clock, systemClock } from './base/clock.js';
import { type Log, silentLog } from './base/log.js';
import type { Config } from './config/config.js';
import type { RelevantSnippets } from './context/snippets/relevant-snippets.js';
import type { SummaryService } from './context/summaries/summary-service.js';
import type { Doctor } from './doctor/doctor.js';
import { Exporter } from './exchange/export.js';
import type { GraphExport } from './exchange/graph/graph-export.js';
import type { GraphImport } from './exchange/graph/graph-import.js';
import type { Durability } from './files/atomic/atomic-write.js';
import type { FileSealer } from './files/sealing/file-sealer.js';
import { requireUnconverted } from './files/sealing/open-stores.js';
import { codecOf } from './files/sealing/text-codec.js';
import type { Importer } from './import/importer.js';
import type { Archives } from './maintenance/archives/archives.js';
import type { Backups } from './maintenance/backup/backup.js';
import type { BackupArea } from './maintenance/backup/backup-content.js';
import { SecretMasker } from './privacy/secret-masker.js';
import type { Research } from './research/research.js';
import { InsightSearch } from './search/insight-search.js';
import type { MemorySearch } from './search/memory-search.js';
import type { MessageSearch } from './search/message-search.js';
import type { KeywordSearch } from './search/messages/keyword-search.js';
import type { NoteSearch } from './search/notes/note-search.js';
import { QuickFind } from './search/quick-find/quick-find.js';
import type { RecallSearch } from './search/recall/recall-search.js';
import type { ConversationStore } from './stores/conversations/conversations.js';
import {
  ConversationDocuments,
  type ConversationDocumentsOptions,
} from './stores/conversations/files/conversation-documents.js';
import type { WriteQueue } from './stores/deferred-writes/write-queue.js';
import type { InsightStore } from './stores/insights/insights.js';
import type { KnowledgeGraph } from './stores/knowledge-graph/knowledge-graph.js';
import type { MemoryBank } from './stores/memory-bank/memory-bank.js';
import type { NoteHistory } from './stores/memory-bank/note-history.js';
import { StateStore } from './stores/state/state.js';

export interface App {
  readonly conversations: ConversationStore;
  readonly research: Research;
  readonly search: KeywordSearch;
  readonly recall: RecallSearch;
  /** The search of `search_messages`, with `search` and `recall`. */
  readonly messageSearch: MessageSearch;
  readonly relevantSnippets: RelevantSnippets;
  readonly memorySearch: MemorySearch;
  readonly documents: ConversationDocuments;
  readonly memoryBank: MemoryBank;
  readonly noteHistory: NoteHistory;
  readonly noteSearch: NoteSearch;
  readonly quickFind: QuickFind;
  readonly figures: Figures;
  readonly exporter: Exporter;
  readonly importer: Importer;
  readonly backups: Backups;
  /** The folders in a backup, which a restore writes. */
  readonly areas: readonly BackupArea[];
  readonly doctor: Doctor;
  readonly trash: RetentionParts['trash'];
  readonly retention: RetentionParts['retention'];
  readonly size: RetentionParts['size'];
  readonly archives: RetentionParts['archives'];
  readonly state: StateStore;
  readonly summaries: SummaryService;
  readonly embeddings: Omit<EmbeddingParts, 'start' | 'close'>;
  readonly languageModels: Pick<SummaryParts, 'providers' | 'modelOf' | 'isKeySet' | 'store'>;
  readonly kg: KnowledgeGraph;
  readonly graphExport: GraphExport;
  readonly graphImport: GraphImport;
  readonly insights: InsightStore;
  readonly insightSearch: InsightSearch;
  readonly durability: Durability;
  /** IANA name of the time zone for times that people read. A function, because asking the system takes time. */
  timeZone(): string;
  readonly facts: StoreFacts;
  /** Writes that wait in memory while the store is unavailable, read-only or full. */
  readonly deferredWrites: WriteQueue;
  /** How the files of the store are encrypted. */
  readonly sealer: FileSealer;
  /** A sentence for the user, if a key is set but the store is not encrypted. */
  readonly unusedKey: string | undefined;
  /**
   * Starts the background work of a server: removes files of ended processes, continues their research
   * runs, and builds the search index. Commands do not call it.
   */
  start(): void;
  /** Throws LOCKED if another process encrypts or decrypts the store, or did so since this App was opened. */
  requireUnconverted(): void;
  /** Finishes accepted calls, then closes all stores and services. */
  close(): Promise<void>;
}

export interface AppOptions {
  readonly log?: Log;
  readonly clock?: Clock;
  /** The program writes nothing, so no folder is created. */
  readonly isReading?: boolean;
  /** The conversations are those of archives, of which some may be encrypted although the store is not. */
  readonly hasArchived?: boolean;
  /** Lists conversations from the index cache, and reads only the files that changed since. */
  readonly listsFromCache?: boolean;
  /** For programs that do not call `start`: a search by meaning uses the vectors on the disk. */
  readonly loadsVectors?: boolean;
  /** For servers: keeps running while the root is unavailable, and does not create a missing root. */
  readonly staysUp?: boolean;
}

type Encryption = Awaited<ReturnType<typeof openStoreEncryption>>;

/**
 * Opens all stores in the configured folders; it creates no conversation. Throws DECRYPT if the store is
 * encrypted with another key, LOCKED while its encryption is being changed, STORAGE_UNAVAILABLE if the
 * root of a server is unavailable, and VALIDATION_ERROR if the root is a folder of another root.
 */
export async function createApp(config: Config, options: AppOptions = {}): Promise<App> {
  await requireWholeRoot(config);
  if (options.staysUp) requireRootAtStart(config);
  const encryption = await openStoreEncryption(config, options.hasArchived);
  try {
    const app = await openApp(config, options, encryption);
    const close = () => app.close().finally(() => encryption.close());
    if (options.staysUp !== true) return { ...app, close };
    // At the start and at the end, because the first conversation can be saved in between.
    const remember = () => rememberRoot(config, options.log ?? silentLog);
    const remembered = remember();
    return { ...app, close: () => remembered.then(remember).finally(close) };
  } catch (error) {
    encryption.close();
    throw error;
  }
}

async function openApp(config: Config, options: AppOptions, encryption: Encryption): Promise<App> {
  const { sealer } = encryption;
  const codec = codecOf(encryption.key);
  const { log = silentLog, clock = systemClock, isReading = false, staysUp = false } = options;
  const { logsDir: logsFolder, exportsFolder, fsync } = config;
  const knownBytes = () => conversations.knownBytes();
  // A command writes once, so it always measures.
  const size = storeSize(config, { clock, ...(staysUp && { knownBytes }) });
  const requireRoom = (moreBytes?: number) => size.requireRoom(moreBytes);
  const masker = new SecretMasker(config);
  const archivedIds = new Set<string>();
  const common = { clock, log, grace: new GracePeriod() };
  const { onForgotten, ...forgetting } = forgettingOf(config, log);
  const opening = { masker, clock, log, isReading, staysUp, codec, archivedIds, onForgotten };
  const cachedHeads = options.listsFromCache ? cachedHeadsOf(config, log) : undefined;
  const conversations = await openConversations(config, requireRoom, { ...opening, cachedHeads });
  const language = openLanguageParts(config, conversations, { ...options, ...common, masker });
  const { languageModels, embeddings } = language.services;
  const { search, recall, figures } = derivedOf(config, conversations, embeddings.vectors, common);
  const research = researchOf(config, conversations, { requireRoom, masker }, common);
  const documents = documentsOf(config, conversations, { clock, codec, requireRoom });
  const whole = { documents, summaries: languageModels.store };
  const { queue } = conversations.deferred;
  const guards = { requireRoom, masker, queue };
  const bank = openBank(config, guards, clock, log);
  const insights = openInsights(config, guards, clock, log);
  const state = new StateStore({ logsFolder, fsync, masker, queue, clock });
  const { areas, backups } = backupsOf(config, bank.kg, languageModels.providers, clock);
  const stored = { backups, conversations, insights, ...bank };
  const keeping = retentionParts(config, size, stored, { clock, log, sealer });
  const archived = () => listArchived(keeping.services.archives, archivedIds);
  const importer = importerOf(config, { ...guards, ...whole, ...stored, state, archived });
  const startupTasks = startupTasksOf(config, { ...stored, research, importer }, log);
  return {
    ...stored,
    ...recallServices(search, recall, conversations, { insights, ...bank }),
    ...keeping.services,
    ...language.services,
    ...configuredParts(config, encryption, conversations),
    areas,
    documents,
    figures,
    importer,
    research,
    search,
    state,
    exporter: new Exporter({ store: conversations, ...whole, exportsFolder, clock, fsync }),
    doctor: doctorOf(config, { ...stored, clock, codec }),
    insightSearch: new InsightSearch(insights),
    quickFind: new QuickFind({ conversations, insights, clock, ...bank }),
    start() {
      startupTasks.start();
      search.start();
      bank.memoryBank.watch();
      bank.kg.start();
      insights.start();
      state.start();
      language.start();
      keeping.start();
    },
    async close() {
      // `queue` is closed before the stores, because waiting writes are written to them.
      const services = [startupTasks, keeping, research, language, queue, figures, recall, search];
      await closeAll([...services, bank.memoryBank, bank.kg, insights, conversations, forgetting]);
    },
  };
}

function documentsOf(
  { logsDir: logsFolder, fsync }: Config,
  { deferred }: ConversationStore,
  given: Pick<ConversationDocumentsOptions, 'clock' | 'codec' | 'requireRoom'>,
): ConversationDocuments {
  const waiting = (conversationId: string) => deferred.view(conversationId);
  return new ConversationDocuments({ ...given, logsFolder, fsync, waiting });
}

/** Lists the archived conversations, and adds their ids to `ids`. */
async function listArchived(archives: Archives, ids: Set<string>) {
  const all = await archives.list();
  for (const { conversationId } of all) ids.add(conversationId);
  return all;
}

/** The fields of the App that come only from configuration and encryption. */
const configuredParts = (
  config: Config,
  { sealer, unusedKey }: Encryption,
  { deferred: { queue } }: ConversationStore,
) => ({
  deferredWrites: queue,
  sealer,
  unusedKey,
  requireUnconverted: () => queue.unlessAway(() => requireUnconverted(config.logsDir)),
  durability: { fsync: config.fsync },
  timeZone: () => config.timeZone,
  facts: factsOf(config),
});
