/** Makes the doctor with its checks, for the folders and stores of the configuration. */
import { dirname, join } from 'node:path';
import { checkFiguresCache, figuresDigest } from '../../analytics/check-figures-cache.js';
import type { Clock } from '../../base/clock.js';
import { isAppError } from '../../base/errors.js';
import type { Config } from '../../config/config.js';
import { isUnreadable } from '../../doctor/check.js';
import { backupCheck } from '../../doctor/checks/backups.js';
import { CacheDigests, type DerivedCache, indexCheck } from '../../doctor/checks/caches.js';
import { clockCheck, lastTimeIn } from '../../doctor/checks/clock.js';
import { conflictCopyCheck } from '../../doctor/checks/conflict-copies.js';
import { conversationCheck } from '../../doctor/checks/conversations.js';
import { diskCheck } from '../../doctor/checks/disk.js';
import { insightCheck } from '../../doctor/checks/insights.js';
import { graphCheck } from '../../doctor/checks/knowledge-graph.js';
import { leftoverCheck } from '../../doctor/checks/leftovers.js';
import { noteCheck } from '../../doctor/checks/notes.js';
import { otherToolsCheck } from '../../doctor/checks/other-tools.js';
import { permissionCheck } from '../../doctor/checks/permissions.js';
import { stateAndSummariesCheck } from '../../doctor/checks/state-and-summaries.js';
import { trashCheck } from '../../doctor/checks/trash.js';
import { vectorCheck } from '../../doctor/checks/vectors.js';
import { Doctor } from '../../doctor/doctor.js';
import { LEASES_FOLDER } from '../../files/locks/lock-folders.js';
import { readStamp, readStampNow } from '../../files/read/stamp.js';
import type { Codec } from '../../files/sealing/text-codec.js';
import { ArchiveFiles } from '../../maintenance/archives/archive-files.js';
import type { Backups } from '../../maintenance/backup/backup.js';
import { checkIndexCache, indexDigest } from '../../search/cache/check-index-cache.js';
import { checkRecallCache, recallDigest } from '../../search/cache/check-recall-cache.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { ConversationRepairer } from '../../stores/conversations/repair/conversation-repairer.js';
import type { InsightStore } from '../../stores/insights/insights.js';
import type { KnowledgeGraph } from '../../stores/knowledge-graph/knowledge-graph.js';
import type { MemoryBank } from '../../stores/memory-bank/memory-bank.js';
import { indexCachePath, vectorsFolder } from '../cache-paths.js';
import { locksFoldersOf, settingsLocksOf } from '../locks.js';
import { passageKeys, usedVectorsFolder } from './embeddings.js';

interface Parts {
  readonly conversations: ConversationStore;
  readonly backups: Backups;
  readonly insights: InsightStore;
  readonly memoryBank: MemoryBank;
  readonly kg: KnowledgeGraph;
  readonly clock: Clock;
  readonly codec: Codec;
}

/** The caches that exist. */
function cachesOf(config: Config): DerivedCache[] {
  const caches = [
    { name: 'search index', kind: undefined, digestOf: indexDigest, check: checkIndexCache },
    { name: 'recall index', kind: 'recall', digestOf: recallDigest, check: checkRecallCache },
    { name: 'figures', kind: 'figures', digestOf: figuresDigest, check: checkFiguresCache },
  ] as const;
  return caches.flatMap(({ kind, ...cache }) => {
    const path = indexCachePath(config, kind);
    return path !== undefined && seemsThere(path) ? [{ ...cache, path }] : [];
  });
}

function seemsThere(path: string): boolean {
  try {
    return readStampNow(path) !== undefined;
  } catch (error) {
    if (!isAppError(error)) throw error;
    return true; // the check of the cache reports it
  }
}

/** The folders that are made when they are first needed. */
function laterFolders(config: Config): string[] {
  const cachePath = indexCachePath(config);
  const indexFolders = cachePath === undefined ? [] : [dirname(cachePath)];
  const leases = join(config.logsDir, LEASES_FOLDER);
  return [config.backup.folder, config.exportsFolder, leases, ...indexFolders];
}

/** Whether there is anything to back up. What cannot be opened counts; other checks report it. */
async function hasData({ conversations, memoryBank, insights, kg }: Parts): Promise<boolean> {
  try {
    await memoryBank.refresh();
    const entries = [await conversations.list(), memoryBank.known(), await insights.all()];
    if (entries.some((list) => list.length > 0)) return true;
    return (await readStamp(kg.files.wal)) !== undefined;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return true;
  }
}

/** Reads no file before `examine`. */
export function doctorOf(config: Config, parts: Parts): Doctor {
  const { root, logsDir: logsFolder, archiveFolder, fsync, backup, imports } = config;
  const { conversations, backups, insights, memoryBank, kg, clock, codec } = parts;
  const bankFolder = memoryBank.folder;
  const others = laterFolders(config);
  const repairer = new ConversationRepairer({ logsFolder, fsync, clock, codec });
  const durability = { fsync, clock };
  const machine = { ...imports, variable: config.variable };
  const checks = () => {
    const digests = new CacheDigests(cachesOf(config));
    const lastTimes = new Map<string, string>();
    const onRead: CacheDigests['note'] = (stamp, document) => {
      digests.note(stamp, document);
      lastTimes.set(document.head.conversationId, lastTimeIn(document));
    };
    return [
      // First, because later repairs keep a broken file with its permissions under another name.
      permissionCheck([
        ...[logsFolder, archiveFolder, backup.folder, config.exportsFolder, config.cacheFolder],
      ]),
      conversationCheck({ logsFolder, conversations, repairer, clock, backups, onRead }),
      stateAndSummariesCheck(logsFolder, durability),
      noteCheck(memoryBank),
      insightCheck(insights, bankFolder, durability),
      graphCheck(kg),
      trashCheck({ logsFolder, repairer, insights, memoryBank }),
      conflictCopyCheck(logsFolder, kg.files),
      leftoverCheck({
        locksFolders: [...locksFoldersOf(config), settingsLocksOf(config)],
        leasesFolder: join(logsFolder, LEASES_FOLDER),
        folders: [kg.files.folder, archiveFolder, dirname(config.configFile), ...others],
        trees: [logsFolder, bankFolder],
        trashFolder: join(logsFolder, '.trash'),
        conversations,
      }),
      indexCheck(digests),
      vectorCheck({
        folder: vectorsFolder(config),
        usedFolder: usedVectorsFolder(config),
        passageKeys: () => passageKeys(conversations),
        isOn: config.embeddings.mode !== 'off',
      }),
      backupCheck({
        backups,
        clock,
        isDaily: backup.isDaily,
        archives: new ArchiveFiles({ folder: archiveFolder, logsFolder, fsync }),
        hasData: () => hasData(parts),
      }),
      diskCheck(root, [logsFolder, bankFolder, config.cacheFolder, ...others.filter(seemsThere)]),
      clockCheck(conversations, clock, lastTimes),
      otherToolsCheck(machine),
    ];
  };
  return new Doctor(checks, clock);
}
