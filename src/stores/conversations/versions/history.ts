/** Lists, reads and restores earlier versions of a conversation. */
import { isoTime } from '../../../base/clock.js';
import { AppError, appErrorOf } from '../../../base/errors.js';
import { readStampNow } from '../../../files/read/stamp.js';
import { requirePresent } from '../../../files/store-presence.js';
import { notFound } from '../conversation-errors.js';
import type { Revision } from '../document/apply-revision.js';
import { metadataAfterRestore } from '../document/import-mark.js';
import type { Conversation, ConversationHead } from '../document/schema.js';
import { idOf } from '../key-lookup.js';
import type { StoreCore } from '../store-core.js';
import type { ConversationWriter } from '../writing/writer.js';
import type { VersionFiles, VersionInfo } from './version-files.js';

export interface Versions {
  readonly conversationId: string;
  /** The newest first. */
  readonly versions: readonly VersionInfo[];
}

export interface DamagedVersion {
  readonly path: string;
  /** Why it cannot be read. */
  readonly error: AppError;
}

export class History {
  readonly #core: StoreCore;
  readonly #writer: ConversationWriter;
  readonly #files: VersionFiles;

  constructor(core: StoreCore, writer: ConversationWriter, files: VersionFiles) {
    this.#core = core;
    this.#writer = writer;
    this.#files = files;
  }

  /** CONVERSATION_NOT_FOUND, STORAGE_UNAVAILABLE, FILESYSTEM_ERROR. */
  async list(ref: string): Promise<Versions> {
    const conversationId = await idOf(this.#core, ref);
    if (conversationId === undefined) throw notFound(ref);
    const path = this.#core.files.fileOf(conversationId);
    requirePresent(path);
    if (readStampNow(path) === undefined) throw notFound(ref);
    return { conversationId, versions: await this.#files.list(conversationId) };
  }

  /**
   * Returns the conversation as it was. VALIDATION_ERROR if there is no such version, and what `load` throws.
   */
  async read(ref: string, number: number): Promise<Conversation> {
    const { conversationId, versions } = await this.list(ref);
    const version = versions.find((each) => each.number === number);
    const document = version && (await this.#files.read(conversationId, version));
    if (document === undefined) throw noVersion(conversationId, number, versions);
    return document.snapshot();
  }

  /** Returns the versions of this id that cannot be read. FILESYSTEM_ERROR if their folder cannot be listed. */
  async damaged(conversationId: string): Promise<DamagedVersion[]> {
    const damaged: DamagedVersion[] = [];
    for (const version of await this.#files.list(conversationId)) {
      const error = await appErrorOf(() => this.#files.read(conversationId, version));
      if (error !== undefined) damaged.push({ path: version.path, error });
    }
    return damaged;
  }

  /**
   * Replaces the messages by those of a version. The current messages become a new version. A title that
   * was derived from a message is derived again; a given title, tags and other fields do not change. Durable
   * when it resolves. Throws like `read` and `append`.
   */
  async restore(ref: string, number: number): Promise<ConversationHead> {
    const version = await this.read(ref, number);
    const { conversationId, messages } = version;
    const updatedAt = isoTime(this.#core.clock.now());
    const decide = (current: Conversation): Revision => {
      const metadata = metadataAfterRestore(current, version);
      const title = current.titleFrom !== undefined && { title: undefined };
      return { messages, updatedAt, fields: { ...title, ...(metadata && { metadata }) } };
    };
    return this.#writer.revise(conversationId, decide, 'restore');
  }
}

function noVersion(
  conversationId: string,
  number: number,
  versions: readonly VersionInfo[],
): AppError {
  const numbers = versions.map((version) => version.number);
  const there =
    numbers.length === 0
      ? 'It has no earlier versions.'
      : `Its versions are ${numbers.join(', ')}.`;
  return new AppError('VALIDATION_ERROR', `${conversationId} has no version ${number}. ${there}`, {
    hint: 'Use one of the existing versions. Daybook stores a version when messages are changed or removed, and deletes old versions.',
    details: { conversationId, versions: numbers, missing: number },
  });
}
