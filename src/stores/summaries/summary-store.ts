/**
 * The store of summaries: `summaries.json` beside each `conversation.json`, so that it is moved and backed up
 * with the conversation. It is replaced as a whole under the conversation's lock. A damaged file is never
 * overwritten, because a person may have edited it.
 */
import { join } from 'node:path';
import { AppError } from '../../base/errors.js';
import type { Durability } from '../../files/atomic/atomic-write.js';
import { withLock } from '../../files/locks/file-lock.js';
import { locksFolderIn } from '../../files/locks/lock-folders.js';
import { parseDocument, readJson, renderDocument } from '../../files/read/json-document.js';
import { readWhole } from '../../files/read/whole-file.js';
import type { ConversationStore } from '../conversations/conversations.js';
import type { Message } from '../conversations/document/schema.js';
import { maskedBy, type TextMasker } from '../text-masker.js';
import {
  type PaidFailure,
  readFailures,
  readSummaries,
  type StoredSummary,
  type Summaries,
  type Summary,
  type SummaryLevel,
  sourceHashOf,
  withFailure,
  withSummary,
} from './summary-file.js';

export interface SummaryStoreOptions extends Durability {
  readonly logsFolder: string;
  readonly conversations: ConversationStore;
  /** Removes secrets and private parts before a summary is stored. */
  readonly masker?: TextMasker | undefined;
}

interface PutOptions {
  readonly isNew?: boolean;
  readonly onlyIfAbsent?: boolean;
}

/** Takes ids of conversations, not keys. */
export class SummaryStore {
  readonly #options: SummaryStoreOptions;

  constructor(options: SummaryStoreOptions) {
    this.#options = options;
  }

  /** Empty if there are none. CORRUPT, FORMAT_TOO_NEW, DECRYPT, FILESYSTEM_ERROR. */
  async get(conversationId: string): Promise<Summaries> {
    const at = { conversationId, path: this.#fileOf(conversationId) };
    return readSummaries(await readJson(at.path), at);
  }

  /**
   * Stores a summary at its level and returns it. Durable when it resolves. If the stored summary is of the
   * present conversation and the new one is of an older state, the stored one is kept and returned: a slow
   * model must not replace a newer summary. Throws like `get`, and CONVERSATION_NOT_FOUND, LOCKED,
   * STORAGE_FULL, and with `isNew` CONFLICT, if a summarized message was changed or removed since it was read:
   * its text must not be stored again. Then nothing was changed. With `onlyIfAbsent`, a stored summary of any state is
   * kept and returned.
   */
  async put(
    conversationId: string,
    level: SummaryLevel,
    given: StoredSummary,
    { isNew = false, onlyIfAbsent = false }: PutOptions = {},
  ): Promise<Summary> {
    const { value: text } = await maskedBy(this.#options.masker, given.text);
    const summary = { ...given, text };
    const { conversations, logsFolder } = this.#options;
    const at = { conversationId, path: this.#fileOf(conversationId) };
    return withLock(locksFolderIn(logsFolder), conversationId, async (lock) => {
      const { messages } = await conversations.load(conversationId);
      const found = await readWhole(at.path);
      const file = found && parseDocument(found.bytes, at.path, 'CORRUPT');
      const stored = readSummaries(file, at)[level];
      const current = sourceHashOf(messages);
      if (stored?.sourceHash === current && summary.sourceHash !== current) return stored;
      if (onlyIfAbsent && stored !== undefined) return stored;
      if (isNew && !isOfBeginning(summary, messages)) throw changedMeanwhile(conversationId);
      const next = withSummary(file, { level, ...summary }, at);
      // If a person saved the file since it was read, nothing is written, and all of this runs again.
      await lock.replace(at.path, renderDocument(next), this.#options, { base: found?.stamp });
      const written = readSummaries(next, at)[level];
      if (written === undefined) throw new AppError('INTERNAL', 'The summary has no text.');
      return written;
    });
  }

  /** The failures of paid requests. Throws like `get`. */
  async failures(conversationId: string): Promise<PaidFailure[]> {
    const path = this.#fileOf(conversationId);
    return readFailures(await readJson(path), { path });
  }

  /** Durable when it resolves. Throws like `put`. */
  async addFailure(conversationId: string, failure: PaidFailure): Promise<void> {
    const { conversations, logsFolder } = this.#options;
    const at = { conversationId, path: this.#fileOf(conversationId) };
    await withLock(locksFolderIn(logsFolder), conversationId, async (lock) => {
      await conversations.load(conversationId);
      const found = await readWhole(at.path);
      const file = found && parseDocument(found.bytes, at.path, 'CORRUPT');
      const next = withFailure(file, failure, at);
      await lock.replace(at.path, renderDocument(next), this.#options, { base: found?.stamp });
    });
  }

  #fileOf(conversationId: string): string {
    return join(this.#options.conversations.path(conversationId), 'summaries.json');
  }
}

/** Whether the conversation still begins with the summarized messages. */
function isOfBeginning(
  { endMessageId, sourceHash }: StoredSummary,
  messages: readonly Message[],
): boolean {
  const end = messages.findIndex(({ id }) => id === endMessageId);
  return sourceHashOf(messages.slice(0, end + 1)) === sourceHash;
}

const changedMeanwhile = (conversationId: string): AppError =>
  new AppError('CONFLICT', `Messages of ${conversationId} were changed while it was summarized.`, {
    hint: 'The summary was not stored. Request it again.',
    details: { conversationId },
  });
