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

interface Entry {
  stamp?: Stamp | undefined;
  head?: ConversationHead;
  damage?: AppError;
}

export class Catalogue {
  readonly #logsFolder: string;
  readonly #files: ConversationFiles;
  readonly #entries = new Map<string, Entry>();
  /** More than one id where a folder was copied. */
  readonly #idsByKey = new Map<string, Set<string>>();
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
   * The conversation that carries this key, as far as is known without looking at the disk.
   * Of two with one key the older has it, in every process alike.
   */
  idOfKey(clientId: string): string | undefined {
    const [first, ...others] = this.#idsByKey.get(clientId) ?? [];
    return others.reduce(
      (oldest, id) => (oldest !== undefined && oldest < id ? oldest : id),
      first,
    );
  }

  /** A version that this process read or wrote itself. */
  note(stamp: Stamp, head: ConversationHead): void {
    this.forget(head.conversationId);
    this.#entries.set(head.conversationId, { stamp, head });
    const { clientId, conversationId } = head;
    if (clientId === undefined) return;
    const ids = this.#idsByKey.get(clientId);
    if (ids === undefined) this.#idsByKey.set(clientId, new Set([conversationId]));
    else ids.add(conversationId);
  }

  /**
   * Looks at every file's stamp and reads what changed, all after the call: a pass that is under way
   * may have looked before the change in question. Calls that wait for one share the next.
   */
  async refresh(): Promise<void> {
    await this.#refreshing?.catch(() => undefined); // its own callers are told
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    await this.#refreshing;
  }

  async #refresh(): Promise<void> {
    const known = [...this.#entries.keys()]; // before the look: what this process makes meanwhile stays
    const names = await listFolders(this.#logsFolder);
    const ids = names.filter((name) => CONVERSATION_ID.test(name)).sort();
    const present = new Set(ids);
    for (const id of known) if (!present.has(id)) this.forget(id);
    const next = ids.values();
    const workers = Array.from({ length: PARALLEL_READS }, async () => {
      for (const id of next) await this.#refreshOne(id);
    });
    await Promise.all(workers);
  }

  async #refreshOne(id: string): Promise<void> {
    const known = this.#entries.get(id);
    const seen = await this.#look(id, known);
    // This process wrote meanwhile: what was seen may be older.
    if (seen === known || this.#entries.get(id) !== known) return;
    if (seen?.head !== undefined && seen.stamp !== undefined)
      return this.note(seen.stamp, seen.head);
    this.forget(id);
    if (seen !== undefined) this.#entries.set(id, seen);
  }

  /** `known` itself where nothing changed, `undefined` where there is no such file. */
  async #look(id: string, known: Entry | undefined): Promise<Entry | undefined> {
    let stamp: Stamp | undefined;
    try {
      stamp = await readStamp(this.#files.fileOf(id));
      if (stamp === undefined) return undefined;
      if (known?.stamp !== undefined && isSameStamp(known.stamp, stamp)) return known;
      const found = await this.#files.readUncached(id);
      return found && { stamp: found.stamp, head: found.document.head };
    } catch (error) {
      if (!isAppError(error)) throw error;
      // A lack of rights or of file handles passes without a change of the file: looked at again.
      return error.code === 'FILESYSTEM_ERROR' ? { damage: error } : { stamp, damage: error };
    }
  }

  /** For a conversation that this process removed. */
  forget(id: string): void {
    const clientId = this.#entries.get(id)?.head?.clientId;
    this.#entries.delete(id);
    if (clientId === undefined) return;
    const ids = this.#idsByKey.get(clientId);
    ids?.delete(id);
    if (ids?.size === 0) this.#idsByKey.delete(clientId);
  }
}
