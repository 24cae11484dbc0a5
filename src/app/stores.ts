/** Opens the stores in the configured folders, with the checks of each write. */
import { sep } from 'node:path';
import type { Clock } from '../base/clock.js';
import type { Log } from '../base/log.js';
import type { Config } from '../config/config.js';
import { GraphExport } from '../exchange/graph/graph-export.js';
import { GraphImport } from '../exchange/graph/graph-import.js';
import type { SecretMasker } from '../privacy/secret-masker.js';
import { NoteSearch } from '../search/notes/note-search.js';
import { openConversationStore } from '../stores/conversations/conversations.js';
import type { ConversationStoreOptions } from '../stores/conversations/store-core.js';
import type { WriteQueue } from '../stores/deferred-writes/write-queue.js';
import { InsightStore } from '../stores/insights/insights.js';
import { KnowledgeGraph } from '../stores/knowledge-graph/knowledge-graph.js';
import { MemoryBank } from '../stores/memory-bank/memory-bank.js';
import { NoteHistory } from '../stores/memory-bank/note-history.js';

/** The checks of each write of a store. */
export interface Guards {
  readonly requireRoom: (moreBytes?: number) => Promise<void>;
  readonly masker: SecretMasker;
  readonly queue: WriteQueue;
}

type GivenOptions = Pick<
  ConversationStoreOptions,
  'masker' | 'codec' | 'cachedHeads' | 'archivedIds' | 'onForgotten' | 'clock' | 'log' | 'isReading'
>;

/** `staysUp`: see `AppOptions`. */
export function openConversations(
  { root, logsDir: logsFolder, fsync, maxMessages, keeping: { versions } }: Config,
  requireRoom: Guards['requireRoom'],
  { staysUp, ...options }: GivenOptions & { readonly staysUp: boolean },
) {
  const isInRoot = logsFolder === root || logsFolder.startsWith(root + sep);
  const guarded = { guarded: [isInRoot ? root : logsFolder] };
  const fromConfig = { logsFolder, fsync, maxMessages, versions, requireRoom, ...options };
  return openConversationStore({ ...fromConfig, ...(staysUp && { staysUp: guarded }) });
}

/** The stores of the memory bank. */
export function openBank(config: Config, guards: Guards, clock: Clock, log: Log) {
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

export function openInsights(
  { memoryBankFolder: folder, fsync }: Config,
  guards: Guards,
  clock: Clock,
  log: Log,
): InsightStore {
  return new InsightStore({ folder, ...guards, fsync, clock, log });
}
