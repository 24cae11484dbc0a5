/**
 * Folders of Markdown notes of Obsidian and basic-memory. Each file becomes a note; the observations and
 * relations of basic-memory become facts.
 */
import { posix } from 'node:path';
import type { InputFile } from '../../files/input/input-types.js';
import { textOf, unreadable } from '../reading/documents/documents.js';
import { notesOf, plainName } from '../reading/documents/note-paths.js';
import { isTranscript } from '../reading/text/transcript.js';
import type { ImportItem, Source } from '../source-interface.js';
import { frontMatter } from './markdown.js';

const NOTE = /\.(md|markdown)$/i;
const MAX_PEEKS = 5;
/** Example: `- [decision] Use larch #wood (for the shed)` */
const OBSERVATION = /^[-*]\s+\[([^\][\n]{2,100})\]\s+(.+)$/;
/** Example: `- depends on [[Foundation]]` */
const RELATION =
  /^[-*]\s+([^\s[\]](?:[^[\]\n]{0,98}[^\s[\]])?)\s+\[\[([^\]|#\n]+)(?:[#|][^\]\n]*)?\]\]/;
const MAX_FACT_PART_LENGTH = 200;

export const vault: Source = {
  kind: 'vault',
  title: 'folder of Markdown notes (Obsidian, basic-memory)',
  async detect({ form, files }) {
    if (form === 'file') return false;
    const notes = files.filter(({ name }) => NOTE.test(name));
    if (notes.length === 0) return false;
    if (files.some(({ name }) => /(^|\/)\.obsidian\//.test(name))) return true;
    for (const file of notes.slice(0, MAX_PEEKS)) {
      const text = (await textOf(file)) ?? '';
      const { fields, body } = frontMatter(text);
      if (fields.has('permalink')) return true;
      if (isTranscript(body)) return false;
    }
    return true;
  },
  async *read({ path, form, files }, { signal }) {
    const origin = form === 'folder' ? path : undefined;
    const notes = files.filter(({ name }) => NOTE.test(name) && !/(^|\/)\./.test(name));
    // A note keeps its own path, even if the changed name of another note is the same.
    const sorted = [...notes.filter(isPlain), ...notes.filter((file) => !isPlain(file))];
    for (const file of sorted) {
      signal?.throwIfAborted();
      yield* itemsOf(file, origin);
    }
  },
};

const isPlain = ({ name }: InputFile): boolean =>
  name
    .replace(NOTE, '')
    .split('/')
    .every((part) => plainName(part) === part);

async function* itemsOf(file: InputFile, origin: string | undefined): AsyncGenerator<ImportItem> {
  const text = await textOf(file);
  if (text === undefined) {
    yield unreadable(file.name, 'the document');
    return;
  }
  const { dir, name } = posix.parse(file.name);
  const location = { path: file.name };
  const ofNote = { ...location, origin, fileTimeMs: file.modifiedAtMs };
  yield* notesOf(ofNote, dir === '' ? [] : dir.split('/'), name, text);
  const { fields, body } = frontMatter(text);
  const subject = (fields.get('title') ?? name).slice(0, MAX_FACT_PART_LENGTH);
  let number = 0;
  let fence: string | undefined;
  for (const line of body.split(/\r?\n/)) {
    number += 1;
    const marker = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = marker;
    else if (marker?.startsWith(fence)) fence = undefined;
    const fact = fence === undefined ? factIn(line.trim()) : undefined;
    // A longer object is only in the note.
    if (fact !== undefined && fact.object.length <= MAX_FACT_PART_LENGTH) {
      yield { type: 'triple', ...location, record: `line ${number}`, subject, ...fact };
    }
  }
}

function factIn(line: string): { predicate: string; object: string } | undefined {
  const observed = OBSERVATION.exec(line);
  // The pattern needs two characters in the brackets, because a task list has a single character or blank
  // there.
  if (observed !== null) return pair(observed[1], observed[2]);
  const related = RELATION.exec(line);
  return related === null ? undefined : pair(related[1], related[2]);
}

function pair(predicate = '', object = '') {
  return { predicate: predicate.trim(), object: object.trim() };
}
