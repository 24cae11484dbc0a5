/**
 * The notes as they were last told of, and their sections as documents of a text index. Kept current
 * by following the memory bank. A document is named `<line>:<path>`; a note that changed is indexed anew.
 */

import { linesOf } from '../stores/memory-bank/note-text.js';
import type { Note, NoteChange } from '../stores/memory-bank.js';
import { type NoteSection, sectionsOf } from './note-sections.js';
import { createTextIndex, type DocumentId } from './text-index.js';

const COLUMNS = ['path', 'heading', 'content'];
/** Sections of one millisecond that are told apart. */
const SAME_TIME = 1000;

export interface IndexedNote extends Note {
  readonly lines: readonly string[];
  /** In order; at least one, so that an empty note is found by its name. */
  readonly sections: readonly NoteSection[];
}

export class NoteIndex {
  readonly text = createTextIndex({ columns: COLUMNS });
  readonly #notes = new Map<string, IndexedNote>();
  #puts = 0;

  get(path: string): IndexedNote | undefined {
    return this.#notes.get(path);
  }

  /** In the order of their paths. */
  notes(): IndexedNote[] {
    return [...this.#notes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  apply({ path, note }: NoteChange): void {
    for (const section of this.#notes.get(path)?.sections ?? [])
      this.text.delete(sectionId(path, section));
    this.#notes.delete(path);
    if (note === undefined) return;
    const lines = linesOf(note.content);
    const found = sectionsOf(lines);
    const sections = found.length > 0 ? found : [{ line: 1, headings: [], lines: [] }];
    this.#notes.set(path, { ...note, lines, sections });
    for (const section of sections) {
      const fields = { path, heading: section.headings.join('\n'), content: contentOf(section) };
      this.text.put(sectionId(path, section), fields, this.#orderOf(note));
    }
  }

  /** Newer notes go first among equals; a checkout gives many notes one time, and pages need an order. */
  #orderOf({ modifiedAt }: Note): number {
    this.#puts += 1;
    return Date.parse(modifiedAt) * SAME_TIME + (this.#puts % SAME_TIME);
  }

  /** The section of a document's name. */
  section(id: DocumentId): { note: IndexedNote; section: NoteSection } | undefined {
    const colon = String(id).indexOf(':');
    const note = this.#notes.get(String(id).slice(colon + 1));
    const line = Number(String(id).slice(0, colon));
    const section = note?.sections.find((each) => each.line === line);
    return note && section && { note, section };
  }
}

/** As it is indexed. */
export const contentOf = ({ lines }: NoteSection) => lines.join('\n');

const sectionId = (path: string, { line }: NoteSection) => `${line}:${path}`;
