/** Makes the services that maintain the store: backups, size, trash, archives, retention, daily runs. */
import { dirname, join } from 'node:path';
import type { Clock } from '../../base/clock.js';
import type { Log } from '../../base/log.js';
import type { Config } from '../../config/config.js';
import { leasePathIn } from '../../files/locks/lock-folders.js';
import type { FileSealer } from '../../files/sealing/file-sealer.js';
import { Archives } from '../../maintenance/archives/archives.js';
import { Backups } from '../../maintenance/backup/backup.js';
import type { BackupArea } from '../../maintenance/backup/backup-content.js';
import { startDailyBackup } from '../../maintenance/backup/daily-backup.js';
import { PROVIDERS_NAME, SETTINGS_NAME } from '../../maintenance/configuration-in-archive.js';
import type { DailyJob } from '../../maintenance/daily-job.js';
import { graphPathsOf } from '../../maintenance/graph-in-archive.js';
import { startDailyRetention } from '../../maintenance/retention/daily-retention.js';
import { LastRunFile } from '../../maintenance/retention/last-run.js';
import { RetentionPolicyFile } from '../../maintenance/retention/policy.js';
import { Retention } from '../../maintenance/retention/retention.js';
import { StoreSize, type StoreSizeOptions } from '../../maintenance/size-limit.js';
import { TrashBin } from '../../maintenance/trash-bin.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import type { ProviderList } from '../../stores/llm-providers/provider-list.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { cacheNameOf } from '../cache-paths.js';
import { closeAll } from '../close-all.js';

export interface RetentionParts {
  /** The deleted conversations, insights and notes. */
  readonly trash: TrashBin;
  readonly retention: Retention;
  readonly size: StoreSize;
  /** The monthly archives of old conversations. */
  readonly archives: Archives;
}

interface Parts {
  readonly backups: Backups;
  readonly conversations: ConversationStore;
  readonly insights: InsightStore;
  readonly memoryBank: MemoryBank;
}

export function storeSize(
  { logsDir, memoryBankFolder, keeping }: Config,
  options: Pick<StoreSizeOptions, 'clock' | 'knownBytes'>,
): StoreSize {
  const folders = [logsDir, memoryBankFolder];
  return new StoreSize({ folders, limitBytes: keeping.maxSizeBytes, ...options });
}

/** `start` starts the daily runs. Retention does nothing without a policy; backups can be switched off. */
export function retentionParts(
  { archiveFolder, logsDir: logsFolder, fsync, backup, keeping: { trashKeepDays } }: Config,
  size: StoreSize,
  { backups, conversations, insights, memoryBank }: Parts,
  { clock, log, sealer }: { clock: Clock; log: Log; sealer: FileSealer },
) {
  const trash = new TrashBin({ conversations, insights, memoryBank });
  const file = { logsFolder, fsync, clock };
  const retention = new Retention({
    conversations,
    trash,
    size,
    trashKeepDays,
    clock,
    policy: new RetentionPolicyFile(file),
    lastRun: new LastRunFile(file),
  });
  const archives = new Archives({
    ...file,
    folder: archiveFolder,
    conversations,
    sealer,
    requireRoom: (bytes) => size.requireRoom(bytes),
  });
  const services: RetentionParts = { trash, retention, size, archives };
  const leaseOf = (name: string) => ({ leasePath: leasePathIn(logsFolder, name), clock, log });
  const daily: DailyJob[] = [];
  return {
    services,
    start() {
      daily.push(startDailyRetention({ retention, ...leaseOf('retention') }));
      if (backup.isDaily) daily.push(startDailyBackup({ backups, ...leaseOf('backup') }));
    },
    close: () => closeAll(daily),
  };
}

/** `areas`: the folders in a backup, which a restore writes. */
export function backupsOf(
  config: Config,
  kg: KnowledgeGraph,
  providers: ProviderList,
  clock: Clock,
) {
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
