/**
 * Paths in the memory bank for documents of other programs, and the split of long documents into several
 * notes.
 */
import { sha256Hex } from '../../../base/ids.js';
import type { ImportedNote, RecordLocation } from '../../source-interface.js';

/** A note may have 32 KB; this leaves room for one more line. */
const NOTE_BYTES = 32_000;
const MAX_NAME_LENGTH = 80;
/** Characters of a name that are read. The patterns would take long for a long row of spaces. */
const MAX_READ = 1000;

/** A file name that every operating system allows; always the same for the same text. */
export function plainName(text: string): string {
  const plain = text
    .slice(0, MAX_READ)
    .toWellFormed()
    .normalize('NFC')
    .replace(/[^\p{L}\p{N}._ -]+/gu, '-')
    .replace(/^[. -]+|[. -]+$/g, '')
    .slice(0, MAX_NAME_LENGTH)
    .replace(/[. -]+$/, '');
  if (plain === '') return `untitled-${sha256Hex(text).slice(0, 8)}`;
  return /^(con|prn|aux|nul|com\d|lpt\d)$/i.test(plain) ? `${plain}-` : plain;
}

/** One note, or several if the text is too long for one. The text is split between lines. */
export function* notesOf(
  location: RecordLocation & Pick<ImportedNote, 'origin' | 'fileTimeMs'>,
  folder: readonly string[],
  name: string,
  content: string,
): Generator<ImportedNote> {
  const base = ['imported', ...folder.map(plainName), plainName(name.replace(/\.md$/i, ''))];
  const parts = [...partsOf(content.toWellFormed())];
  for (const [index, part] of parts.entries()) {
    const note = `${base.join('/')}${index === 0 ? '' : `-${index + 1}`}.md`;
    const { path, record, origin, fileTimeMs } = location;
    yield { type: 'note', path, record, note, content: part, origin, fileTimeMs };
  }
}

function* partsOf(content: string): Generator<string> {
  let part = '';
  let sizeBytes = 0;
  for (const line of content.split(/(?<=\n)/).flatMap((text) => [...pieces(text)])) {
    const lineBytes = Buffer.byteLength(line);
    if (sizeBytes + lineBytes > NOTE_BYTES && part !== '') {
      yield part;
      part = '';
      sizeBytes = 0;
    }
    part += line;
    sizeBytes += lineBytes;
  }
  if (part.trim() !== '') yield part;
}

/** Splits a line that is too long for one note, but not within a surrogate pair. */
function* pieces(line: string): Generator<string> {
  const length = NOTE_BYTES / 4;
  for (let at = 0; at < line.length; ) {
    const isCutInPair = /[\ud800-\udbff]/.test(line.charAt(at + length - 1));
    const end = at + length - (isCutInPair ? 1 : 0);
    yield line.slice(at, end);
    at = end;
  }
}
