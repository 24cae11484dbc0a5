/**
 * Stores research jobs as `job.json` files beside their conversations, replaced under the conversation's
 * write lock. A lease decides which process polls a run. If two processes had it, they would only poll
 * twice, because the answer is appended once by its response id.
 */
import { join } from 'node:path';
import { TimeSlice } from '../../base/async/time-slice.js';
import { AppError, isAppError } from '../../base/errors.js';
import type { Log } from '../../base/log.js';
import type { Durability } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { type Lease, tryLease } from '../../files/locks/lease.js';
import { leasePathIn, locksFolderIn } from '../../files/locks/lock-folders.js';
import { listFolders, removeEmptyFolder } from '../../files/paths/folders.js';
import { readJson, renderDocument } from '../../files/read/json-document.js';
import { readStampNow } from '../../files/read/stamp.js';
import type { ConversationStore } from '../conversations/conversations.js';
import { CONVERSATION_ID } from '../conversations/document/conversation-id.js';
import { maskedBy, type TextMasker } from '../text-masker.js';
import { type ResearchJob, readJob } from './research-job-schema.js';

export interface ResearchJobFilesOptions extends Durability {
  logsFolder: string;
  conversations: ConversationStore;
  /** Removes secrets and private parts before the query is stored. */
  masker?: TextMasker;
  log: Log;
}

/** Every method takes a conversation id, not a client key. */
export class ResearchJobFiles {
  readonly #options: ResearchJobFilesOptions;
  readonly #locksFolder: string;

  constructor(options: ResearchJobFilesOptions) {
    this.#options = options;
    this.#locksFolder = locksFolderIn(options.logsFolder);
  }

  /** Reads the job from the disk; returns `undefined` if there is none. CORRUPT, FORMAT_TOO_NEW. */
  async get(conversationId: string): Promise<ResearchJob | undefined> {
    const path = this.#fileOf(conversationId);
    const value = await readJson(path);
    return value === undefined ? undefined : readJob(value, path);
  }

  /** Durable when it resolves. CONVERSATION_NOT_FOUND if the conversation's folder is missing. */
  async put(conversationId: string, job: ResearchJob): Promise<void> {
    const path = this.#fileOf(conversationId);
    const { value: query } = await maskedBy(this.#options.masker, job.query);
    const bytes = renderDocument({ ...job, query });
    try {
      await withLock(this.#locksFolder, conversationId, (lock) =>
        lock.replace(path, bytes, this.#options),
      );
    } catch (error) {
      if (!isAppError(error) || error.details?.['errno'] !== 'ENOENT') throw error;
      throw new AppError(
        'CONVERSATION_NOT_FOUND',
        `Conversation ${conversationId} no longer exists.`,
        { cause: error },
      );
    }
  }

  /** Removes the record. Does nothing if there is none. */
  async remove(conversationId: string): Promise<void> {
    const path = this.#fileOf(conversationId);
    await withLock(this.#locksFolder, conversationId, (lock) => lock.remove(path, this.#options));
  }

  /**
   * Removes the record of a run that certainly never started. If the conversation has no message of a user or
   * an assistant (checked under its write lock), removes the conversation too.
   */
  async discard(conversationId: string): Promise<void> {
    await this.remove(conversationId);
    await this.#options.conversations.removeIf(conversationId, ({ messages }) =>
      messages.every(({ role }) => role === 'system'),
    );
    await removeEmptyFolder(this.#options.conversations.path(conversationId));
  }

  /** Returns all readable jobs. Damaged ones are logged and left out. */
  async list(): Promise<{ conversationId: string; job: ResearchJob }[]> {
    const jobs: { conversationId: string; job: ResearchJob }[] = [];
    const slice = new TimeSlice({ readsDisk: true });
    for (const conversationId of await listFolders(this.#options.logsFolder)) {
      if (!CONVERSATION_ID.test(conversationId)) continue;
      if (slice.isSpent()) await slice.yield();
      try {
        // Most conversations have none. This costs much less than to try to open it.
        if (readStampNow(this.#fileOf(conversationId)) === undefined) continue;
        const job = await this.get(conversationId);
        if (job !== undefined) jobs.push({ conversationId, job });
      } catch (error) {
        if (!isAppError(error)) throw error;
        this.#options.log.warn({ err: error }, 'a research job could not be read');
      }
    }
    return jobs;
  }

  /**
   * Acquires the lease for polling this conversation's run: only one holder in all processes. Returns
   * `undefined` at once if a live holder has it; the lease of a dead process is taken over. It is independent
   * of the write lock of the conversation.
   */
  tryLease(conversationId: string): Promise<Lease | undefined> {
    // Not in `.locks`, because `sweepLocks` would remove the folders of the leases there.
    return tryLease(leasePathIn(this.#options.logsFolder, conversationId));
  }

  #fileOf(conversationId: string): string {
    return join(this.#options.conversations.path(conversationId), 'job.json');
  }
}
