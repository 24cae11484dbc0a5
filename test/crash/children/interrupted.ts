/**
 * A process that runs one operation after another, each on its own root, and that kills or stops itself
 * right before a chosen file-system call. With `at` -1 it only counts the calls.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAppError } from '../../../src/base/errors.js';
import { withLock } from '../../../src/files/locks/file-lock.js';
import { openConversationStore } from '../../../src/stores/conversations/conversations.js';
import { type Interruption, interruptedAt } from '../../support/interrupted-at.js';
import { commands, say, task } from './lines.js';

export interface InterruptedTask extends Interruption {
  operation: 'append' | 'keyed' | 'count-up';
  /** The id of a conversation, a key, or the name of a lock. */
  ref: string;
  text: string;
}

export interface InterruptedResult {
  calls: number;
  /** The error's code; absent after success. */
  code?: string;
}

say(await done(task()));
for await (const next of commands<InterruptedTask>()) say(await done(next));

async function done({
  operation,
  ref,
  text,
  ...interruption
}: InterruptedTask): Promise<InterruptedResult> {
  const { root } = interruption;
  const locksFolder = join(root, 'conversation-logs', '.locks');
  const store = await openConversationStore({
    logsFolder: join(root, 'conversation-logs'),
    maxMessages: 1e6,
    fsync: true,
  });
  const operations: Record<InterruptedTask['operation'], () => Promise<unknown>> = {
    append: () => store.append(ref, [{ role: 'user', content: text }]),
    keyed: () => store.append(ref, [{ role: 'user', content: text }], { create: true }),
    'count-up': () => {
      const path = join(root, 'counter');
      return withLock(locksFolder, ref, (lock) => {
        const next = Number(readFileSync(path, 'utf8')) + 1;
        return lock.replace(path, Buffer.from(String(next)), { fsync: false });
      });
    },
  };
  let code: string | undefined;
  const calls = await interruptedAt(interruption, () =>
    operations[operation]().catch((error: unknown) => {
      code = isAppError(error) ? error.code : `uncoded: ${String(error)}`;
    }),
  );
  return { calls, ...(code === undefined ? {} : { code }) };
}
