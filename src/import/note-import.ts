/**
 * Imports notes. A note that is not here is added, unless it was deleted here. Only a note that an import
 * wrote, and that nobody changed since, is replaced by a newer text of its source.
 */
import { basename, dirname, isAbsolute, resolve } from 'node:path';
import { isoTime } from '../base/clock.js';
import { undefinedIfUnreadable } from '../base/errors.js';
import { readStamp } from '../files/read/stamp.js';
import type { ImportedNoteMark, ImportedNotes } from '../stores/memory-bank/imported-note-marks.js';
import type { MemoryBank } from '../stores/memory-bank/memory-bank.js';
import { encodeNote, hashOf, withFinalNewline } from '../stores/memory-bank/note-text.js';
import { addLeftOut, differsHere, type ImportOutcome } from './import-outcome.js';
import type { ImportedNote } from './source-interface.js';

export interface NoteStores {
  readonly memoryBank: MemoryBank;
  readonly importedNotes: ImportedNotes;
}

interface KnownNotes {
  /** By path of the note. */
  readonly marks: Map<string, ImportedNoteMark>;
  /** Paths of notes that were deleted here. */
  readonly inTrash: ReadonlySet<string>;
  /** By hash: the paths of the notes that were here before the import, except those where an import wrote them. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
}

export class NoteImport {
  readonly #stores: NoteStores;
  readonly #outcome: ImportOutcome;
  readonly #dryRun: boolean;
  /** By path: the texts of notes that a dry run would have stored. */
  readonly #planned = new Map<string, string>();
  #known: Promise<KnownNotes> | undefined;
  /** The paths of the notes of this input that were read, as `nameOf` writes them. */
  readonly #named = new Set<string>();
  /** By `nameOf`: the folders of these notes. */
  readonly #folders = new Map<string, string>();
  /** Whether a mark changed since the marks were stored. */
  #isMarked = false;

  constructor(stores: NoteStores, outcome: ImportOutcome, dryRun: boolean) {
    this.#stores = stores;
    this.#outcome = outcome;
    this.#dryRun = dryRun;
  }

