/** The stores of a root, with its trash, retention and archives, and with a clock that the test sets. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Archives } from '../../src/maintenance/archives/archives.js';
import { LastRunFile } from '../../src/maintenance/retention/last-run.js';
import { RetentionPolicyFile } from '../../src/maintenance/retention/policy.js';
import { Retention } from '../../src/maintenance/retention/retention.js';
import { StoreSize } from '../../src/maintenance/size-limit.js';
import { TrashBin } from '../../src/maintenance/trash-bin.js';
import { openConversationStore } from '../../src/stores/conversations/conversations.js';
import { InsightStore } from '../../src/stores/insights/insights.js';
import { MemoryBank } from '../../src/stores/memory-bank/memory-bank.js';
import { tempFolder } from '../support/temp-folder.js';

export const T0 = Date.parse('2025-01-24T13:20:00.123Z');

export async function openMaintained({
  root = join(tempFolder(), 'root'),
  limitBytes = undefined as number | undefined,
} = {}) {
  const time = { now: T0 };
  const clock = { now: () => time.now, monotonic: () => performance.now() };
  const logsFolder = join(root, 'conversation-logs');
  const folder = join(root, 'memory-bank');
  mkdirSync(folder, { recursive: true });
  const size = new StoreSize({ folders: [logsFolder, folder], limitBytes, clock });
  const requireRoom = () => size.requireRoom();
  const shared = { clock, requireRoom, fsync: false };
  const conversations = await openConversationStore({ logsFolder, maxMessages: 1000, ...shared });
  const insights = new InsightStore({ folder, ...shared });
  const memoryBank = new MemoryBank({ folder, maxFiles: 100, ...shared });
  onTestFinished(async () => {
    await Promise.all([conversations.close(), insights.close(), memoryBank.close()]);
  });
  const trash = new TrashBin({ conversations, insights, memoryBank });
  const file = { logsFolder, clock, fsync: false };
  const retention = new Retention({
    conversations,
    trash,
    size,
    clock,
    trashKeepDays: 30,
    policy: new RetentionPolicyFile(file),
    lastRun: new LastRunFile(file),
  });
  const archives = new Archives({ ...file, folder: join(root, 'archive'), conversations });
  return {
    archives,
    retention,
    size,
    root,
    logsFolder,
    time,
    clock,
    conversations,
    insights,
    memoryBank,
    trash,
  };
}
