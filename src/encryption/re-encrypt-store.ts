/**
 * Encrypts a store in place, decrypts it, or changes its key. Before the first file is changed, the marker
 * (`encryption.json`) records that the store is being converted: from then on all other processes refuse to
 * open the store and to write. Each file is replaced as a whole, so a killed process leaves each file
 * completely old or completely new, and the next run continues. After the last file, the marker records the
 * new state. Nothing is changed if this user may not read and replace every file.
 */
import { dirname } from 'node:path';
import { AppError, errorWith, isAppError, undefinedIfUnreadable } from '../base/errors.js';
import { countOf } from '../base/text/display-text.js';
import { type Durability, makeFolder, syncFolder } from '../files/atomic/atomic-write.js';
import { sweepTemporaries } from '../files/atomic/staging.js';
import { withLock } from '../files/locks/file-lock.js';
import { heldLocks } from '../files/locks/held-locks.js';
import { tryLease } from '../files/locks/lease.js';
import { sweepLocks } from '../files/locks/leftover-locks.js';
import { leasePathIn } from '../files/locks/lock-folders.js';
import { removeFile } from '../files/paths/folders.js';
import { assertReadable, assertWritable } from '../files/paths/write-access.js';
import { isSameStamp, readStampNow, type Stamp } from '../files/read/stamp.js';
import { type ListedFile, walkFiles } from '../files/read/walk-files.js';
import { readStored } from '../files/read/whole-file.js';
import { rewriteArchive } from '../files/rewrite-tar-archive.js';
import {
  addStore,
  isDocumentFile,
  isNeverSealedWhole,
  type StorePaths,
} from '../files/sealing/open-stores.js';
import { rewriteFile } from '../files/sealing/rewrite-file.js';
import { addKey } from '../files/sealing/sealed-form.js';
import { isArchiveName } from '../files/tar-archive.js';
import { looksLikeNote } from '../stores/memory-bank/note-path.js';
import { type GivenKey, type KnownKey, namedKey, newKey, type WantedKey } from './keys.js';
import { countSealed } from './lost-marker.js';
import { type Marker, readMarker, writeMarker } from './marker.js';
import { convertFile, type Keys } from './re-encrypt-file.js';
import { convertLines, hasOtherLines } from './re-encrypt-lines.js';

/** Larger files are not converted and are listed in the report. */
const MAX_BYTES = 2 ** 31;
const TEMPORARY = /(^|\/)\.tmp-[^/]*$/;
const UNPACKED = /(^|\/)\.tmp-/;

export interface ConversionOptions extends Durability {
  readonly logsFolder: string;
  readonly memoryBank: string;
  readonly paths: StorePaths;
  /** The folders of the write locks. */
  readonly locks: readonly string[];
  /** The present key of the store. */
  readonly current: GivenKey;
  /** The new key of the store; `undefined`: the store is decrypted. */
  readonly wanted: WantedKey | undefined;
  /** The archives of old conversations. The files in them are converted too. */
  readonly archives: { readonly folder: string; readonly contentsName: string };
  /** Folders with copies, such as backups. Only what interrupted writes left there is removed. */
  readonly copies: readonly string[];
  /** Writes the files of the graph again, with the new key. */
  saveGraph(): Promise<void>;
  onFile?(count: number): void;
  /** When it is aborted, the conversion ends after the present file. */
  readonly signal?: AbortSignal;
}

export interface ConversionReport {
  /** The number of files that were converted in this run. */
  readonly converted: number;
  /** The files that were not converted, each with the reason. */
  readonly left: readonly { readonly path: string; readonly reason: string }[];
  /** The id of the new key; absent if the store is not encrypted now. */
  readonly keyId?: string;
}

/**
 * Converts the store. Durable when it resolves. LOCKED if another process converts it, or a writer does not
 * end; DECRYPT if `current` is not the key of the store; VALIDATION_ERROR; CONFLICT if the opposite
 * conversion was started and not finished; CANCELLED, STORAGE_FULL, FILESYSTEM_ERROR.
 */
