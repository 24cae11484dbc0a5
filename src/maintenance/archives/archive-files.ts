/**
 * The archives of old conversations in `archive/`. The first of a month is
 * `conversations-<year>-<month>.tar.gz`; the names of the next ones end in `-2`, `-3` and so on. Each
 * contains the whole folders of conversations whose last message is of that month, and the same list of
 * checksums as a backup (docs/FORMAT.md). Only redact, encrypt and decrypt change an archive later.
 * archives.ts decides the month of a conversation.
 */
import { basename, join } from 'node:path';
import { AppError, isAppError, undefinedIfUnreadable } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { parsedJson } from '../../base/json.js';
import { isRecord, objectIn, objectsIn, textIn } from '../../base/json-fields.js';
import { type Durability, makeFolder } from '../../files/atomic/atomic-write.js';
import { sweepTemporariesBelow } from '../../files/atomic/left-temporaries.js';
import { writeNewFile } from '../../files/atomic/new-file-stream.js';
import { sweepTemporaries } from '../../files/atomic/staging.js';
import { listFiles } from '../../files/paths/folders.js';
import { keepOutOfGit } from '../../files/paths/git-ignore.js';
import { isSameStamp, readStampNow, type Stamp } from '../../files/read/stamp.js';
import { walkFiles } from '../../files/read/walk-files.js';
import { readStored } from '../../files/read/whole-file.js';
import { type FileSealer, plainSealer } from '../../files/sealing/file-sealer.js';
import { sealedDocumentKey } from '../../files/sealing/sealed-form.js';
import { archiveOf, readArchive } from '../../files/tar-archive.js';
import { BackupFiles, isNoData } from '../backup/backup-content.js';
import { CONTENTS_NAME, checkArchive } from '../check-archive.js';

export const ARCHIVE_NAME = /^conversations-(\d{4}-\d\d)(?:-(\d{1,4}))?\.tar\.gz$/;
/** The name of the folder in archives and backups. */
const AREA = 'conversation-logs';

export interface ArchiveOptions extends Durability {
  /** The absolute path. */
  readonly folder: string;
  readonly logsFolder: string;
  /** Opens the files of an encrypted store; absent if the store is not encrypted. */
  readonly sealer?: FileSealer;
}

export interface ArchivedConversation {
  /** The absolute path of the archive. */
  readonly path: string;
  readonly conversationId: string;
  readonly clientId?: string;
  readonly title?: string;
  /** `metadata.source` of the conversation, if it was imported, and of those that were merged into it. */
  readonly sources?: readonly unknown[];
  /** The id of the key that encrypts it, in a store that is not encrypted. */
  readonly keyId?: string;
}

/** The checksums of a conversation's files, by their names in its folder. */
export type Fingerprint = ReadonlyMap<string, string>;

interface KnownContent {
  readonly stamp: Stamp | undefined;
  readonly createdAt: string;
  readonly heads: readonly ArchivedConversation[];
  /** False if the archive is damaged. */
  readonly isWhole: boolean;
}

export class ArchiveFiles {
  readonly #options: ArchiveOptions;
  /** By path of an archive: what it contains, for callers that need it again soon. */
  readonly #known = new Map<string, KnownContent>();

  constructor(options: ArchiveOptions) {
    this.#options = options;
  }

