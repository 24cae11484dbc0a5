/** Checks the small files in the logs folder: the state, the retention policy, summaries and research jobs. */
import { join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { AppError, isAppError } from '../../base/errors.js';
import { isRecord } from '../../base/json-fields.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { listFolders } from '../../files/paths/folders.js';
import { parseDocument } from '../../files/read/json-document.js';
import { readStampNow } from '../../files/read/stamp.js';
import { readWhole } from '../../files/read/whole-file.js';
import { RetentionPolicyFile } from '../../maintenance/retention/policy.js';
import { CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { type FileKind, upgraded } from '../../stores/format-migrations.js';
import { requireDepthToRead } from '../../stores/json-depth.js';
import { readJob } from '../../stores/research-jobs/research-job-schema.js';
import { type Check, type CheckContext, unreadable } from '../check.js';
import { damagedJson, type JsonFile, type RepairOptions } from '../repair-json.js';

export const stateAndSummariesCheck = (logsFolder: string, options: RepairOptions): Check => ({
  name: 'state and summaries',
  async run(context) {
    const locksFolder = locksFolderIn(logsFolder);
    const file = (path: string, lockName: string, check: JsonFile['check']): JsonFile => ({
      path,
      locksFolder,
      lockName,
      check,
    });
    const state = join(logsFolder, 'state.json');
    await examine(file(state, 'state', objectOf('state', state)), context, options);
    await examinePolicy(new RetentionPolicyFile({ logsFolder, ...options }), context);
    const slice = new TimeSlice({ readsDisk: true, signal: context.signal });
    for (const id of await listFolders(logsFolder)) {
      if (!CONVERSATION_ID.test(id)) continue;
      context.signal.throwIfAborted();
      if (slice.isSpent()) await slice.yield();
      const at = (name: string) => join(logsFolder, id, name);
      const summaries = at('summaries.json');
      await examine(file(summaries, id, objectOf('summaries', summaries)), context, options);
      const requireJob = (value: unknown) => void readJob(value, at('job.json'));
      await examine(file(at('job.json'), id, requireJob), context, options);
    }
  },
});

async function examine(
  file: JsonFile,
  context: CheckContext,
  options: RepairOptions,
): Promise<void> {
  try {
    // Most folders have none of these files.
    if (readStampNow(file.path) === undefined) return;
    const found = await readWhole(file.path);
    if (found === undefined) return;
    context.countChecked();
    file.check(parseDocument(found.bytes, file.path, 'CORRUPT'));
  } catch (error) {
    if (!isAppError(error)) throw error;
    context.found(await damagedJson(error, file, options));
  }
}

/** It is not repaired: a rule that lost a field would move more conversations. */
async function examinePolicy(
  policy: RetentionPolicyFile,
  { countChecked, found }: CheckContext,
): Promise<void> {
  try {
    if (readStampNow(policy.path) === undefined) return;
    countChecked();
    await policy.read();
  } catch (error) {
    if (!isAppError(error)) throw error;
    found(unreadable(error, policy.path));
  }
}

const objectOf = (kind: FileKind, path: string) => (value: unknown) => {
  if (!isRecord(value)) throw new AppError('CORRUPT', 'The file does not contain a JSON object.');
  requireDepthToRead(value, path);
  upgraded(kind, value, path);
};
