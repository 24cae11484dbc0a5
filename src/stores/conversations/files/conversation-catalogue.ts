/**
 * The index of all conversations in memory: the head of each, by id, by client key and by time. Its base
 * class, the file catalogue, decides which files are read, and when.
 */
import { join } from 'node:path';
import type { AppError } from '../../../base/errors.js';
import {
  type CatalogueChange,
  FileCatalogue,
  type FileCatalogueOptions,
  type FoundFiles,
  readErrnoOf,
} from '../../../files/catalogue/file-catalogue.js';
import { entriesOf, listFolders } from '../../../files/paths/folders.js';
import { isSameStamp, readStamp, type Stamp } from '../../../files/read/stamp.js';
import { symlinkError } from '../../../files/safe-access/refusal-errors.js';
import { CONVERSATION_ID } from '../document/conversation-id.js';
import type { ConversationDocument } from '../document/document.js';
import type { ConversationHead } from '../document/schema.js';
import { NewestFirst } from '../listing/newest-first.js';
import type { ConversationFiles, Version } from './conversation-files.js';

/** After one of these errors the file probably stays unreadable; other errors are often temporary. */
const PERMANENT_ERRNOS = new Set(['EACCES', 'EPERM', 'ELOOP', 'EISDIR']);

export interface ConversationChange {
  readonly conversationId: string;
  /** The current document; absent if the conversation no longer exists or cannot be read. */
  readonly document?: ConversationDocument;
  /** Number of leading messages that are unchanged since the last notification. */
  readonly unchangedMessages: number;
}

type Options = FileCatalogueOptions<Version, ConversationHead>;
type CatalogueMemory = Required<Pick<Options, 'isInMemory' | 'onMissing'>> &
  Pick<Options, 'readCached'>;

export class ConversationCatalogue extends FileCatalogue<Version, ConversationHead> {
  /** Several ids if a folder was copied. */
  readonly #idsByKey = new Map<string, readonly string[]>();
  /** The keys of conversations that cannot be read any more, or do not exist any more. */
  readonly #lastKeys = new Map<string, string>();
  /** When the last message was said, and the version of the file in which it is the last. */
  readonly #lastMessages = new Map<string, { readonly stamp: Stamp; readonly at: string }>();
  readonly #newestFirst = new NewestFirst(this);
  readonly #list: () => Promise<FoundFiles>;

  constructor(
    logsFolder: string,
    files: ConversationFiles,
    { isInMemory, onMissing, readCached }: CatalogueMemory,
  ) {
    const list = () => listConversations(logsFolder, files);
    super({
      pathOf: (id) => files.fileOf(id),
      list,
      read: (id) => files.readUncached(id),
      isInMemory,
      onMissing,
      ...(readCached && { readCached }),
      describe: ({ document: { head } }) => ({ name: head.conversationId, summary: head }),
    });
    this.#list = list;
    this.onChange(({ name, version, previous }) => {
      this.#reindex(name, previous?.summary, version?.document.head);
      if (version === undefined) this.#lastMessages.delete(name);
      else this.setLastMessageAt(name, version.stamp, lastMessageAt(version.document));
    });
  }

  /** Reads the conversations that are not known yet. The others are not checked. */
  async refreshNew(): Promise<void> {
    const { names } = await this.#list();
    await this.refreshSome(names.filter((name) => this.entry(name) === undefined));
  }

  /** Calls `listener` with every later change; see `onChange`. Returns the unsubscribe function. */
  follow(listener: (change: ConversationChange) => unknown): () => void {
    return this.onChange((change) => listener(toConversationChange(change)));
  }

  head(conversationId: string): ConversationHead | undefined {
    return this.entry(conversationId)?.summary;
  }

  /** Of a cache; used only while the file has this stamp. */
  setLastMessageAt(conversationId: string, stamp: Stamp, at: string): void {
    this.#lastMessages.set(conversationId, { stamp, at });
  }

  /**
   * Returns the time of the last message, or of the creation if there is none, without disk access;
   * `undefined` if it is not known of the version in memory.
   */
  lastMessageAt(conversationId: string): string | undefined {
    const known = this.#lastMessages.get(conversationId);
    return isSameStamp(known?.stamp, this.entry(conversationId)?.stamp) ? known?.at : undefined;
  }

  /** Yields all readable heads with their stamps, for a cache. */
  *stamped(): Iterable<{ stamp: Stamp; head: ConversationHead }> {
    for (const [, { stamp, summary: head }] of this.entries()) {
      if (stamp !== undefined && head !== undefined) yield { stamp, head };
    }
  }

  /** Returns all readable heads, newest `updatedAt` first. A returned list never changes. */
  newestFirst(): readonly ConversationHead[] {
    return this.#newestFirst.list();
  }