export async function convertStore(options: ConversionOptions): Promise<ConversionReport> {
  const { logsFolder } = options;
  const lease = await tryLease(leasePathIn(logsFolder, 'encryption'), options.signal);
  if (lease === undefined) {
    throw new AppError('LOCKED', 'Another process is encrypting or decrypting this store.');
  }
  const undo: (() => void)[] = [];
  try {
    const { marker } = readMarker(logsFolder);
    const { from, to } = await keysOf(marker, options);
    if (from) undo.push(addKey(from.key));
    undo.push(addStore({ paths: options.paths, key: to?.key }));
    if (from === undefined && to === undefined) return { converted: 0, left: [] };
    const conversion = new Conversion(options, { from: from?.key, to: to?.key, isChange: true });
    await conversion.assertAccess();
    const begun = { key: from?.facts ?? null, converting: { to: to?.facts ?? null } };
    await writeMarker(logsFolder, begun, options);
    const done = await waitForWriters(options)
      .then(() => conversion.run())
      .catch(async (error: unknown) => {
        throw await endedEarly(error, conversion.converted, marker, options);
      });
    await forgetStages(options);
    for (const folder of options.copies) await sweepTemporaries(folder);
    const left = to === undefined ? await keysLeft(options, from?.key.id, done.left.length) : [];
    await writeMarker(logsFolder, { key: to?.facts ?? null, left }, options);
    return { ...done, ...(to && { keyId: to.key.id }) };
  } finally {
    for (const step of undo.reverse()) step();
    await lease.release();
  }
}

/** The ids of the keys of the files that stay encrypted in a decrypted store. They do not make it unusable. */
async function keysLeft(
  { logsFolder, paths }: ConversionOptions,
  ofStore: string | undefined,
  count: number,
): Promise<string[]> {
  const { sealed } = await countSealed(logsFolder, paths);
  return [...new Set([...sealed, ...(count > 0 && ofStore !== undefined ? [ofStore] : [])])];
}

/**
 * If no file was converted, and no earlier run was interrupted, the marker from before is written again.
 * Otherwise the store can be used only when the next run has finished; the returned error says so.
 */
async function endedEarly(
  error: unknown,
  converted: number,
  before: Marker,
  options: ConversionOptions,
): Promise<unknown> {
  const isUndone =
    converted === 0 &&
    before.converting === undefined &&
    (await writeMarker(options.logsFolder, before, options).then(
      () => true,
      () => false,
    ));
  if (isUndone || !isAppError(error)) return error;
  const command = options.wanted === undefined ? 'decrypt' : 'encrypt';
  const next = error.code === 'CANCELLED' ? 'Run' : 'Remove the cause of this error, then run';
  return errorWith(error, {
    hint: `${countOf(converted, 'file was', 'files were')} converted, and the store cannot be used now. ${next} daybook ${command} again: it finishes the work.`,
    details: { ...error.details, converted },
  });
}

async function keysOf(
  { key, converting }: Marker,
  { current, wanted }: ConversionOptions,
): Promise<{ from?: KnownKey; to?: KnownKey }> {
  if (converting !== undefined && (converting.to === null) !== (wanted === undefined)) {
    throw new AppError('CONFLICT', 'The opposite command was started and not finished.', {
      hint: `Nothing was changed. First run daybook ${wanted === undefined ? 'encrypt' : 'decrypt'} until it has finished.`,
    });
  }
  const from = key === null ? undefined : await namedKey(key, withOther(current, wanted));
  if (wanted === undefined) return { ...(from && { from }) };
  const begun = converting?.to ? await namedKey(converting.to, wanted) : undefined;
  const to = begun ?? (await sameKey(from, wanted)) ?? (await newKey(wanted));
  return { ...(from && { from }), to };
}

/** If the same key is used again, the user gives it only once. */
const withOther = (current: GivenKey, wanted: GivenKey = {}): GivenKey => ({
  keyFile: current.keyFile ?? wanted.keyFile,
  passphrase: current.passphrase ?? wanted.passphrase,
  keychain: current.keychain,
});

