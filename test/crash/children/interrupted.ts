/**
 * A process that does one thing and is killed or stopped by a signal of its own right before a chosen
 * file-system call. With `at` -1 it only counts the calls.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../../src/base/clock.js';
import { isAppError } from '../../../src/base/errors.js';
import { withLock } from '../../../src/files/locks/file-lock.js';
import { plainForms } from '../../../src/files/sealing/file-forms.js';
import { CONTENTS_NAME } from '../../../src/maintenance/backup-content.js';
import { Redactor } from '../../../src/privacy/redactor.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { ConversationMender } from '../../../src/stores/conversations/mending/conversation-mender.js';
import { graphFiles } from '../../../src/stores/knowledge-graph/log/graph-files.js';
import { tapFs } from '../../support/fs-tap.js';
import { say, task } from './lines.js';

export interface InterruptedTask {
  /** Only calls below it count. */
  root: string;
  operation: 'append' | 'keyed' | 'count-up' | 'repair' | 'redact';
  /** A conversation's id or a key. */
  ref: string;
  text: string;
  at: number;
  signal: NodeJS.Signals;
}

export interface InterruptedResult {
  calls: number;
  /** The error's code; absent after success. */
  code?: string;
}

const { root, operation, ref, text, at, signal } = task<InterruptedTask>();
const locksFolder = join(root, 'conversation-logs', '.locks');
const store = await openConversationStore({
  logsFolder: join(root, 'conversation-logs'),
  maxMessages: 1e6,
  fsync: true,
});

const mender = new ConversationMender({
  logsFolder: join(root, 'conversation-logs'),
  clock: systemClock,
  fsync: true,
});

const redactor = new Redactor({
  root,
  logsFolder: join(root, 'conversation-logs'),
  bankFolder: join(root, 'memory-bank'),
  otherFolders: [],
  graph: graphFiles(
    join(root, 'memory-bank', 'kg_snapshot.json'),
    join(root, 'memory-bank', 'kg_wal.log'),
  ),
  derivedFiles: [],
  derivedFolders: [],
  contentsName: CONTENTS_NAME,
  forms: plainForms,
  fsync: true,
});

const OPERATIONS: Record<InterruptedTask['operation'], () => Promise<unknown>> = {
  append: () => store.append(ref, [{ role: 'user', content: text }]),
  keyed: () => store.append(ref, [{ role: 'user', content: text }], { create: true }),
  repair: () => mender.mend(ref),
  redact: async () => {
    const { files } = await redactor.find(text, new AbortController().signal);
    const paths = files.map(({ path }) => path);
    const signal = new AbortController().signal;
    await redactor.redact(paths, text, '[redacted]', { signal });
  },
  'count-up': () => {
    const path = join(root, 'counter');
    return withLock(locksFolder, ref, (lock) => {
      const next = Number(readFileSync(path, 'utf8')) + 1;
      return lock.replace(path, Buffer.from(String(next)), { fsync: false });
    });
  },
};

let calls = 0;
const restore = await tapFs(root, {
  before() {
    if (calls === at) {
      process.kill(process.pid, signal);
      // The signal may reach another thread first: this one must not get any further.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
    calls += 1;
    return undefined;
  },
});
const code = await OPERATIONS[operation]().then(
  () => undefined,
  (error: unknown) => (isAppError(error) ? error.code : `uncoded: ${String(error)}`),
);
restore();
say({ calls, ...(code === undefined ? {} : { code }) } satisfies InterruptedResult);
process.exit(0);
