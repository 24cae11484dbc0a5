/**
 * Composition root: makes the App, with all stores and services, from the configuration. Tools use this
 * interface and not the configuration; `facts` has the settings that may be shown.
 */
import { dirname, join, sep } from 'node:path';
import { Figures } from './analytics/figures.js';
import { cacheNameOf, indexCachePath } from './app/cache-paths.js';
import { closeAll } from './app/close-all.js';
import { doctorOf } from './app/doctor.js';
import type { EmbeddingParts } from './app/embeddings.js';
import { openStoreEncryption } from './app/encryption.js';
import { openLanguageParts } from './app/language-model-services.js';
import { type RetentionParts, retentionParts, storeSize } from './app/maintenance.js';
import { perplexityOf } from './app/perplexity.js';
import { rememberRoot, requireRootAtStart, requireWholeRoot } from './app/root-checks.js';
import { startupTasksOf } from './app/startup-tasks.js';
import { factsOf, type StoreFacts } from './app/store-facts.js';
import type { SummaryParts } from './app/summaries.js';
import { type Clock, systemClock } from './base/clock.js';
import { type Log, silentLog } from './base/log.js';
import type { Config } from './config/config.js';
import { RelevantSnippets } from './context/snippets/relevant-snippets.js';
import type { SummaryService } from './context/summaries/summary-service.js';
import type { Doctor } from './doctor/doctor.js';
import { Exporter } from './exchange/export.js';
import { GraphExport } from './exchange/graph-export.js';
import { GraphImport } from './exchange/graph-import.js';
import type { Durability } from './files/atomic/atomic-write.js';
import type { FileSealer } from './files/sealing/file-sealer.js';
import { requireUnconverted } from './files/sealing/open-stores.js';
import { codecOf } from './files/sealing/text-codec.js';
import type { ImportStores } from './import/import-request.js';
import { Importer } from './import/importer.js';
import type { Archives } from './maintenance/archives/archives.js';
import { Backups } from './maintenance/backup.js';
import type { BackupArea } from './maintenance/backup-content.js';
import { PROVIDERS_NAME, SETTINGS_NAME } from './maintenance/configuration-in-archive.js';
import { graphPathsOf } from './maintenance/graph-in-archive.js';
import { SecretMasker } from './privacy/secret-masker.js';
import type { VectorSource } from './recall/vector-source.js';
import { Research } from './research/research.js';
import { readCachedHeads } from './search/cache/index-cache.js';
import { InsightSearch } from './search/insight-search.js';
import { MemorySearch, type MemoryStores } from './search/memory-search.js';
import { MessageSearch } from './search/message-search.js';
import { KeywordSearch } from './search/messages/keyword-search.js';
import { NoteSearch } from './search/notes/note-search.js';
import { QuickFind } from './search/quick-find/quick-find.js';
import { RecallSearch } from './search/recall/recall-search.js';
import {
  type ConversationStore,
  openConversationStore,
} from './stores/conversations/conversations.js';
import { ConversationDocuments } from './stores/conversations/files/conversation-documents.js';
import type { ConversationStoreOptions } from './stores/conversations/store-core.js';
import type { WriteQueue } from './stores/deferred-writes/write-queue.js';
import { InsightStore } from './stores/insights/insights.js';
import { KnowledgeGraph } from './stores/knowledge-graph/knowledge-graph.js';
import type { ProviderList } from './stores/llm-providers/provider-list.js';
import { ImportedNotes } from './stores/memory-bank/imported-notes.js';
import { MemoryBank } from './stores/memory-bank/memory-bank.js';
import { NoteHistory } from './stores/memory-bank/note-history.js';
import { ResearchJobFiles } from './stores/research-jobs/research-job-files.js';
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
  /** Lists conversations from the index cache, and reads only the files that changed since. */
  readonly listsFromCache?: boolean;
  /** For programs that do not call `start`: a search by meaning uses the vectors on the disk. */
  readonly loadsVectors?: boolean;
  /** For servers: keeps running while the root is unavailable, and does not create a missing root. */
  readonly staysUp?: boolean;
}

