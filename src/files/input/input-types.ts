/** The common form of all import inputs (file, folder, zip archive): a list of files with relative names. */
import { LOCKS_FOLDER } from '../locks/lock-folders.js';

export interface InputFile {
  /** Relative to the input, with `/`. */
  readonly name: string;
  /** The size without compression. */
  readonly sizeBytes: number;
  readonly modifiedAtMs: number;
  /** The absolute path; absent if the file is in an archive. */
  readonly diskPath?: string;
  /** True if the name was generated, so it says nothing to people. */
  readonly isUnnamed?: boolean;
  /** Streams the uncompressed bytes. FILESYSTEM_ERROR, PATH_ESCAPE, CORRUPT (a damaged archive). */
  bytes(): AsyncIterable<Uint8Array>;
}

/** Folders that are never part of an export, and may be very large; the trash of a store is one of them. */
const FOLDERS = ['__MACOSX', 'node_modules', '\\.git', '\\.trash', `\\${LOCKS_FOLDER}`].join('|');
const IGNORED = new RegExp(`(^|/)(\\._|(${FOLDERS})/)`);

/** Whether it is in such a folder, or has only data of macOS about another file (`._name`). A folder ends with `/`. */
export const isIgnored = (name: string): boolean => IGNORED.test(name);

export interface RefusedFile {
  readonly name: string;
  readonly reason: string;
  /** PATH_ESCAPE if it is absent: it is a link, or no file. */
  readonly code?: 'FILESYSTEM_ERROR' | 'CORRUPT';
  /** What was read of it, and what to do, as sentences; nothing was read if it is absent. */
  readonly advice?: string;
}

export interface Input {
  /** The path as the user gave it. */
  readonly path: string;
  readonly form: 'file' | 'folder' | 'zip';
  /** Sorted by name. */
  readonly files: readonly InputFile[];
  /** Links and other entries that are not read, each with the reason. */
  readonly refused: readonly RefusedFile[];
  close(): Promise<void>;
}
