/**
 * The notes in memory and their sections as documents of a text index. The index follows the changes of the
 * memory bank. The id of a document is `<line>:<path>`. A changed note is indexed again as a whole.
 */

import { createTextIndex, type DocumentId } from '../../fts/text-index.js';
import type { Note, NoteChange } from '../../stores/memory-bank/memory-bank.js';
import { linesOf } from '../../stores/memory-bank/note-text.js';
import { type NoteSection, sectionsOf } from './note-sections.js';

const COLUMNS = ['path', 'heading', 'content'];

export interface IndexedNote extends Note {
  readonly lines: readonly string[];
  /** In order; at least one, so that an empty note is found by its name. */
  readonly sections: readonly NoteSection[];
}

export class NoteIndex {
  readonly text = createTextIndex({ columns: COLUMNS });
  readonly #notes = new Map<string, IndexedNote>();

  /** Sorted by path. */
  notes(): IndexedNote[] {
    return [...this.#notes.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  }

  /** Applies a change of the memory bank. */
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
      this.text.put(sectionId(path, section), fields, Date.parse(note.modifiedAt));
    }
  }

  /** The section of a document, with its note. */
  section(id: DocumentId): { note: IndexedNote; section: NoteSection } | undefined {
    const colon = String(id).indexOf(':');
    const note = this.#notes.get(String(id).slice(colon + 1));
    const line = Number(String(id).slice(0, colon));
    const section = note?.sections.find((each) => each.line === line);
    return note && section && { note, section };
  }
}

/** The text of a section, as it is indexed. */
export const contentOf = ({ lines }: NoteSection) => lines.join('\n');

const sectionId = (path: string, { line }: NoteSection) => `${line}:${path}`;
