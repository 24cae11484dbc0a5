/** The text of a note: encoding, lines, edits. Line ends and byte-order mark are kept. No I/O. */

import { AppError } from '../../base/errors.js';
import { sha256Hex } from '../../base/ids.js';
import { countOf } from '../../base/text/display-text.js';
import { sealedFileKey } from '../../files/sealing/sealed-form.js';

export const MAX_NOTE_BYTES = 32 * 1024;
const HASH_LENGTH = 16;
/** The maximum number of lines in the error for a passage that occurs more than once. */
const MAX_LINES_NAMED = 10;

/** Returns 16 hexadecimal digits of the SHA-256, which identify a version of a note. */
export const hashOf = (bytes: Uint8Array) => sha256Hex(bytes).slice(0, HASH_LENGTH);

/** E_MB_READ if the bytes are not UTF-8. */
export function decodeNote(bytes: Uint8Array, path: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new AppError('E_MB_READ', `${path} is not UTF-8 text.`, { details: { path }, cause });
  }
}

/**
 * Returns the bytes of a caller's text. TOO_LARGE; VALIDATION_ERROR for lone surrogates and NUL, and for a text
 * that begins like an encrypted file, because it could not be read again.
 */
export function encodeNote(content: string, path: string): Buffer {
  if (!content.isWellFormed() || content.includes('\0')) {
    throw new AppError(
      'VALIDATION_ERROR',
      'The text has half a surrogate pair or a NUL character, which a Markdown file cannot store.',
    );
  }
  const bytes = Buffer.from(content);
  if (sealedFileKey(bytes) !== undefined) {
    throw new AppError(
      'VALIDATION_ERROR',
      'A note cannot begin like an encrypted file of Daybook.',
      {
        hint: 'Nothing was changed. Begin the note with another line, such as a title.',
      },
    );
  }
  if (bytes.byteLength <= MAX_NOTE_BYTES) return bytes;
  throw new AppError(
    'TOO_LARGE',
    `${path} would have ${bytes.byteLength} bytes. A note can have at most ${MAX_NOTE_BYTES} bytes.`,
    {
      hint: 'Nothing was changed. Split the text into several notes.',
      details: { path, sizeBytes: bytes.byteLength, maxBytes: MAX_NOTE_BYTES },
    },
  );
}

/** Returns the lines without line ends and byte-order mark. A newline at the end does not begin a line. */
export function linesOf(content: string): string[] {
  const text = content.replace(/^\uFEFF/, '');
  if (text === '') return [];
  return text.replace(/\r?\n$/, '').split(/\r?\n/);
}

export const withFinalNewline = (content: string) =>
  content === '' || content.endsWith('\n') ? content : `${content}\n`;

/**
 * VALIDATION_ERROR if `oldText` does not occur or occurs more than once. Both line ends are equal in it, because
 * `mb_read` shows no difference, also in a note that has both.
 */
export function replacePassage(content: string, oldText: string, newText: string): string {
  const [text, wanted] = [withLf(content), withLf(oldText)];
  const positions = positionsOf(text, wanted);
  const [at] = positions;
  if (at === undefined) {
    throw new AppError('VALIDATION_ERROR', 'The note does not contain the text of `oldText`.', {
      hint: 'Nothing was changed. Read the note and give the passage exactly as it is, including spaces.',
      details: { occurrences: 0 },
    });
  }
  if (positions.length > 1) {
    const named = positions.slice(0, MAX_LINES_NAMED);
    const lines = [...new Set(named.map((position) => lineAt(text, position)))];
    throw new AppError(
      'VALIDATION_ERROR',
      `The text of \`oldText\` occurs ${positions.length} times, in ${lines.length === 1 ? 'line' : 'lines'} ${lines.join(', ')}${positions.length > MAX_LINES_NAMED ? ', …' : ''}.`,
      {
        hint: 'Nothing was changed. Give a longer passage, so that it occurs only once.',
        details: { occurrences: positions.length, lines },
      },
    );
  }
  const [start, end] = [at, at + wanted.length].map((position) => offsetIn(content, position));
  return content.slice(0, start) + withLineEndsOf(newText, content) + content.slice(end);
}

/** Replaces the whole text. The line ends and the byte-order mark stay as they are in the note. */
export function replaceText(content: string, text: string): string {
  const mark = content.startsWith('\uFEFF') && !text.startsWith('\uFEFF') ? '\uFEFF' : '';
  return mark + withLineEndsOf(withFinalNewline(text), content);
}

/** Inserts whole lines after line `line`; 0 is the beginning. VALIDATION_ERROR if there is no such line. */
export function insertAfterLine(content: string, line: number, text: string): string {
  const count = linesOf(content).length;
  if (line > count) {
    throw new AppError(
      'VALIDATION_ERROR',
      `The note has ${countOf(count, 'line')}, so there is no line ${line}.`,
      {
        hint: 'Nothing was changed. To insert at the beginning, give 0; to insert at the end, give the number of lines.',
        details: { totalLines: count },
      },
    );
  }
  const eol = eolOf(content);
  const at = endOfLine(content, line);
  const before = content.slice(0, at);
  const isOpen = line > 0 && !before.endsWith('\n');
  return (
    before +
    (isOpen ? eol : '') +
    withLineEndsOf(withFinalNewline(text), content) +
    content.slice(at)
  );
}

/** Returns the number of the line, from 1, at an offset of the text. */
export const lineAt = (content: string, position: number): number =>
  content.slice(0, position).split('\n').length;

function positionsOf(content: string, wanted: string): number[] {
  const positions: number[] = [];
  // Overlapping occurrences count too, because the caller may mean either.
  for (let at = content.indexOf(wanted); at !== -1; at = content.indexOf(wanted, at + 1))
    positions.push(at);
  return positions;
}

const withLf = (text: string) => text.replaceAll('\r\n', '\n');

/** Returns the offset in `content` of a position in its text with LF. */
function offsetIn(content: string, position: number): number {
  let at = 0;
  for (let passed = 0; passed < position; passed += 1) at += content.startsWith('\r\n', at) ? 2 : 1;
  return at;
}

/** Returns the offset after the newline of a line; for line 0, the offset where the text begins. */
function endOfLine(content: string, line: number): number {
  let at = content.startsWith('\uFEFF') ? 1 : 0;
  for (let passed = 0; passed < line; passed += 1) {
    const newline = content.indexOf('\n', at);
    if (newline === -1) return content.length;
    at = newline + 1;
  }
  return at;
}

const eolOf = (content: string) =>
  /\r\n/.test(content) && !/(?<!\r)\n/.test(content) ? '\r\n' : '\n';

/**
 * Converts the line ends of `text` to CRLF if all line ends of the note are CRLF, because callers send LF.
 */
function withLineEndsOf(text: string, content: string): string {
  return eolOf(content) === '\r\n' ? text.replace(/\r?\n/g, '\r\n') : text;
}