/** The checks of each write of a store. */
interface Guards {
  readonly requireRoom: (moreBytes?: number) => Promise<void>;
  readonly masker: SecretMasker;
  readonly queue: WriteQueue;
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
  const encryption = await openStoreEncryption(config);
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
  // A command writes once, so it always measures.
  const size = storeSize(config, {
    clock,
    ...(staysUp && { knownBytes: () => conversations.knownBytes() }),
  });
  const requireRoom = (moreBytes?: number) => size.requireRoom(moreBytes);
  const masker = new SecretMasker(config);
  const archivedIds = new Set<string>();
  const opening = { masker, clock, log, isReading, staysUp, codec, archivedIds };
  const cachedHeads = cachedHeadsOf(config, options, log);
  const conversations = await conversationsOf(config, requireRoom, { ...opening, cachedHeads });
  const language = openLanguageParts(config, conversations, { ...options, clock, log, masker });
  const { languageModels, embeddings } = language.services;
  const derived = derivedOf(config, conversations, embeddings.vectors, { clock, log });
  const { search, recall, figures } = derived;
  const research = researchOf(config, conversations, { requireRoom, masker }, clock, log);
  const documents = new ConversationDocuments({ logsFolder, fsync, clock, codec });
  const whole = { documents, summaries: languageModels.store };
  const { queue } = conversations.deferred;
  const guards = { requireRoom, masker, queue };
  const bank = bankOf(config, guards, clock, log);
  const insights = openInsights(config, guards, clock, log);
  const state = new StateStore({ logsFolder, fsync, masker, queue, clock });
  const { areas, backups } = backupsOf(config, bank.kg, languageModels.providers, clock);
  const stored = { backups, conversations, insights, ...bank };
  const keeping = retentionParts(config, size, stored, { clock, log, sealer });
  const archived = () => listArchived(keeping.services.archives, archivedIds);
  const importer = importerOf(config, { ...opening, ...whole, ...stored, state, archived });
  const startupTasks = startupTasksOf(config, { conversations, research, importer }, log);
  return {
    ...stored,
    ...recallServices(search, recall, { insights, ...bank }),
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
      await closeAll([...services, bank.memoryBank, bank.kg, insights, conversations]);
    },
  };
}

/** The conversations in the cached search index; `undefined` if they are not listed from it. */
function cachedHeadsOf(config: Config, { listsFromCache }: AppOptions, log: Log) {
  const path = listsFromCache ? indexCachePath(config) : undefined;
  return path === undefined ? undefined : () => readCachedHeads({ path, log });
}

/** Lists the archived conversations, and adds their ids to `ids`. */
async function listArchived(archives: Archives, ids: Set<string>) {
  const all = await archives.list();
  for (const { conversationId } of all) ids.add(conversationId);
  return all;
}

const conversationsOf = (
  { root, logsDir: logsFolder, fsync, maxMessages, keeping: { versions } }: Config,
  requireRoom: (moreBytes?: number) => Promise<void>,
  {
    staysUp,
    ...options
  }: Required<Omit<AppOptions, 'listsFromCache' | 'loadsVectors'>> &
    Pick<ConversationStoreOptions, 'masker' | 'codec' | 'cachedHeads' | 'archivedIds'>,
) => {
  const isInRoot = logsFolder === root || logsFolder.startsWith(root + sep);
  const guarded = { guarded: [isInRoot ? root : logsFolder] };
  const fromConfig = { logsFolder, fsync, maxMessages, versions, requireRoom, ...options };
  return openConversationStore({ ...fromConfig, ...(staysUp && { staysUp: guarded }) });
};

/** The fields of the App that come only from configuration and encryption. */
const configuredParts = (
  config: Config,
  { sealer }: Encryption,
  { deferred: { queue } }: ConversationStore,
) => ({
  deferredWrites: queue,
  sealer,
  requireUnconverted: () => queue.unlessAway(() => requireUnconverted(config.logsDir)),
  durability: { fsync: config.fsync },
  timeZone: () => config.timeZone,
  facts: factsOf(config),
});

