/**
 * What is in the logs folder: the head of every conversation, by id and by the caller's key.
 * Each entry is trusted only while the file's stamp agrees; a damaged file is remembered as such
 * and hides nothing else. Takes no lock: files are replaced as a whole.
 */
import { type AppError, isAppError } from '../../base/errors.js';
import { listFolders } from '../../files/folders.js';
import { isSameStamp, readStamp, type Stamp } from '../../files/stamp.js';
import type { ConversationFiles } from './conversation-files.js';
import { CONVERSATION_ID, type ConversationHead } from './schema.js';

/** Open files and stats under way at once; more gains nothing and costs file handles. */
const PARALLEL_READS = 32;

/** A file that is closed to us stays so; after any other failure it may be readable a moment later. */
const LASTING = new Set(['EACCES', 'EPERM', 'ELOOP', 'EISDIR']);

interface Entry {
  /** Absent where the file could not even be read: it is tried again at every pass. */
  stamp?: Stamp | undefined;
  head?: ConversationHead;
  damage?: AppError;
}

export class Catalogue {
  readonly #logsFolder: string;
  readonly #files: ConversationFiles;
  readonly #entries = new Map<string, Entry>();
  readonly #idsByKey = new Map<string, string>();
  #refreshing: Promise<void> | undefined;

  constructor(logsFolder: string, files: ConversationFiles) {
    this.#logsFolder = logsFolder;
    this.#files = files;
  }

  /** Heads in no order; damaged conversations are left out. */
  heads(): ConversationHead[] {
    return [...this.#entries.values()].flatMap(({ head }) => head ?? []);
  }

  damaged(): { conversationId: string; error: AppError }[] {
    return [...this.#entries].flatMap(([conversationId, { damage: error }]) =>
      error === undefined ? [] : [{ conversationId, error }],
    );
  }

  /**
   * Throws FILESYSTEM_ERROR where the last pass could not read a file for a reason that may pass:
   * it could hold any key, and a second conversation under that key would split the first.
   */
  assertComplete(): void {
    for (const { damage } of this.#entries.values()) {
      const errno = damage?.details?.['errno'];
      if (typeof errno === 'string' && !LASTING.has(errno)) throw damage;
    }
  }

  /** The conversation that carries this key, as far as is known without looking at the disk. */
  idOfKey(clientId: string): string | undefined {
    return this.#idsByKey.get(clientId);
  }

  /** A version that this process read or wrote itself. */
  note(stamp: Stamp, head: ConversationHead): void {
    this.forget(head.conversationId);
    this.#entries.set(head.conversationId, { stamp, head });
    const { clientId, conversationId } = head;
    if (clientId === undefined) return;
    // Two folders with one key, made by copying: the older one keeps it, in every process alike.
    const other = this.#idsByKey.get(clientId);
    if (other === undefined || conversationId < other) this.#idsByKey.set(clientId, conversationId);
  }

  /** Looks at every file's stamp and reads what changed. Calls that overlap share one pass. */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /** A pass that begins now: one already under way may have looked before the change in question. */
  async refreshAnew(): Promise<void> {
    await this.#refreshing;
    await this.refresh();
  }

  async #refresh(): Promise<void> {
    const names = await listFolders(this.#logsFolder);
    const ids = names.filter((name) => CONVERSATION_ID.test(name)).sort();
    const present = new Set(ids);
    for (const id of [...this.#entries.keys()]) if (!present.has(id)) this.forget(id);
    const next = ids.values();
    const workers = Array.from({ length: PARALLEL_READS }, async () => {
      for (const id of next) await this.#refreshOne(id);
    });
    await Promise.all(workers);
  }

  async #refreshOne(id: string): Promise<void> {
    let stamp: Stamp | undefined;
    try {
      stamp = await readStamp(this.#files.fileOf(id));
      if (stamp === undefined) return this.forget(id);
      const known = this.#entries.get(id)?.stamp;
      if (known !== undefined && isSameStamp(known, stamp)) return;
      const found = await this.#files.readUncached(id);
      if (found === undefined) this.forget(id);
      else this.note(found.stamp, found.document.head);
    } catch (error) {
      if (!isAppError(error)) throw error;
      this.forget(id);
      const isOfContent = error.code !== 'FILESYSTEM_ERROR';
      this.#entries.set(id, { damage: error, stamp: isOfContent ? stamp : undefined });
    }
  }

  /** For a conversation that this process removed. */
  forget(id: string): void {
    const clientId = this.#entries.get(id)?.head?.clientId;
    if (clientId !== undefined && this.#idsByKey.get(clientId) === id) {
      this.#idsByKey.delete(clientId);
    }
    this.#entries.delete(id);
  }
}
