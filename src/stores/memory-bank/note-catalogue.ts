/**
 * The index of all notes in memory: size, time and hash of each, and the files that are not readable notes,
 * with the reason. Its base class, the file catalogue, decides which files are read, and when.
 */

import { isoTime } from '../../base/clock.js';
import type { AppError } from '../../base/errors.js';
import {
  FileCatalogue,
  type FileVersion,
  type FoundFiles,
  readErrnoOf,
} from '../../files/catalogue/file-catalogue.js';
import { readConfined, readPlain } from '../../files/paths/confined-file.js';
import { modifiedMs } from '../../files/read/stamp.js';
import { walkFiles } from '../../files/read/walk-files.js';
import type { ReadFile } from '../../files/read/whole-file.js';
import { symlinkError } from '../../files/safe-access/refusal-errors.js';
import { misnamed } from './note-errors.js';
import { isMisnamedNote, isReservedPath, looksLikeNote, requireNotePath } from './note-path.js';
import { decodeNote, hashOf, MAX_NOTE_BYTES } from './note-text.js';

export interface NoteInfo {
  /** Relative to the memory bank, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the file's bytes. */
  readonly hash: string;
}

export interface Note extends NoteInfo {
  /** The exact text of the file, with its line ends and its byte-order mark. */
  readonly content: string;
}

export interface NoteVersion extends FileVersion {
  readonly note: Note;
}

export interface NoteChange {
  readonly path: string;
  /** The present note; absent if it no longer exists or cannot be read. */
  readonly note?: Note;
  /** Whether the text is the same as before: only the time of the file is new. */
  readonly isSameText: boolean;
}

export interface SkippedFile {
  readonly path: string;
  readonly error: AppError;
}

export class NoteCatalogue extends FileCatalogue<NoteVersion, NoteInfo> {
  /** `isInMemory`: see `FileCatalogueOptions`. */
  constructor(folder: string, isInMemory?: (path?: string) => boolean) {
    super({
      pathOf: (path) => `${folder}/${path}`,
      list: () => listNotes(folder),
      ...(isInMemory && { isInMemory }),
      read: async (path) => {
        requireNotePath(path);
        // No folder of the path is a link, because the listing and the watcher follow no links.
        return versionOf(path, await readPlain(`${folder}/${path}`, path, MAX_NOTE_BYTES));
      },
      describe: ({ note: { content: _, ...info } }) => ({ name: info.path, summary: info }),
    });
  }

  /** Calls `listener` with every later change. Returns the unsubscribe function. */
  follow(listener: (change: NoteChange) => void): () => void {
    return this.onChange(({ name: path, version, previous }) => {
      const hash = version?.note.hash;
      const isSameText = hash !== undefined && hash === previous?.summary?.hash;
      listener({ path, isSameText, ...(version && { note: version.note }) });
    });
  }

  /** Returns all notes, sorted by path. */
  notes(): NoteInfo[] {
    return [...this.summaries()].sort(byPath);
  }

  /** Returns links and the Markdown files that are not readable notes, with the reason, sorted by path. */
  skipped(): SkippedFile[] {
    return this.damaged()
      .map(({ name: path, error }) => ({ path, error }))
      .sort(byPath);
  }
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);

/** The errors of a folder that another user owns or has closed. Any other error may be gone at the next listing. */
const NO_PERMISSION = ['EACCES', 'EPERM'];

/**
 * A link may point to a folder of notes, which are not read. So each link is listed as refused, and each folder
 * that this user may not open.
 */
async function listNotes(folder: string): Promise<FoundFiles> {
  const names: string[] = [];
  const refused = new Map<string, AppError>();
  const files = walkFiles(folder, isReservedPath, { yieldsClosed: true });
  for await (const { name, isLink, closed } of files) {
    if (closed !== undefined) {
      if (!NO_PERMISSION.includes(readErrnoOf(closed) ?? '')) throw closed;
      refused.set(name, closed);
    } else if (looksLikeNote(name)) names.push(name);
    else if (isLink) refused.set(name, symlinkError(name));
    else if (isMisnamedNote(name)) refused.set(name, misnamed(name));
  }
  return { names, refused };
}

/** Reads from the disk; `undefined` if there is no such note. E_MB_READ, TOO_LARGE, PATH_ESCAPE. */
export async function readNote(folder: string, path: string): Promise<NoteVersion | undefined> {
  requireNotePath(path);
  return versionOf(path, await readConfined(folder, path, MAX_NOTE_BYTES));
}

function versionOf(path: string, read: ReadFile | undefined): NoteVersion | undefined {
  return read && { note: noteOf(path, read), stamp: read.stamp };
}

export function noteOf(path: string, { bytes, stamp }: ReadFile): Note {
  return {
    path,
    sizeBytes: bytes.byteLength,
    modifiedAt: isoTime(modifiedMs(stamp)),
    hash: hashOf(bytes),
    content: decodeNote(bytes, path),
  };
}
