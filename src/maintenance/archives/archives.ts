/**
 * Moves old conversations to monthly archives, and restores them. A conversation is removed from the logs
 * folder only if an archive, which was read back, contains exactly its files; this is compared under its
 * lock. If the process is killed, the conversation stays in the logs folder, and may also be in an archive.
 * The next run detects this and only removes it.
 */
import { basename, join } from 'node:path';
import { type Clock, isoTime } from '../../base/clock.js';
import { AppError, isAppError } from '../../base/errors.js';
import { isSameJson } from '../../base/json.js';
import { atomicWrite, makeFolder } from '../../files/atomic/atomic-write.js';
import { temporaryName } from '../../files/atomic/staging.js';
import { tryLease } from '../../files/locks/lease.js';
import { leasePathIn } from '../../files/locks/lock-folders.js';
import { removeFolder } from '../../files/paths/folders.js';
import { readStored } from '../../files/read/whole-file.js';
import { idTaken } from '../../stores/conversations/conversation-errors.js';
import type { Restored } from '../../stores/conversations/conversation-trash.js';
import type { ConversationStore } from '../../stores/conversations/conversations.js';
import { CLIENT_ID, CONVERSATION_ID } from '../../stores/conversations/document/conversation-id.js';
import { MARKER_NAME } from '../restore/encrypted-archive.js';
import { isOfConversation } from '../restore/restorable-files.js';
import { restoreArchive } from '../restore/restore-archive.js';
import { type Candidate, chooseByRules } from '../retention/prunable-conversations.js';
import type { PruneRule } from '../retention/rule-schema.js';
import { type Skipped, skipReasonOf } from '../skipped-conversations.js';
import {
  type ArchivedConversation,
  ArchiveFiles,
  type ArchiveOptions,
  type Fingerprint,
  isSameContent,
} from './archive-files.js';

/** Restored last: a conversation exists as soon as its file does. `job.json` is its research run. */
const LAST = new Set(['conversation.json', 'job.json']);
const MARKER = basename(MARKER_NAME);

export interface ArchivesOptions extends ArchiveOptions {
  readonly conversations: ConversationStore;
  /** Throws STORAGE_FULL if the store would exceed its limit with `moreBytes` more. */
  readonly requireRoom?: (moreBytes: number) => Promise<void>;
  readonly clock: Clock;
}

export interface ArchiveReport {
  /** The paths of the new archives. */
  readonly made: readonly string[];
  /** The ids of the archived conversations. */
  readonly archived: readonly string[];
  /** Not archived: the conversation was changed, pinned or deleted since, or a research run is active. */
  readonly skipped: readonly Skipped[];
}

export interface Unpacked extends Restored {
  /** Files that are not of Daybook, such as those of a file manager: they are only in the archive. */
  readonly notRestored?: { readonly archive: string; readonly files: readonly string[] };
}

type MutableReport = { [K in keyof ArchiveReport]: ArchiveReport[K][number][] };

export class Archives {
  readonly #options: ArchivesOptions;
  readonly #files: ArchiveFiles;

  constructor(options: ArchivesOptions) {
    this.#options = options;
    this.#files = new ArchiveFiles(options);
  }

  get folder(): string {
    return this.#files.folder;
  }

  /** Returns the conversations that would be archived, the one with the oldest last message first. */
  choose(rule: PruneRule, signal?: AbortSignal): Promise<Candidate[]> {
    const { conversations, clock } = this.#options;
    return chooseByRules(conversations, [rule], clock.now(), { signal });
  }

