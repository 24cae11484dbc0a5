/**
 * The registry of the stores that this process has open, by their folders. Every write below these folders
 * uses it: it checks whether the file may be written (another process may be encrypting the store), and
 * seals the bytes if the store is encrypted. So the stores themselves need no code for encryption.
 */
import { AppError } from '../../base/errors.js';
import { isBelow } from '../paths/path-confinement.js';
import { isSameStamp, readStampNow, type Stamp } from '../read/stamp.js';
import type { CipherKey } from './cipher.js';
import { addKey, sealedFileKey, sealFile, sealLine } from './sealed-form.js';

/** Files that are never sealed: they have no private content, or other programs must read them. */
const OWN_FORM = /(^|[/\\])(encryption\.json|\.gitignore|\.gitattributes|[^/\\]*\.owner)$/;
/** Conversations and their earlier versions, whose texts are sealed one by one. */
const DOCUMENT = /(^|[/\\])(conversation|versions[/\\][^/\\]+)\.json$/;

/** Files that an import copied beside a conversation. They may have any name. */
const ATTACHMENT = /(^|[/\\])\d{8}-\d{13}[^/\\]*[/\\]attachments[/\\]/;

export interface StorePaths {
  /** Files below these folders are sealed. All paths here are absolute. */
  readonly sealed: readonly string[];
  /** Files below these folders are not sealed, but nothing is written there while the store is converted. */
  readonly guarded: readonly string[];
  /** Files below `cacheFolder` with `cacheName` in their path are sealed. */
  readonly cacheFolder: string;
  readonly cacheName: string;
  /** The files of the knowledge graph. Their lines are sealed one by one. */
  readonly lineFiles: readonly string[];
}

export interface OpenStore {
  readonly paths: StorePaths;
  /** Absent if the store is not encrypted. */
  readonly key?: CipherKey | undefined;
  /**
   * The file that records the key of the store. If it changes, nothing is written any more. Absent for the
   * process that encrypts or decrypts the store.
   */
  readonly marker?: StoreMarker;
}

interface StoreMarker {
  readonly path: string;
  /** The stamp of the version that was read last. */
  stamp: Stamp | undefined;
  /** LOCKED if the store has another key now, or is being converted. */
  readonly readAgain: () => Stamp | undefined;
}

/** The store that was opened last is the first. */
const stores: OpenStore[] = [];

/** Registers a store, until the returned function is called. */
export function addStore(store: OpenStore): () => void {
  stores.unshift(store);
  const removeKey = store.key && addKey(store.key);
  return () => {
    const at = stores.indexOf(store);
    if (at !== -1) stores.splice(at, 1);
    removeKey?.();
  };
}

const isSealedPath = ({ sealed, lineFiles, cacheFolder, cacheName }: StorePaths, path: string) =>
  sealed.some((folder) => isBelow(path, folder)) ||
  lineFiles.includes(path) ||
  (isBelow(path, cacheFolder) && path.slice(cacheFolder.length).includes(cacheName));

function storeOf(path: string): OpenStore | undefined {
  return (
    stores.find(({ paths }) => isSealedPath(paths, path)) ??
    stores.find(({ paths }) => paths.guarded.some((folder) => isBelow(path, folder)))
  );
}

/** LOCKED if this store is being converted, or has another key than when it was opened. */
export function requireUnconverted(path: string): void {
  requireSame(storeOf(path));
}

function requireSame(store: OpenStore | undefined): void {
  const { marker } = store ?? {};
  if (marker === undefined || isSameStamp(readStampNow(marker.path), marker.stamp)) return;
  marker.stamp = marker.readAgain();
}

/**
 * Returns the key that seals this file; `undefined` if it is not sealed. Throws like `requireUnconverted`.
 */
function keyFor(path: string): CipherKey | undefined {
  const store = storeOf(path);
  requireSame(store);
  return keyIn(store, path);
}

const keyIn = (store: OpenStore | undefined, path: string) =>
  store !== undefined && isSealedPath(store.paths, path) ? store.key : undefined;

/**
 * Returns the bytes of a whole file as they must be written: sealed if the store is encrypted. Bytes that
 * are sealed already, such as a file from a backup, are not changed. LOCKED like `requireUnconverted`;
 * DECRYPT if they are sealed with another key.
 */
export function toStored(path: string, bytes: Uint8Array): Uint8Array {
  return storedWith(keyFor(path), path, bytes);
}

/** Whether `toStored` seals this file. Throws like `requireUnconverted`. */
export const isSealedWhole = (path: string): boolean =>
  keyFor(path) !== undefined && !isNeverSealedWhole(path);

/** Like `toStored`, for many files below `folder`: the store is checked only in this call. */
export function storedFormsIn(folder: string): typeof toStored {
  requireUnconverted(folder);
  return (path, bytes) => storedWith(keyIn(storeOf(path), path), path, bytes);
}

function storedWith(key: CipherKey | undefined, path: string, bytes: Uint8Array): Uint8Array {
  if (key === undefined) return bytes;
  const sealedWith = sealedFileKey(bytes);
  if (sealedWith !== undefined && sealedWith !== key.id) throw otherKey(path, sealedWith);
  return sealedWith !== undefined || isNeverSealedWhole(path) ? bytes : sealFile(bytes, key);
}

/**
 * Whether this file is never sealed as a whole: a conversation, a graph file, or a file with public content.
 */
export const isNeverSealedWhole = (path: string): boolean =>
  (OWN_FORM.test(path) && !isAttachment(path)) ||
  isDocumentFile(path) ||
  storeOf(path)?.paths.lineFiles.includes(path) === true;

/** Whether the file is a conversation or a version of one, whose texts are sealed one by one. */
export const isDocumentFile = (path: string): boolean => DOCUMENT.test(path) && !isAttachment(path);

export const isAttachment = (path: string): boolean => ATTACHMENT.test(path);

/** One sealed line if the file is sealed. A final line feed is kept. */
export function toStoredLines(path: string, lines: string): string {
  const key = keyFor(path);
  if (key === undefined || lines === '') return lines;
  return `${sealLine(lines.replace(/\n$/, ''), key)}${lines.endsWith('\n') ? '\n' : ''}`;
}

/** Like `toStored`, for one chunk of a file that is read chunk by chunk. Throws like `requireUnconverted`. */
export function toStoredPiece(path: string, piece: Uint8Array): Uint8Array {
  const key = keyFor(path);
  return key === undefined ? piece : sealFile(piece, key);
}

function otherKey(path: string, keyId: string): AppError {
  return new AppError(
    'DECRYPT',
    `${path} is encrypted with the key ${keyId}, which is not the key of this store.`,
    {
      hint: 'Nothing was written. All files of a store must have the same key: decrypt the file with its own key first.',
      details: { path, keyId },
    },
  );
}
