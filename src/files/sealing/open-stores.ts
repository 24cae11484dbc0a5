/**
 * The stores that this process has open, by the places of their files. Everything that is written below
 * such a place asks here: whether it may be written (another process may be encrypting the store), and in
 * which form. So the stores need no code for encryption.
 */
import { sep } from 'node:path';
import { AppError } from '../../base/errors.js';
import { isSameStamp, readStampNow, type Stamp } from '../read/stamp.js';
import type { CipherKey } from './cipher.js';
import { addKey, sealedFileKey, sealFile, sealLine } from './sealed-form.js';

/** Files that seal their own content, hold none, or must be readable for others. */
const OWN_FORM = /(^|[/\\])(encryption\.json|\.gitignore|\.gitattributes|[^/\\]*\.owner)$/;
/** Conversations and their earlier versions. */
const DOCUMENT = /(^|[/\\])(conversation|versions[/\\][^/\\]+)\.json$/;

export interface StorePaths {
  /** What lies below these folders is sealed. Absolute, as are all paths here. */
  readonly sealed: readonly string[];
  /** Below these nothing is written while the store is converted; what is, stays as it is. */
  readonly guarded: readonly string[];
  /** Files below `cacheFolder` with `cacheName` in their path are sealed. */
  readonly cacheFolder: string;
  readonly cacheName: string;
  /** The files of the graph: their lines are sealed, not they. */
  readonly lineFiles: readonly string[];
}

export interface OpenStore {
  readonly paths: StorePaths;
  /** Absent where the store is in the clear. */
  readonly key?: CipherKey | undefined;
  /** Says how the store is encrypted; nothing is written once it changed. Absent for the one who changes it. */
  readonly marker?: StoreMarker;
}

interface StoreMarker {
  readonly path: string;
  /** As it was read last. */
  stamp: Stamp | undefined;
  /** The stamp of a file that says the same. LOCKED where it says something else. */
  readonly readAgain: () => Stamp | undefined;
}

/** The one that was opened last comes first. */
const stores: OpenStore[] = [];

/** Until the function that it returns is called, writes below the store's places follow it. */
export function addStore(store: OpenStore): () => void {
  stores.unshift(store);
  const removeKey = store.key && addKey(store.key);
  return () => {
    const at = stores.indexOf(store);
    if (at !== -1) stores.splice(at, 1);
    removeKey?.();
  };
}

const isBelow = (path: string, folder: string) =>
  path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);

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

/** LOCKED where the store at this path is being encrypted or decrypted, or has another key than when it was opened. */
export function requireUnconverted(path: string): void {
  requireSame(storeOf(path));
}

function requireSame(store: OpenStore | undefined): void {
  const { marker } = store ?? {};
  if (marker === undefined || isSameStamp(readStampNow(marker.path), marker.stamp)) return;
  marker.stamp = marker.readAgain();
}

/** The key with which the content of this file is to be sealed. Throws like `requireUnconverted`. */
function keyFor(path: string): CipherKey | undefined {
  const store = storeOf(path);
  requireSame(store);
  return keyIn(store, path);
}

const keyIn = (store: OpenStore | undefined, path: string) =>
  store !== undefined && isSealedPath(store.paths, path) ? store.key : undefined;

/**
 * The bytes of a whole file as they are to be written. What is sealed already, such as a file out of a
 * backup, stays as it is. LOCKED like `requireUnconverted`; DECRYPT where it is sealed with another key.
 */
export function toStored(path: string, bytes: Uint8Array): Uint8Array {
  return storedWith(keyFor(path), path, bytes);
}

/** Like `toStored`, for files below `folder` that are written together: the store is checked once, here. */
export function storedFormsIn(folder: string): typeof toStored {
  requireUnconverted(folder);
  return (path, bytes) => storedWith(keyIn(storeOf(path), path), path, bytes);
}

function storedWith(key: CipherKey | undefined, path: string, bytes: Uint8Array): Uint8Array {
  if (key === undefined) return bytes;
  const sealedWith = sealedFileKey(bytes);
  if (sealedWith !== undefined && sealedWith !== key.id) throw otherKey(path, sealedWith);
  return sealedWith !== undefined || hasOwnForm(path) ? bytes : sealFile(bytes, key);
}

/** Whether this file is never sealed as a whole. */
export const hasOwnForm = (path: string): boolean =>
  OWN_FORM.test(path) ||
  isDocumentFile(path) ||
  storeOf(path)?.paths.lineFiles.includes(path) === true;

/** Whether the file is a document that seals its contents one by one. */
export const isDocumentFile = (path: string): boolean => DOCUMENT.test(path);

/** Lines for a file of lines, as one sealed line where it is sealed. They end with a line feed or not, as given. */
export function toStoredLines(path: string, lines: string): string {
  const key = keyFor(path);
  if (key === undefined || lines === '') return lines;
  return `${sealLine(lines.replace(/\n$/, ''), key)}${lines.endsWith('\n') ? '\n' : ''}`;
}

/** A piece of a file that is read piece by piece. Throws like `requireUnconverted`. */
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
