/**
 * Earlier versions of a conversation: `versions/<number>.<UTC time>.<reason>.json` in its folder. Each is the
 * whole `conversation.json` before messages were changed or removed. A version is written under the
 * conversation's lock before the change. A crash between the two leaves a version that is equal to the
 * current file. Number, age and size of the versions are limited; the settings `keepVersions` and `versionDays`
 * (config/settings/retention-settings.ts) set number and age.
 */
import { join } from 'node:path';
import { runInSlices, TimeSlice } from '../../../base/async/time-slice.js';
import { compactTime, DAY_MS, isoOfCompact } from '../../../base/clock.js';
import { undefinedIfUnreadable } from '../../../base/errors.js';
import { addFile } from '../../../files/atomic/new-file-stream.js';
import { withLock } from '../../../files/locks/file-lock.js';
import { listFiles, removeEmptyFolder, removeFile } from '../../../files/paths/folders.js';
import { readStampNow } from '../../../files/read/stamp.js';
import type { ConversationDocument } from '../document/document.js';
import type { StoreCore, VersionLimits } from '../store-core.js';

/** What changed or removed the messages; `hand`: a person edited the file. */
export type VersionReason = 'edit' | 'delete' | 'import' | 'restore' | 'repair' | 'hand';

export interface VersionInfo {
  /** The numbers increase from 1. */
  readonly number: number;
  /** The time at which the version was stored and replaced (ISO 8601). */
  readonly keptAt: string;
  readonly reason: string;
  readonly sizeBytes: number;
  /** The path of the version's file. */
  readonly path: string;
}

/** For callers that have no settings; the settings are in config/settings/retention-settings.ts. */
const DEFAULT_LIMITS: VersionLimits = { count: 20, days: 90 };
export const VERSION_NAME = /^(\d{1,9})\.(\d{8}T\d{9}Z)\.([a-z]{1,20})\.json$/;

/** The size limit for all versions of one conversation together. The newest version may be larger. */
const MAX_BYTES = 64 * 1024 * 1024;
/**
 * A new version is compared with the last three, because another process may have stored the same version.
 */
const COMPARED_VERSIONS = 3;

export class VersionFiles {
  readonly #core: StoreCore;

  constructor(core: StoreCore) {
    this.#core = core;
    core.whenOverwritten((before) => {
      const { conversationId: id } = before.head;
      return withLock(core.locksFolder, id, async () => {
        // If it was deleted meanwhile, its folder must not be created again: `restore` needs the name.
        if (readStampNow(core.files.fileOf(id)) !== undefined) await this.store(id, before, 'hand');
      });
    });
  }

  folderOf(conversationId: string): string {
    return join(this.#core.files.folderOf(conversationId), 'versions');
  }

  /** The newest first. FILESYSTEM_ERROR. */
  async list(conversationId: string): Promise<VersionInfo[]> {
    const folder = this.folderOf(conversationId);
    if (readStampNow(folder) === undefined) return []; // most conversations have no versions
    const found: VersionInfo[] = [];
    for (const name of await listFiles(folder)) {
      const [, number, time = '', reason = ''] = VERSION_NAME.exec(name) ?? [];
      const keptAt = isoOfCompact(time);
      if (number === undefined || keptAt === undefined) continue;
      const path = join(folder, name);
      const sizeBytes = Number(readStampNow(path)?.size ?? 0);
      found.push({ number: Number(number), keptAt, reason, sizeBytes, path });
    }
    return found.sort((a, b) => b.number - a.number);
  }

  /** Returns the document of a version. CONVERSATION_CORRUPTED, FORMAT_TOO_NEW, DECRYPT. */
  async read(
    conversationId: string,
    { path }: VersionInfo,
  ): Promise<ConversationDocument | undefined> {
    return (await this.#core.files.readUncached(conversationId, path))?.document;
  }

  /**
   * Stores the document as a version. Must be called under the conversation's lock. Durable when it resolves.
   * Does nothing if one of the last versions has the same messages. STORAGE_FULL, FILESYSTEM_ERROR; then the
   * caller must not make its change.
   */
  async store(
    conversationId: string,
    document: ConversationDocument,
    reason: VersionReason,
  ): Promise<void> {
    const { clock, options } = this.#core;
    const { count } = this.#limits;
    if (count === 0) return;
    const versions = await this.list(conversationId);
    if (await this.#hasSame(conversationId, versions, document)) return;
    const number = (versions[0]?.number ?? 0) + 1;
    const name = `${String(number).padStart(4, '0')}.${compactTime(clock.now())}.${reason}.json`;
    await runInSlices(document.serialiseNew());
    const bytes = document.render(document.head);
    // If a person moved the folder of the conversation away meanwhile, it must not be created again.
    const { fsync } = options;
    const file = join(this.folderOf(conversationId), name);
    await addFile(file, bytes, { fsync, makesParents: false });
    await this.prune(conversationId);
  }

  /** Removes the versions beyond the limits. FILESYSTEM_ERROR. */
  async prune(conversationId: string): Promise<void> {
    const { count, days } = this.#limits;
    const oldest = days === 0 ? 0 : this.#core.clock.now() - days * DAY_MS;
    const versions = await this.list(conversationId);
    let sizeBytes = 0;
    for (const [index, version] of versions.entries()) {
      sizeBytes += version.sizeBytes;
      const isOver = index >= count || (index > 0 && sizeBytes > MAX_BYTES);
      if (isOver || Date.parse(version.keptAt) < oldest) await removeFile(version.path);
    }
    if (versions.length > 0) await removeEmptyFolder(this.folderOf(conversationId));
  }

  get #limits(): VersionLimits {
    return this.#core.options.versions ?? DEFAULT_LIMITS;
  }

  async #hasSame(
    conversationId: string,
    versions: readonly VersionInfo[],
    document: ConversationDocument,
  ): Promise<boolean> {
    for (const version of versions.slice(0, COMPARED_VERSIONS)) {
      // A damaged version does not count as a stored one.
      const found = await undefinedIfUnreadable(this.read(conversationId, version));
      if (found !== undefined && (await hasSameMessages(found, document))) return true;
    }
    return false;
  }
}

/** Compares in slices, because a long conversation has many messages. */
async function hasSameMessages(
  one: ConversationDocument,
  other: ConversationDocument,
): Promise<boolean> {
  const { messageCount } = one.head;
  if (messageCount !== other.head.messageCount) return false;
  const slice = new TimeSlice();
  for (let seq = 1; seq <= messageCount; seq += 1) {
    if (JSON.stringify(one.message(seq)) !== JSON.stringify(other.message(seq))) return false;
    if (slice.isSpent()) await slice.yield();
  }
  return true;
}