  get #sealer(): FileSealer {
    return this.#options.sealer ?? plainSealer;
  }

  get folder(): string {
    return this.#options.folder;
  }

  /** Absolute paths: the latest month first, in it the newest first. FILESYSTEM_ERROR. */
  async paths(month?: string): Promise<string[]> {
    const names = (await listFiles(this.folder)).filter((name) => ARCHIVE_NAME.test(name));
    const ofMonth = names.filter((name) => !month || ARCHIVE_NAME.exec(name)?.[1] === month);
    return ofMonth.sort(compareNames).map((name) => join(this.folder, name));
  }

  /**
   * Like `paths`, but the archive that was made last first: it has the newest state of a conversation. Reads
   * all archives; one that cannot be read counts as the oldest. FILESYSTEM_ERROR.
   */
  async newestFirst(signal?: AbortSignal): Promise<string[]> {
    const made: { path: string; month: string; at: string }[] = [];
    for (const path of (await this.paths()).reverse()) {
      const month = monthOf(path);
      signal?.throwIfAborted();
      const at = (await undefinedIfUnreadable(this.#contentOf(path, signal)))?.createdAt ?? '';
      const before = made.at(-1);
      // In a month the numbers decide, also if the clock was set back between two archives.
      const isEarlier = before !== undefined && before.month === month && at < before.at;
      made.push({ path, month, at: isEarlier ? before.at : at });
    }
    return made
      .reverse()
      .sort((a, b) => (a.at < b.at ? 1 : a.at > b.at ? -1 : 0))
      .map(({ path }) => path);
  }

  async sizeBytes(): Promise<number> {
    const sizes = (await this.paths()).map((path) => Number(readStampNow(path)?.size ?? 0));
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** What the month's archives contain, by conversation. Each is read whole; damaged ones are ignored. */
  async contents(month: string, signal?: AbortSignal): Promise<Map<string, Fingerprint[]>> {
    const stored = new Map<string, Fingerprint[]>();
    for (const path of await this.paths(month)) {
      for (const [id, fingerprint] of await contentsOf(path, signal)) {
        stored.set(id, [...(stored.get(id) ?? []), fingerprint]);
      }
    }
    return stored;
  }

  /** Reads the archive back. Durable when it resolves. STORAGE_FULL, CORRUPT, FILESYSTEM_ERROR. */
  async make(
    month: string,
    ids: readonly string[],
    createdAt: string,
    signal?: AbortSignal,
  ): Promise<{ path: string; stored: ReadonlyMap<string, Fingerprint> }> {
    const { logsFolder } = this.#options;
    await makeFolder(this.folder, this.#options);
    await keepOutOfGit(this.folder, this.#options);
    await sweepTemporaries(this.folder);
    const areas = ids.map((id) => ({ name: `${AREA}/${id}`, folder: join(logsFolder, id) }));
    const content = new BackupFiles({ areas, singleFiles: [], createdAt, signal });
    const path = await this.#freePath(month);
    await writeNewFile(path, archiveOf(content.read()), {
      fsync: this.#options.fsync,
      signal,
      check: (stage) => content.requireWritten(stage, signal),
    });
    return { path, stored: byConversation(content.files) };
  }

  /**
   * Checksums of the files. Removes the temporary files of ended processes. FILESYSTEM_ERROR if a file cannot be
   * read, CONFLICT if an archive would not contain it; then do not archive the conversation.
   */
  async fingerprint(conversationId: string): Promise<Fingerprint> {
    const found = new Map<string, string>();
    const folder = join(this.#options.logsFolder, conversationId);
    await sweepTemporariesBelow(folder);
    for await (const { name, path } of walkFiles(folder, () => false)) {
      if (isNoData(name) || isNoData(name.replace(/\/.*$/, ''))) throw notArchived(path);
      const file = await readStored(path); // the same bytes as in the archive
      if (file !== undefined) found.set(name, sha256Hex(file.bytes));
    }
    return found;
  }

  /** Reads the whole archive; what comes before damage is returned. FILESYSTEM_ERROR. */
  async heads(path: string, signal?: AbortSignal): Promise<readonly ArchivedConversation[]> {
    return (await this.#contentOf(path, signal)).heads;
  }

  /** The archives that cannot be read to their end. Reads those that were not read yet. FILESYSTEM_ERROR. */
  async damaged(signal?: AbortSignal): Promise<string[]> {
    const damaged: string[] = [];
    for (const path of await this.paths())
      if (!(await this.#contentOf(path, signal)).isWhole) damaged.push(path);
    return damaged;
  }

  async #contentOf(path: string, signal?: AbortSignal): Promise<KnownContent> {
    const stamp = readStampNow(path);
    const known = this.#known.get(path);
    if (known !== undefined && isSameStamp(known.stamp, stamp)) return known;
    const heads: ArchivedConversation[] = [];
    let createdAt = ''; // of a damaged archive: it counts as the oldest
    let isWhole = true;
    try {
      for await (const { name, bytes } of readArchive(path)) {
        signal?.throwIfAborted();
        if (name === CONTENTS_NAME) createdAt = createdAtOf(bytes);
        const [, conversationId = '', file] = name.split('/');
        if (file !== 'conversation.json') continue;
        heads.push({ path, conversationId, ...this.#namesIn(name, bytes) });
      }
    } catch (error) {
      if (!isAppError(error, 'CORRUPT', 'DECRYPT')) throw error;
      isWhole = false;
    }
    const content = { stamp, createdAt, heads, isWhole };
    this.#known.set(path, content);
    return content;
  }

  /** Of a conversation that cannot be decrypted only the id is known; those after it are read. */
  #namesIn(name: string, bytes: Uint8Array): Omit<ArchivedConversation, 'path' | 'conversationId'> {
    const stored = Buffer.from(bytes);
    const keyId = this.#sealer === plainSealer ? sealedDocumentKey(stored) : undefined;
    if (keyId !== undefined) return { keyId };
    try {
      return namesIn(this.#sealer.open(name, stored));
    } catch (error) {
      if (!isAppError(error, 'DECRYPT')) throw error;
      return {};
    }
  }

  async #freePath(month: string): Promise<string> {
    const taken = new Set(await this.paths(month));
    for (let n = 1; ; n += 1) {
      const path = join(this.folder, `conversations-${month}${n === 1 ? '' : `-${n}`}.tar.gz`);
      if (!taken.has(path)) return path;
    }
  }
}

const notArchived = (path: string): AppError =>
  new AppError(
    'CONFLICT',
    `An archive would not contain ${path}. Move it to another place first.`,
    {
      details: { path },
    },
  );

/** Returns the checksums by conversation; none for a damaged archive, which must not be relied on. */
async function contentsOf(path: string, signal?: AbortSignal) {
  const checked = await undefinedIfUnreadable(checkArchive(path, signal));
  return byConversation(checked?.files ?? []);
}

function byConversation(files: readonly { name: string; sha256: string }[]) {
  const found = new Map<string, Map<string, string>>();
  for (const { name, sha256 } of files) {
    const [area, id = '', ...rest] = name.split('/');
    if (area !== AREA || rest.length === 0) continue;
    found.set(id, (found.get(id) ?? new Map()).set(rest.join('/'), sha256));
  }
  return found;
}

/** When the archive was made, from its list of contents; empty if the list is damaged. */
function createdAtOf(contents: Uint8Array): string {
  const value = parsedJson(Buffer.from(contents).toString());
  return textIn(objectIn(value)['createdAt']) ?? '';
}

/** The client key, the title and the sources in a conversation file; none for a damaged file. */
function namesIn(bytes: Uint8Array): Pick<ArchivedConversation, 'clientId' | 'title' | 'sources'> {
  const value = parsedJson(Buffer.from(bytes).toString());
  if (!isRecord(value)) return {};
  const { clientId, title, metadata } = value;
  const imported = [objectIn(metadata), ...objectsIn(objectIn(metadata)['mergedFrom'])];
  const sources = imported.flatMap(({ source }) => source ?? []);
  return {
    ...(typeof clientId === 'string' && { clientId }),
    ...(typeof title === 'string' && { title }),
    ...(sources.length > 0 && { sources }),
  };
}

export const isSameContent = (a: Fingerprint, b: Fingerprint): boolean =>
  a.size === b.size && [...a].every(([name, sha256]) => b.get(name) === sha256);

const monthOf = (path: string): string => ARCHIVE_NAME.exec(basename(path))?.[1] ?? '';

function compareNames(a: string, b: string): number {
  const [, monthA = '', numberA = '1'] = ARCHIVE_NAME.exec(a) ?? [];
  const [, monthB = '', numberB = '1'] = ARCHIVE_NAME.exec(b) ?? [];
  if (monthA !== monthB) return monthA < monthB ? 1 : -1;
  return Number(numberB) - Number(numberA);
}
