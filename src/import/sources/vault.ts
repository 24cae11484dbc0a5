/**
 * Folders of Markdown notes, as Obsidian and basic-memory keep them: each file becomes a note, and what
 * basic-memory writes as observations and relations becomes facts.
 */
import { posix } from 'node:path';
import type { InputFile } from '../../files/input/input-types.js';
import { textOf, unreadable } from '../reading/documents.js';
import { notesOf } from '../reading/note-paths.js';
import type { ImportItem, Source } from '../source.js';
import { frontMatter, isTranscript } from './markdown.js';

const NOTE = /\.(md|markdown)$/i;
const MOST_PEEKS = 5;
/** `- [decision] Use larch #wood (for the shed)` */
const OBSERVATION = /^[-*]\s+\[([^\][\n]{2,100})\]\s+(.+)$/;
/** `- depends on [[Foundation]]` */
const RELATION = /^[-*]\s+([^[\]\n]{1,100}?)\s+\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]/;
const LONGEST_PART = 200;

export const vault: Source = {
  kind: 'vault',
  title: 'folder of Markdown notes (Obsidian, basic-memory)',
  async detect({ form, files }) {
    if (form === 'file') return false;
    const notes = files.filter(({ name }) => NOTE.test(name));
    if (notes.length === 0) return false;
    if (files.some(({ name }) => /(^|\/)\.obsidian\//.test(name))) return true;
    for (const file of notes.slice(0, MOST_PEEKS)) {
      const text = (await textOf(file)) ?? '';
      if (frontMatter(text).fields.has('permalink')) return true;
      if (isTranscript(text)) return false;
    }
    return true;
  },
  async *read({ files }, { signal }) {
    for (const file of files) {
      signal?.throwIfAborted();
      const isNote = NOTE.test(file.name) && !/(^|\/)\./.test(file.name);
      if (isNote) yield* itemsOf(file);
    }
  },
};

async function* itemsOf(file: InputFile): AsyncGenerator<ImportItem> {
  const text = await textOf(file);
  if (text === undefined) {
    yield unreadable(file.name, 'the document');
    return;
  }
  const { dir, name } = posix.parse(file.name);
  const location = { path: file.name };
  yield* notesOf(location, dir === '' ? [] : dir.split('/'), name, text);
  const { fields, body } = frontMatter(text);
  const subject = (fields.get('title') ?? name).slice(0, LONGEST_PART);
  let number = 0;
  for (const line of body.split(/\r?\n/)) {
    number += 1;
    const fact = factIn(line.trim());
    // A longer one is in the note itself.
    if (fact !== undefined && fact.object.length <= LONGEST_PART) {
      yield { type: 'triple', ...location, record: `line ${number}`, subject, ...fact };
    }
  }
}

function factIn(line: string): { predicate: string; object: string } | undefined {
  const observed = OBSERVATION.exec(line);
  // A task list has one character, or a blank, between its brackets.
  if (observed !== null) return pair(observed[1], observed[2]);
  const related = RELATION.exec(line);
  return related === null ? undefined : pair(related[1], related[2]);
}

function pair(predicate = '', object = '') {
  return { predicate: predicate.trim(), object: object.trim() };
}