async function sameKey(
  from: KnownKey | undefined,
  wanted: WantedKey,
): Promise<KnownKey | undefined> {
  if (from === undefined || wanted.keyFile !== undefined) return undefined;
  return undefinedIfUnreadable(namedKey(from.facts, wanted), 'DECRYPT');
}

/** Waits for the processes that acquired a lock before the marker was written. Later ones find the marker. */
async function waitForWriters({ locks }: ConversionOptions): Promise<void> {
  for (const folder of locks) {
    for (const { name } of await heldLocks(folder)) {
      await withLock(folder, name, () => Promise.resolve());
    }
    await sweepLocks(folder);
  }
}

/** Durably: these files are not converted, and must not reappear after a power cut. */
async function forgetStages({ locks, fsync }: ConversionOptions): Promise<void> {
  for (const folder of locks) {
    await sweepLocks(folder);
    await makeFolder(folder, { fsync });
    await syncFolder(folder, { fsync });
  }
}

class Conversion {
  readonly #options: ConversionOptions;
  readonly #keys: Keys;
  /** The stamps of the files that are done, or cannot be converted. */
  readonly #seen = new Map<string, Stamp | undefined>();
  readonly #left = new Map<string, string>();
  #converted = 0;

  constructor(options: ConversionOptions, keys: Keys) {
    this.#options = options;
    this.#keys = keys;
  }

  /** The number of files that were converted so far. */
  get converted(): number {
    return this.#converted;
  }

