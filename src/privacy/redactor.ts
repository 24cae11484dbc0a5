/**
 * Replaces a text in all files of the store and in files that are derived from them. `find` lists the files
 * that contain it, and `redact` replaces it file by file, each as a whole and under its lock. If the process
 * is killed, `redact` can be repeated. Archives are written again. Caches that may contain the text are
 * removed; they are built again later.
 */
import { basename, dirname, relative, sep } from 'node:path';
import { systemClock } from '../base/clock.js';
import { AppError, isAppError } from '../base/errors.js';
import { parsedJson } from '../base/json.js';
import { isRecord } from '../base/json-fields.js';
import { atomicWrite, type Durability } from '../files/atomic/atomic-write.js';
import { withLock } from '../files/locks/file-lock.js';
import { sweepLocks } from '../files/locks/leftover-locks.js';
import { locksFolderIn } from '../files/locks/lock-folders.js';
import { BROKEN_PART } from '../files/paths/broken-names.js';
import { removeFile } from '../files/paths/folders.js';
import { isBelow } from '../files/paths/path-confinement.js';
import { assertWritable } from '../files/paths/write-access.js';
import { walkFiles } from '../files/read/walk-files.js';
import { readStored } from '../files/read/whole-file.js';
import { readArchiveDeeply, rewriteArchive } from '../files/rewrite-tar-archive.js';
import type { FileSealer } from '../files/sealing/file-sealer.js';
import { isDocumentFile } from '../files/sealing/open-stores.js';
import { SEALED_PART, SEALED_TEXT_START } from '../files/sealing/sealed-form.js';
import { isArchiveName } from '../files/tar-archive.js';
import { isSealed } from '../stores/conversations/document/parse-fields.js';
import type { GraphFiles } from '../stores/knowledge-graph/log/graph-files.js';
import { Redaction } from './redact-bytes.js';
import { withLaterUpdatedAt } from './updated-at.js';

export interface RedactorOptions extends Durability {
  readonly root: string;
  readonly logsFolder: string;
  readonly bankFolder: string;
  readonly locksFolders: readonly string[];
  /** Folders outside the root with data of the store, such as backups. */
  readonly otherFolders: readonly string[];
  readonly graph: GraphFiles;
  /** Files that can be built again, such as the caches of the indexes. */
  readonly derivedFiles: readonly string[];
  /** Folders whose files can all be built again. */
  readonly derivedFolders: readonly string[];
  /** The name of the list of contents in an archive. */
  readonly contentsName: string;
  /** Opens and seals the files of the store. */
  readonly sealer: FileSealer;
}

export interface FoundText {
  /** The absolute path. */
  readonly path: string;
  readonly count: number;
}

export interface Located {
  readonly files: readonly FoundText[];
  /** Files and folders whose name contains the text. They are not renamed. */
  readonly names: readonly string[];
  /** Files that could not be read, with the reason. */
  readonly unread: readonly { readonly path: string; readonly reason: string }[];
}

const inArchive = (path: string) => (entry: string) => `${path} (${entry})`;

/** Daybook never changes the `.git` folder. */
const NEVER_CHANGED = new Set(['.git']);
/** How the store is encrypted, and the checksum of the graph: a change would make the store unreadable. */
const HAS_NO_TEXT = /(^|[\\/])(encryption\.json|[^\\/]*\.sha256)$/;
const GRAPH = /(^|\/)kg_(snapshot|wal)(\.previous)?\.(json|log)$/;
const ID = /^\d{8}-\d{13}/;

export class Redactor {
  readonly #options: RedactorOptions;

  constructor(options: RedactorOptions) {
    this.#options = options;
  }