/** The services that search with recall. */
function recallServices(
  search: KeywordSearch,
  recall: RecallSearch,
  stores: Omit<MemoryStores, 'messageSearch'>,
) {
  const messageSearch = new MessageSearch(search, recall);
  return {
    recall,
    messageSearch,
    relevantSnippets: new RelevantSnippets(recall),
    memorySearch: new MemorySearch({ ...stores, messageSearch }),
  };
}

/** Search index, recall and figures. They read no file before the first question or `start`. */
function derivedOf(
  config: Config,
  store: ConversationStore,
  vectors: VectorSource | undefined,
  { clock, log }: { clock: Clock; log: Log },
) {
  const search = new KeywordSearch({ store, cachePath: indexCachePath(config), clock, log });
  const cachePath = indexCachePath(config, 'recall');
  const recall = new RecallSearch({
    store,
    search,
    cachePath,
    clock,
    log,
    timeZone: () => config.timeZone,
    ...(vectors && { vectors }),
  });
  const figures = new Figures({ store, cachePath: indexCachePath(config, 'figures'), log });
  return { search, recall, figures };
}

function researchOf(
  config: Config,
  store: ConversationStore,
  { requireRoom, masker }: Omit<Guards, 'queue'>,
  clock: Clock,
  log: Log,
) {
  const { logsDir: logsFolder, fsync, maxMessages, perplexity } = config;
  return new Research({
    store,
    jobs: new ResearchJobFiles({ logsFolder, fsync, conversations: store, masker, log }),
    perplexity: perplexityOf(config, clock),
    clock,
    log,
    maxMessages,
    masker,
    requireRoom,
    timing: { waitMs: perplexity.waitMs },
  });
}

function importerOf(
  { logsDir: logsFolder, imports, variable, fsync }: Config,
  stores: Omit<ImportStores, 'logsFolder' | 'importedNotes'>,
): Importer {
  const { activity, watched, folders, home, programs } = imports;
  const machine = { home, programs, variable };
  const importedNotes = new ImportedNotes({ logsFolder, fsync });
  return new Importer({
    ...stores,
    importedNotes,
    logsFolder,
    machine,
    activity,
    watched,
    folders,
  });
}

/** The stores of the memory bank. */
function bankOf(config: Config, guards: Guards, clock: Clock, log: Log) {
  const { mbMaxFiles: maxFiles, memoryBankFolder: folder, fsync } = config;
  const memoryBank = new MemoryBank({ folder, maxFiles, ...guards, clock, fsync, log });
  const { fsync: syncsAppends, ...graph } = config.kg;
  const kg = new KnowledgeGraph({ ...graph, syncsAppends, fsync, ...guards, clock, log });
  const exchanged = { kg, memoryBank, folder: config.exportsFolder };
  return {
    memoryBank,
    noteHistory: new NoteHistory({ folder, variable: config.variable }),
    noteSearch: new NoteSearch(memoryBank, clock),
    kg,
    graphExport: new GraphExport({ ...exchanged, fsync }),
    graphImport: new GraphImport({ ...exchanged, clock }),
  };
}

function openInsights(
  { memoryBankFolder: folder, fsync }: Config,
  guards: Guards,
  clock: Clock,
  log: Log,
): InsightStore {
  return new InsightStore({ folder, ...guards, fsync, clock, log });
}

function backupsOf(config: Config, kg: KnowledgeGraph, providers: ProviderList, clock: Clock) {
  const { root, logsDir, memoryBankFolder, fsync, chosenSettings, backup } = config;
  const areas: readonly BackupArea[] = [
    { name: 'conversation-logs', folder: logsDir },
    { name: 'memory-bank', folder: memoryBankFolder },
    { name: 'archive', folder: config.archiveFolder },
  ];
  const movedGraph = [...graphPathsOf(kg.files)].filter(
    ([, path]) => dirname(path) !== memoryBankFolder,
  );
  const singleFiles = [
    ...movedGraph.map(([name, path]) => ({ name, path })),
    { name: SETTINGS_NAME, text: async () => chosenSettings },
    { name: PROVIDERS_NAME, text: () => providers.withoutSecrets() },
  ];
  const owner = { id: cacheNameOf(config).slice(0, 8), ownFolder: join(root, 'backups') };
  return { areas, backups: new Backups({ ...backup, owner, areas, singleFiles, clock, fsync }) };
}