  /** FILESYSTEM_ERROR if this user may not read a file, or not write in its folder. */
  async assertAccess(): Promise<void> {
    const folders = new Set<string>();
    const files = [this.#files(), walkFiles(this.#options.archives.folder, () => false)];
    for (const listed of files) {
      for await (const { path, isPlain } of listed) {
        if (!isPlain || (isNeverSealedWhole(path) && !isDocumentFile(path))) continue;
        assertReadable(path);
        folders.add(dirname(path));
      }
    }
    for (const path of this.#options.paths.lineFiles) {
      if (readStampNow(path) === undefined) continue;
      assertReadable(path);
      folders.add(dirname(path));
    }
    for (const folder of folders) assertWritable(folder);
  }

  async run(): Promise<{ converted: number; left: { path: string; reason: string }[] }> {
    await this.#convertGraph();
    // Repeats until no file was converted, because people may add files meanwhile.
    let before: number;
    do {
      before = this.#converted;
      for await (const file of this.#files()) await this.#convert(file);
    } while (this.#converted > before);
    for await (const file of walkFiles(this.#options.archives.folder, () => false)) {
      await this.#convertArchive(file);
    }
    const left = [...this.#left].map(([path, reason]) => ({ path, reason }));
    return { converted: this.#converted, left };
  }

  async *#files(): AsyncGenerator<ListedFile> {
    const { logsFolder, memoryBank, paths } = this.#options;
    const isScaffold = (name: string) => /^\.(locks|leases|git)$/.test(name);
    yield* walkFiles(logsFolder, isScaffold);
    for await (const file of walkFiles(memoryBank, isScaffold)) {
      if (isOwnInBank(file.name)) yield file;
    }
    const { cacheFolder, cacheName } = paths;
    for await (const file of walkFiles(cacheFolder, () => false)) {
      if (file.name.includes(cacheName)) yield file;
    }
  }

  async #convert({ path, name, isPlain }: ListedFile): Promise<void> {
    this.#endIfStopped();
    const stamp = readStampNow(path);
    if (stamp === undefined || isSameStamp(this.#seen.get(path), stamp)) return;
    // No process writes such a file now, and a temporary file may contain plain text.
    if (TEMPORARY.test(name) || isIndexCache(path, this.#options.paths)) {
      await removeFile(path, this.#options);
      return;
    }
    if (isNeverSealedWhole(path) && !isDocumentFile(path)) return;
    if (!isPlain) return this.#leave(path, stamp, 'it is a link or not a regular file');
    await this.#rewriteOrLeave(path, (bytes) => convertFile(path, bytes, this.#keys));
  }

  async #convertArchive({ path, name, isPlain }: ListedFile): Promise<void> {
    this.#endIfStopped();
    // Also the conversations that a search had unpacked when it was killed.
    if (UNPACKED.test(name)) return removeFile(path, this.#options);
    if (!isPlain || !isArchiveName(path)) return;
    const { archives, fsync } = this.#options;
    const change = ({ name, bytes }: { name: string; bytes: Buffer }) => {
      if (isNeverSealedWhole(name) && !isDocumentFile(name)) return undefined;
      const converted = this.#convertArchived(path, name, bytes);
      return converted && Buffer.from(converted);
    };
    try {
      const { contentsName } = archives;
      if (!(await rewriteArchive(path, { contentsName, fsync, change }))) return;
    } catch (error) {
      if (!isAppError(error, 'CORRUPT', 'DECRYPT')) throw error;
      this.#left.set(path, error.message);
      return;
    }
    this.#converted += 1;
    this.#options.onFile?.(this.#converted);
  }

  /** Only what cannot be decrypted stays as it is, not the whole archive. */
  #convertArchived(path: string, name: string, bytes: Buffer): Uint8Array | undefined {
    try {
      return convertFile(name, bytes, this.#keys);
    } catch (error) {
      if (!isAppError(error, 'DECRYPT')) throw error;
      this.#left.set(`${path} (${name})`, error.message);
      return undefined;
    }
  }

  #endIfStopped(): void {
    if (this.#options.signal?.aborted) throw new AppError('CANCELLED', 'Stopped.');
  }

  #leave(path: string, stamp: Stamp | undefined, reason: string): void {
    this.#left.set(path, reason);
    this.#seen.set(path, stamp);
  }

  async #rewriteOrLeave(
    path: string,
    change: (bytes: Buffer) => Uint8Array | undefined,
  ): Promise<void> {
    const stamp = readStampNow(path);
    try {
      await this.#rewrite(path, change);
    } catch (error) {
      if (!isAppError(error, 'DECRYPT', 'TOO_LARGE')) throw error;
      this.#leave(path, stamp, error.message);
    }
  }

  async #rewrite(path: string, change: (bytes: Buffer) => Uint8Array | undefined): Promise<void> {
    const found = await readStored(path, MAX_BYTES);
    if (found === undefined) return;
    const bytes = change(found.bytes);
    const stamp = bytes && (await rewriteFile(path, bytes, found, this.#options));
    if (bytes === undefined) this.#seen.set(path, found.stamp);
    else {
      if (stamp !== undefined) this.#seen.set(path, stamp);
      this.#converted += 1;
      this.#options.onFile?.(this.#converted);
    }
  }

  async #convertGraph(): Promise<void> {
    const { to } = this.#keys;
    let hasOther = false;
    for (const path of this.#options.paths.lineFiles) {
      const text = (await readStored(path, MAX_BYTES))?.bytes.toString() ?? '';
      if (/\.sha256$/.test(path)) continue;
      if (!hasOtherLines(text, to)) continue;
      if (/rejects\.log$/.test(path)) {
        const change = (bytes: Buffer) => Buffer.from(convertLines(bytes.toString(), path, to));
        await this.#rewriteOrLeave(path, change);
      } else hasOther = true;
    }
    if (!hasOther) return;
    // Twice, because the first time keeps the old files as the previous generation.
    await this.#options.saveGraph();
    this.#converted += 1;
    await this.#options.saveGraph();
  }
}

/** Whether it is a file of Daybook. People may have other files in the folder of their notes. */
const isOwnInBank = (name: string) =>
  looksLikeNote(name) || /^(\.trash\/|insights\/[^/]*\.json$)/.test(name) || TEMPORARY.test(name);

/** Removed, because it is built again from the messages. Vectors cost more and are converted. */
const isIndexCache = (path: string, { cacheFolder }: StorePaths) =>
  path.startsWith(cacheFolder) && !/\.(vectors|owner)$/.test(path);