  /** Finds the files that contain the text. Changes nothing. FILESYSTEM_ERROR. */
  async find(text: string, signal: AbortSignal): Promise<Located> {
    const redaction = new Redaction(text, '');
    const files: FoundText[] = [];
    const names: string[] = [];
    const unread: { path: string; reason: string }[] = [];
    for await (const { path, name, isPlain } of this.#files()) {
      signal.throwIfAborted();
      if (name.includes(text)) names.push(path);
      if (!isPlain) continue;
      try {
        const entries: string[] = [];
        const count = await this.#countIn(path, redaction, entries);
        if (count > 0) files.push({ path, count });
        names.push(...entries.filter((entry) => entry.includes(text)).map(inArchive(path)));
      } catch (error) {
        if (!isAppError(error)) throw error;
        unread.push({ path, reason: error.message });
      }
    }
    return { files, names, unread };
  }

  /**
   * Replaces the text in these files, and removes derived files. Durable when it resolves. LOCKED,
   * STORAGE_FULL, FILESYSTEM_ERROR; then some files may be done, and the call can be repeated. Nothing is
   * changed if this user may not write in the folder of one of the files.
   */
  async redact(
    paths: readonly string[],
    text: string,
    replacement: string,
    { signal, onFile }: { signal: AbortSignal; onFile?(path: string): void },
  ): Promise<void> {
    const redaction = new Redaction(text, replacement);
    // Otherwise the first such folder would end the work halfway.
    for (const folder of new Set(paths.map(dirname))) assertWritable(folder);
    // Before the first file, so that no starting process reads an index that contains the text.
    await this.#removeDerived();
    // They may contain the temporary files of killed processes.
    for (const folder of this.#options.locksFolders) await sweepLocks(folder);
    for (const path of paths) {
      signal.throwIfAborted();
      if (isArchiveName(path)) await this.#redactArchive(path, redaction);
      else await this.#redactFile(path, redaction);
      onFile?.(path);
    }
    await this.#removeDerived();
  }

  /** Adds the names of the files in an archive to `entries`. */
  async #countIn(path: string, redaction: Redaction, entries: string[]): Promise<number> {
    if (!isArchiveName(path)) {
      const found = await readStored(path);
      const isGraph = this.#graphFiles().has(path);
      if (found === undefined) return 0;
      return this.#count(path, found.bytes, redaction, isGraph, requireOpen);
    }
    let count = 0;
    for await (const { name, bytes } of readArchiveDeeply(path)) {
      if (name === this.#options.contentsName) continue;
      entries.push(name);
      const isGraph = this.#isArchivedGraph(name);
      count += this.#count(name, Buffer.from(bytes), redaction, isGraph);
    }
    return count;
  }

  #count(
    path: string,
    stored: Buffer,
    redaction: Redaction,
    isGraph: boolean,
    check?: (path: string, opened: Buffer) => void,
  ): number {
    if (HAS_NO_TEXT.test(path)) return 0;
    const opened = this.#options.sealer.open(path, stored);
    check?.(path, opened);
    return redaction.countIn(opened, { isGraph });
  }

