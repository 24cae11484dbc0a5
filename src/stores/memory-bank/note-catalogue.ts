/**
 * What is in the memory bank: size, time and hash of every note, and the files that are not readable
 * notes, with the reason. Which files are read, and when, is decided in the file catalogue below it.
 */
import { isoTime } from '../../base/clock.js';
import type { AppError } from '../../base/errors.js';
import {
  FileCatalogue,
  type FileVersion,
  type FoundFiles,
} from '../../files/catalogue/file-catalogue.js';
import { readConfined, readPlain } from '../../files/paths/confined-file.js';
import type { ReadFile } from '../../files/read/json-doc.js';
import { listFiles } from '../../files/read/list-files.js';
import { symlinkError } from '../../files/safe-access/refusals.js';
import { isForeign, looksLikeNote, requireNotePath } from './note-path.js';
import { decodeNote, hashOf, MAX_NOTE_BYTES } from './note-text.js';

export interface NoteInfo {
  /** Relative to the memory bank, with `/`. */
  readonly path: string;
  readonly sizeBytes: number;
  /** ISO 8601. */
  readonly modifiedAt: string;
  /** Differs for every other content. */
  readonly hash: string;
}

export interface Note extends NoteInfo {
  /** As in the file: line ends, byte-order mark and all. */
  readonly content: string;
}

export interface NoteVersion extends FileVersion {
  readonly note: Note;
}

export interface NoteChange {
  readonly path: string;
  /** What it is now; absent if it is gone or cannot be read. */
  readonly note?: Note;
}

export interface SkippedFile {
  readonly path: string;
  readonly error: AppError;
}

export class NoteCatalogue extends FileCatalogue<NoteVersion, NoteInfo> {
  /** `isInMemory`: as for every file catalogue. */
  constructor(folder: string, isInMemory?: (path?: string) => boolean) {
    super({
      pathOf: (path) => `${folder}/${path}`,
      list: () => listNotes(folder),
      ...(isInMemory && { isInMemory }),
      read: async (path) => {
        requireNotePath(path);
        // No folder on the way is a link: neither a listing nor the watcher follows one.
        return versionOf(path, await readPlain(`${folder}/${path}`, path, MAX_NOTE_BYTES));
      },
      describe: ({ note: { content: _, ...info } }) => ({ name: info.path, summary: info }),
    });
  }

  /** Calls `listener` with every later change. Returns the unsubscribe function. */
  follow(listener: (change: NoteChange) => void): () => void {
    return this.onChange(({ name: path, version }) =>
      listener({ path, ...(version && { note: version.note }) }),
    );
  }

  /** In the order of the paths. */
  notes(): NoteInfo[] {
    return [...this.summaries()].sort(byPath);
  }

  /** Markdown files that are no notes, and links, with the reason. In the order of the paths. */
  skipped(): SkippedFile[] {
    return this.damaged()
      .map(({ name: path, error }) => ({ path, error }))
      .sort(byPath);
  }
}

const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);

/** A link may stand for a folder of notes. None of them is read, so it is refused as a whole. */
async function listNotes(folder: string): Promise<FoundFiles> {
  const names: string[] = [];
  const refused = new Map<string, AppError>();
  for await (const { name, isLink } of listFiles(folder, isForeign)) {
    if (looksLikeNote(name)) names.push(name);
    else if (isLink) refused.set(name, symlinkError(name));
  }
  return { names, refused };
}

/** What is on disk now; `undefined` if there is no such note. E_MB_READ, TOO_LARGE, PATH_ESCAPE. */
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
    modifiedAt: isoTime(Number(stamp.mtimeNs / 1_000_000n)),
    hash: hashOf(bytes),
    content: decodeNote(bytes, path),
  };
}