  /** The mark is durable after `end`. ALREADY_EXISTS, STORAGE_FULL, FILESYSTEM_ERROR. */
  async importOne({ note: wanted, content, origin, fileTimeMs }: ImportedNote): Promise<void> {
    const { memoryBank } = this.#stores;
    const note = freePath(this.#inFirstFolder(wanted), this.#named);
    this.#known ??= this.#readKnown();
    const { marks, inTrash, paths } = await this.#known;
    const text = withFinalNewline(content);
    const source = hashOf(Buffer.from(text));
    const mark = marks.get(note);
    const updatedAt =
      fileTimeMs === undefined ? undefined : isoTime(Math.max(0, Math.round(fileTimeMs)));
    const there = await this.#noteAt(note);
    const isSameInSource = mark?.source === source;
    // Its text is another one if a secret in it was masked.
    const isSameHere = isSameInSource && mark.stored === there?.hash;
    const isOlder = updatedAt !== undefined && updatedAt < (mark?.updatedAt ?? '');
    const isLater = updatedAt !== undefined && updatedAt > (mark?.updatedAt ?? '');
    const setMark = (stored: string) => {
      if (isSameInSource && mark.stored === stored && !isLater) return;
      const known = {
        origin: mark?.origin ?? origin,
        ...(updatedAt !== undefined && { updatedAt }),
      };
      marks.set(note, { source, stored, ...known });
      this.#isMarked = true;
    };
    if (there === undefined) {
      if (inTrash.has(note)) return addLeftOut(this.#outcome, 'notes deleted here');
      // A note that the input has too is no other name of this one: an import may have been killed after it.
      const isElsewhere = (hash: string) =>
        paths.get(hash)?.some((path) => !this.#named.has(nameOf(path)));
      const isRenamed = isSameInSource && isElsewhere(mark.stored);
      if (isRenamed) return addLeftOut(this.#outcome, 'notes renamed here');
      if (mark === undefined && isElsewhere(source))
        return addLeftOut(this.#outcome, 'notes that are here under another path');
      setMark((this.#dryRun ? this.#plan(note, text) : await memoryBank.add(note, text)).hash);
      this.#outcome.notes += 1;
    } else if (isSameHere || there.content.trimEnd() === text.trimEnd()) {
      if (!isOlder) setMark(there.hash);
    } else if (isSameInSource) return;
    else if (mark === undefined || (await isOfOther(mark, origin)))
      throw differsHere(`The note ${note}`);
    else if (isOlder) addLeftOut(this.#outcome, 'older texts of notes');
    else if (mark.stored === there.hash) {
      const edit = () => memoryBank.edit(note, there.hash, () => text);
      setMark((this.#dryRun ? this.#plan(note, text) : await edit()).hash);
      this.#outcome.notesUpdated += 1;
    } else throw differsHere(`The note ${note}`);
  }

  /** The path in the folder that the input named first, of several whose names look almost the same. */
  #inFirstFolder(path: string): string {
    const folders = path.split('/').slice(0, -1);
    const first = folders.reduce((above, name) => {
      const folder = `${above}${name}/`;
      const found = this.#folders.get(nameOf(folder)) ?? folder;
      this.#folders.set(nameOf(folder), found);
      return found;
    }, '');
    return first + path.slice(first.length);
  }

  async #noteAt(path: string): Promise<{ content: string; hash: string } | undefined> {
    const planned = this.#planned.get(path);
    if (planned !== undefined) return this.#plan(path, planned);
    return undefinedIfUnreadable(this.#stores.memoryBank.read(path), 'E_MB_FILE_NOT_FOUND');
  }

  /** Throws for a text that no note can have, as the bank does. */
  #plan(path: string, content: string): { content: string; hash: string } {
    const hash = hashOf(encodeNote(content, path));
    this.#planned.set(path, content);
    return { content, hash };
  }

  async #readKnown(): Promise<KnownNotes> {
    const { importedNotes, memoryBank } = this.#stores;
    const marks = await importedNotes.read();
    await memoryBank.refresh();
    const others = memoryBank.known().filter(({ path, hash }) => marks.get(path)?.stored !== hash);
    const paths = new Map<string, string[]>();
    for (const { path, hash } of others) paths.set(hash, [...(paths.get(hash) ?? []), path]);
    const inTrash = new Set((await memoryBank.trashed()).map(({ original }) => original));
    return { marks, inTrash, paths };
  }

  /** Ends an input and stores the marks. STORAGE_FULL, FILESYSTEM_ERROR. */
  async end(): Promise<void> {
    this.#named.clear();
    this.#folders.clear();
    if (this.#dryRun || !this.#isMarked || this.#known === undefined) return;
    await this.#stores.importedNotes.write((await this.#known).marks);
    this.#isMarked = false;
  }
}

/** Only systems with letter case distinguish `A` and `a`. */
const nameOf = (path: string) => path.normalize('NFC').toLowerCase();

/** The path, or the path with the first free number. */
function freePath(wanted: string, used: Set<string>): string {
  for (let count = 1; ; count += 1) {
    const path = count === 1 ? wanted : wanted.replace(/(\.md)?$/i, ` ${count}$1`);
    const key = nameOf(path);
    if (used.has(key)) continue;
    used.add(key);
    return path;
  }
}

/** Whether the note came from another folder, which still exists, or from another document of a source. */
async function isOfOther({ origin: known }: ImportedNoteMark, origin: string | undefined) {
  if (known === undefined || origin === undefined || known === origin) return false;
  // Earlier versions stored the root of a store, and not its folder memory-bank.
  const isBank = /^memory[-_]bank$/i.test(basename(origin));
  if (isBank && resolve(known) === dirname(origin)) return false;
  return !isAbsolute(known) || (await readStamp(known)) !== undefined;
}