  async #redactFile(path: string, redaction: Redaction): Promise<void> {
    const { fsync } = this.#options;
    const isGraph = this.#graphFiles().has(path);
    const lock = this.#lockOf(path);
    if (lock === undefined) {
      const found = await readStored(path);
      if (found === undefined) return;
      const bytes = this.#redacted(path, found.bytes, redaction);
      await atomicWrite(path, bytes, { fsync }, found.stamp);
      return;
    }
    await withLock(lock.folder, lock.name, async (handle) => {
      const found = await readStored(path);
      if (found === undefined) return;
      const bytes = this.#redacted(path, found.bytes, redaction, isGraph);
      await handle.replace(path, bytes, { fsync }, { base: found.stamp });
    });
  }

  /** Redacts the files in an archive like other files. */
  async #redactArchive(path: string, redaction: Redaction): Promise<void> {
    const { contentsName, fsync } = this.#options;
    await rewriteArchive(path, {
      contentsName,
      fsync,
      change: ({ name, bytes }) => {
        const isGraph = this.#isArchivedGraph(name);
        const redacted = this.#redacted(name, bytes, redaction, isGraph);
        return redacted.equals(bytes) ? undefined : redacted;
      },
    });
  }

  /** Returns the redacted bytes, sealed if the stored bytes are sealed. */
  #redacted(path: string, stored: Buffer, redaction: Redaction, isGraph = false): Buffer {
    const { sealer } = this.#options;
    if (HAS_NO_TEXT.test(path)) return stored;
    const plain = sealer.open(path, stored);
    const redacted = redaction.apply(plain, { isGraph });
    if (redacted.equals(plain)) return stored;
    const isConversation = basename(path) === 'conversation.json';
    const content = isConversation ? withLaterUpdatedAt(redacted, systemClock.now()) : redacted;
    return sealer.like(path, stored, content);
  }

  async #removeDerived(): Promise<void> {
    const { derivedFiles, derivedFolders } = this.#options;
    for (const path of derivedFiles) await removeFile(path, this.#options);
    for (const folder of derivedFolders) {
      for await (const { path, isPlain } of walkFiles(folder, () => false)) {
        if (isPlain) await removeFile(path, this.#options);
      }
    }
  }

  #graphFiles(): ReadonlySet<string> {
    const { snapshot, wal, previousSnapshot, previousWal } = this.#options.graph;
    return new Set([snapshot, wal, previousSnapshot, previousWal]);
  }

  /** In an archive the files of the graph have their usual names. */
  #isArchivedGraph(name: string): boolean {
    return (
      [...this.#graphFiles()].some((path) => basename(path) === basename(name)) || GRAPH.test(name)
    );
  }

  /** Returns the lock under which Daybook writes the file; `undefined` for a file that it never changes. */
  #lockOf(path: string): { folder: string; name: string } | undefined {
    const { logsFolder, bankFolder, graph } = this.#options;
    if (this.#graphFiles().has(path)) return { folder: graph.locks, name: 'kg' };
    if (isBelow(path, logsFolder)) {
      const names = relative(logsFolder, path).split(sep);
      const id = names.map((name) => ID.exec(name)?.[0]).find((found) => found !== undefined);
      const name = id ?? (basename(path) === 'retention.json' ? 'retention' : 'state');
      return { folder: locksFolderIn(logsFolder), name };
    }
    if (!isBelow(path, bankFolder)) return undefined;
    const isInsight = basename(dirname(path)) === 'insights';
    const name = isInsight ? `insight-${basename(path).replace(/^\.?([^.]*).*$/, '$1')}` : 'notes';
    return { folder: locksFolderIn(bankFolder), name };
  }

  async *#files() {
    const { root, logsFolder, bankFolder, otherFolders, graph } = this.#options;
    const seen = new Set<string>();
    const isNew = ({ path }: { path: string }) => !seen.has(path) && seen.add(path);
    for (const folder of [root, logsFolder, bankFolder, ...otherFolders]) {
      const isLeftOut = (name: string) => NEVER_CHANGED.has(basename(name));
      for await (const file of walkFiles(folder, isLeftOut)) if (isNew(file)) yield file;
    }
    // The graph may be in a folder with files of other programs, such as the home folder.
    const own = new Set([...this.#graphFiles(), graph.rejects]);
    for (const folder of new Set([...own].map(dirname))) {
      const isLeftOut = (_name: string, path: string) => !own.has(path);
      for await (const file of walkFiles(folder, isLeftOut)) if (isNew(file)) yield file;
    }
  }
}

/** DECRYPT for a damaged conversation whose texts cannot be decrypted, so that it is reported as unread. */
function requireOpen(path: string, opened: Buffer): void {
  if (!isDocumentFile(path.replace(BROKEN_PART, ''))) return;
  if (!opened.includes(SEALED_TEXT_START)) return; // nearly all files; fast
  const value = parsedJson(opened.toString());
  if (isRecord(value) ? !isSealed(value) : !SEALED_PART.test(opened.toString('latin1'))) return;
  throw new AppError('DECRYPT', `${path} is damaged, and its texts are encrypted.`, {
    hint: 'Repair it with daybook doctor --repair, then run the command again.',
    details: { path },
  });
}