  /**
   * Archives the conversations. Durable when it resolves. LOCKED while another process archives.
   * STORAGE_FULL, CORRUPT, FILESYSTEM_ERROR; then the remaining conversations are unchanged.
   */
  async archive(candidates: readonly Candidate[], signal?: AbortSignal): Promise<ArchiveReport> {
    const lease = await tryLease(leasePathIn(this.#options.logsFolder, 'archive'), signal);
    if (lease === undefined) {
      throw new AppError('LOCKED', 'Another process is archiving conversations of this store.', {
        hint: 'Nothing was done. Try again when it has ended.',
      });
    }
    const report: MutableReport = { made: [], archived: [], skipped: [] };
    try {
      const monthOf = ({ lastMessageAt }: Candidate) => lastMessageAt.slice(0, 7);
      for (const month of new Set(candidates.map(monthOf))) {
        const ofMonth = candidates.filter((candidate) => monthOf(candidate) === month);
        await this.#archiveMonth(month, ofMonth, report, signal);
      }
    } finally {
      await lease.release();
    }
    return report;
  }

  /**
   * Restores a conversation from an archive by its id or client key; returns `undefined` if no archive
   * contains it. The archive is not changed. ALREADY_EXISTS, STORAGE_FULL, FILESYSTEM_ERROR, CORRUPT, DECRYPT;
   * then the conversation was not restored.
   */
  async restore(ref: string, signal?: AbortSignal): Promise<Unpacked | undefined> {
    if (!CONVERSATION_ID.test(ref) && !CLIENT_ID.test(ref)) return undefined;
    const { conversations, logsFolder } = this.#options;
    const found = await this.#find(ref, signal);
    if (found === undefined) return undefined;
    const { path, conversationId, clientId, isHere, keyId } = found;
    if (isHere) throw idTaken(conversationId, `the whole archive ${path}`);
    if (keyId !== undefined) throw encryptedArchive(conversationId, path, keyId);
    const others = new Set<string>();
    const only = (name: string) => {
      if (!name.startsWith(`conversation-logs/${conversationId}/`)) return false;
      if (isOfConversation(name)) return true;
      others.add(name);
      return false;
    };
    const add = async () => {
      const report = await restoreArchive(path, {
        ...this.#options,
        into: [{ name: 'conversation-logs', folder: logsFolder }],
        only,
        // Until the conversation exists, an interrupted restore can be repeated.
        last: (name) => LAST.has(name.split('/').slice(2).join('/')),
        dryRun: false,
        signal,
      });
      const [refused] = report.refused;
      if (refused !== undefined) throw new AppError(refused.code, refused.reason);
    };
    const restored = { conversationId, ...(clientId && { clientId }) };
    const droppedKey = await conversations.addRestored(restored, add);
    return {
      conversationId,
      ...(droppedKey !== undefined && { droppedKey }),
      ...(others.size > 0 && { notRestored: { archive: path, files: [...others] } }),
    };
  }

  /**
   * Returns the id of the archived conversation with this id or client key, unless it was restored. `undefined`
   * also if the archives are larger than `maxBytes`, because reading them takes seconds. FILESYSTEM_ERROR.
   */
  async idOf(ref: string, maxBytes: number): Promise<string | undefined> {
    if ((await this.#files.sizeBytes()) > maxBytes) return undefined;
    const found = await this.#find(ref, undefined);
    return found?.isHere ? undefined : found?.conversationId;
  }

  /** The number of archives. FILESYSTEM_ERROR. */
  async count(): Promise<number> {
    return (await this.#files.paths()).length;
  }

  /**
   * Returns the conversations of all archives; one that is in several archives with the path of the one made
   * last. Reads all archives, so that it can take seconds. FILESYSTEM_ERROR.
   */
  async list(signal?: AbortSignal): Promise<ArchivedConversation[]> {
    const found = new Map<string, ArchivedConversation>();
    for (const path of await this.#files.newestFirst(signal)) {
      for (const head of await this.#files.heads(path, signal)) {
        if (!found.has(head.conversationId)) found.set(head.conversationId, head);
      }
    }
    return [...found.values()];
  }

  /** See `ArchiveFiles.damaged`. */
  damaged(signal?: AbortSignal): Promise<string[]> {
    return this.#files.damaged(signal);
  }

  /**
   * Runs `work` with a temporary logs folder that contains the conversations of all archives. The folder is
   * in `archive/` and is removed afterwards. `problems`: the errors of archives that cannot be read.
   */
  async unpacked<T>(
    work: (logsFolder: string, problems: readonly AppError[]) => Promise<T>,
    signal?: AbortSignal,
  ): Promise<T> {
    const folder = join(this.folder, temporaryName());
    const problems: AppError[] = [];
    const paths = await this.#files.newestFirst(signal);
    if (paths.length === 0) return work(folder, problems);
    await makeFolder(folder, { fsync: false });
    try {
      for (const path of paths) {
        const into = [{ name: 'conversation-logs', folder }];
        try {
          await restoreArchive(path, { into, dryRun: false, fsync: false, signal });
        } catch (error) {
          if (!isAppError(error) || error.code === 'STORAGE_FULL') throw error;
          problems.push(error);
        }
      }
      await this.#markSealed(folder);
      return await work(folder, problems);
    } finally {
      await removeFolder(folder);
    }
  }

  /** Copies the marker of the store, because the archived files are sealed with the same key. */
  async #markSealed(folder: string): Promise<void> {
    const marker = await readStored(join(this.#options.logsFolder, MARKER));
    if (marker === undefined) return;
    await atomicWrite(join(folder, MARKER), marker.bytes, { fsync: false });
  }

  async #archiveMonth(
    month: string,
    candidates: readonly Candidate[],
    report: MutableReport,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    signal?.throwIfAborted();
    const stored = await this.#files.contents(month, signal);
    const fresh: string[] = [];
    for (const { head } of candidates) {
      const now = await this.#fingerprint(head.conversationId, report);
      if (now === undefined) continue;
      const isStored =
        stored.get(head.conversationId)?.some((each) => isSameContent(each, now)) ?? false;
      if (!isStored) fresh.push(head.conversationId);
    }
    if (fresh.length > 0) {
      const createdAt = isoTime(this.#options.clock.now());
      const made = await this.#files.make(month, fresh, createdAt, signal);
      report.made.push(made.path);
      for (const [id, fingerprint] of made.stored)
        stored.set(id, [...(stored.get(id) ?? []), fingerprint]);
    }
    const isSkipped = new Set(report.skipped.map(({ conversationId }) => conversationId));
    for (const { head } of candidates) {
      if (isSkipped.has(head.conversationId)) continue;
      await this.#remove(head, stored.get(head.conversationId) ?? [], report);
    }
  }

  /** Returns `undefined`, and adds the conversation to the skipped ones, if a file cannot be read. */
  async #fingerprint(
    conversationId: string,
    report: MutableReport,
  ): Promise<Fingerprint | undefined> {
    try {
      return await this.#files.fingerprint(conversationId);
    } catch (error) {
      if (!isAppError(error)) throw error;
      report.skipped.push({ conversationId, reason: error.message });
      return undefined;
    }
  }

  /** Removes the conversation from the logs folder if it is the chosen one, unchanged, and is archived. */
  async #remove(
    chosen: Candidate['head'],
    stored: readonly Fingerprint[],
    report: MutableReport,
  ): Promise<void> {
    const { conversationId } = chosen;
    const isArchived = async (head: object) => {
      if (!isSameJson(head, chosen)) return false;
      const now = await this.#files.fingerprint(conversationId);
      return now.size > 0 && stored.some((each) => isSameContent(each, now));
    };
    const reason = await skipReasonOf(async () => {
      const { conversations } = this.#options;
      const removed = await conversations.trashIf(conversationId, isArchived, {
        permanent: true,
      });
      return removed !== undefined;
    });
    if (reason === undefined) report.archived.push(conversationId);
    else report.skipped.push({ conversationId, reason });
  }

  /**
   * Returns the conversation in the archive made last that contains it. Several can have the same key, so one that
   * is not in the store comes first. `isHere`: whether it is in the store.
   */
  async #find(ref: string, signal: AbortSignal | undefined) {
    let restored: (ArchivedConversation & { readonly isHere: boolean }) | undefined;
    for (const path of await this.#files.newestFirst(signal)) {
      for (const head of await this.#files.heads(path, signal)) {
        if (![head.conversationId, head.clientId].includes(ref)) continue;
        const isHere = await this.#options.conversations.exists(head.conversationId);
        if (!isHere) return { ...head, isHere };
        restored ??= { ...head, isHere };
      }
    }
    return restored;
  }
}

const encryptedArchive = (id: string, path: string, keyId: string): AppError =>
  new AppError(
    'DECRYPT',
    `The archived conversation ${id} in ${path} is encrypted with the key ${keyId}, but this store is not encrypted.`,
    {
      hint: 'Nothing was restored. Restore it in a store that is encrypted with this key.',
      details: { path, keyId },
    },
  );