  /**
   * Returns the id of the conversation with this key, as far as is known without disk access. If two
   * conversations have it, every process returns the older one.
   */
  idOfKey(clientId: string): string | undefined {
    const [first, ...others] = this.#idsByKey.get(clientId) ?? [];
    return others.reduce(
      (oldest, id) => (oldest !== undefined && oldest < id ? oldest : id),
      first,
    );
  }

  /** Returns all conversations that have this key, as far as is known. */
  idsOfKey(clientId: string): readonly string[] {
    return [...(this.#idsByKey.get(clientId) ?? [])].sort();
  }

  /** Returns the key that the conversation had when it could last be read, if it cannot be read now. */
  lastKeyOf(conversationId: string): string | undefined {
    return this.#lastKeys.get(conversationId);
  }

  /** Returns the conversations of `lastKeyOf` that had this key. */
  idsOfLastKey(clientId: string): readonly string[] {
    return [...this.#lastKeys].flatMap(([id, key]) => (key === clientId ? [id] : []));
  }

  duplicateKeys(): { clientId: string; conversationIds: readonly string[] }[] {
    return [...this.#idsByKey.keys()].flatMap((clientId) => {
      const conversationIds = this.idsOfKey(clientId);
      return conversationIds.length > 1 ? [{ clientId, conversationIds }] : [];
    });
  }

  /**
   * Throws FILESYSTEM_ERROR if the last pass could not read a file because of a temporary error. That file
   * may have the key that the caller wants to assign, and a key must not be given to two conversations.
   */
  assertComplete(): void {
    for (const { error } of this.damaged()) {
      const errno = readErrnoOf(error);
      if (errno !== undefined && !PERMANENT_ERRNOS.has(errno)) throw error;
    }
  }

  override seed(conversationId: string, stamp: Stamp, head: ConversationHead): boolean {
    const previous = this.head(conversationId);
    if (!super.seed(conversationId, stamp, head)) return false;
    this.#reindex(conversationId, previous, head);
    return true;
  }

  #reindex(id: string, before: ConversationHead | undefined, now: ConversationHead | undefined) {
    this.#newestFirst.changes(id, before);
    if (now !== undefined) this.#lastKeys.delete(id);
    else if (before?.clientId !== undefined) this.#lastKeys.set(id, before.clientId);
    if (before?.clientId === now?.clientId) return;
    if (before?.clientId !== undefined) {
      const others = this.#idsByKey.get(before.clientId)?.filter((other) => other !== id) ?? [];
      if (others.length === 0) this.#idsByKey.delete(before.clientId);
      else this.#idsByKey.set(before.clientId, others);
    }
    if (now?.clientId !== undefined) {
      const others = this.#idsByKey.get(now.clientId);
      // Most keys have one id. A list of exactly one element uses the least memory.
      this.#idsByKey.set(now.clientId, others === undefined ? [id] : [...others, id]);
    }
  }
}

/**
 * Lists the newest conversations first, because users ask for them first. A folder that is a link is refused.
 */
async function listConversations(
  logsFolder: string,
  files: ConversationFiles,
): Promise<FoundFiles> {
  const entries = await entriesOf(logsFolder);
  const named = entries.filter(({ name }) => CONVERSATION_ID.test(name));
  const folders = named.filter((entry) => entry.isDirectory());
  const links = named.filter((entry) => entry.isSymbolicLink());
  const refused = links.map(({ name }): [string, AppError] => [
    name,
    symlinkError(files.folderOf(name)),
  ]);
  const names = folders.map(({ name }) => name).sort();
  return { names: names.reverse(), refused: new Map(refused) };
}

/** Names of folders with a `conversation.json` that are not named like a conversation. FILESYSTEM_ERROR. */
export async function ignoredFolders(logsFolder: string): Promise<string[]> {
  const ignored: string[] = [];
  for (const name of await listFolders(logsFolder)) {
    if (name.startsWith('.') || CONVERSATION_ID.test(name)) continue;
    const stamp = await readStamp(join(logsFolder, name, 'conversation.json'));
    if (stamp !== undefined) ignored.push(name);
  }
  return ignored.sort();
}

const lastMessageAt = (document: ConversationDocument): string =>
  document.message(document.head.messageCount)?.createdAt ?? document.head.createdAt;

function toConversationChange({
  name,
  version,
  previous,
}: CatalogueChange<Version, ConversationHead>): ConversationChange {
  if (version === undefined) return { conversationId: name, unchangedMessages: 0 };
  const { document, appendedTo } = version;
  const isContinued = appendedTo !== undefined && isSameStamp(previous?.stamp, appendedTo.stamp);
  const unchangedMessages = isContinued ? appendedTo.messageCount : 0;
  return { conversationId: name, document, unchangedMessages };
}
