/** Reads files of an input as JSON: element by element, line by line, or as a whole. */

import { firstOf } from '../../../base/async/first-of.js';
import { jsonTextsIn, parsedJson } from '../../../base/json.js';
import { isRecord } from '../../../base/json-fields.js';
import { type InputLine, inputLines, type LineOptions } from '../../../files/input/input-lines.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import { jsonElements } from '../../../files/input/json-elements.js';
import { withoutUtf16 } from '../../../files/input/utf16.js';
import { isZstd, unzstd } from '../../../files/input/zstd.js';
import { MAX_DOCUMENT_BYTES } from '../../../files/read/whole-file.js';
import type { JsonObject } from '../../../stores/conversations/document/schema.js';
import { kept } from '../../input/kept-input.js';
import { isUnreadable, refusing } from '../../skip-unreadable.js';
import type { ImportProblem } from '../../source-interface.js';

/** A JSON value and its location; `value` is `undefined` if it cannot be parsed. */
export interface JsonRecord {
  readonly path: string;
  readonly record: string;
  readonly value: unknown;
}

/** The given file, or the files of a folder or ZIP archive whose names match. */
export const filesNamed = (pattern: RegExp, { form, files }: Input): readonly InputFile[] =>
  form === 'file' ? files : files.filter(({ name }) => pattern.test(name));

/** The files from which the format of a tool's logs is detected: several, because some may be empty or damaged. */
export const filesToDetect = (files: readonly InputFile[]): readonly InputFile[] =>
  files.filter(({ sizeBytes }) => sizeBytes > 0).slice(0, MAX_FILES_TRIED);

const MAX_FILES_TRIED = 20;
/** The format of a file is detected from this many bytes, or from its first element. */
const PEEK_BYTES = 16 * 1024 * 1024;
const MAX_ELEMENTS_TRIED = 10;
const MAX_LINES_TRIED = 10;
const MAX_LINE_BYTES = 64 * 1024 * 1024;

/** The elements of a JSON array, or the document itself if it is no array. */
export async function* elementsOf(file: InputFile): AsyncGenerator<JsonRecord> {
  for await (const { index, text } of jsonElements(bytesOf(file))) {
    const record = index === -1 ? 'the document' : `[${index}]`;
    yield { path: file.name, record, value: parsedJson(text) };
  }
}

/** The elements of a JSON array, the objects of JSON Lines, or the document itself. */
export async function* recordsOf(file: InputFile): AsyncGenerator<JsonRecord> {
  if (!(await isJsonLines(file))) {
    yield* elementsOf(file);
    return;
  }
  for await (const { number, text } of linesOf(file, { maxBytes: MAX_DOCUMENT_BYTES })) {
    yield { path: file.name, record: `line ${number}`, value: parsedJson(text) };
  }
}

/** Like `hasElement`, also for JSON Lines. */
export async function hasRecord(
  file: InputFile,
  isOfForm: (record: unknown) => boolean,
): Promise<boolean> {
  for await (const record of kept(file, firstRecords)) if (isOfForm(record)) return true;
  return false;
}

async function* firstRecords(file: InputFile): AsyncGenerator<unknown> {
  if (await isJsonLines(file)) {
    for await (const values of kept(file, firstLines)) yield* values.filter(isRecord);
  } else for await (const { value } of kept(file, firstElements)) yield value;
}

/** Whether the first line is an object by itself and another line follows. */
async function isJsonLines(file: InputFile): Promise<boolean> {
  if (!(await beginsAsJson(file, '{'))) return false;
  let first: string | undefined;
  for await (const { text } of linesOf(file, { maxBytes: MAX_DOCUMENT_BYTES })) {
    // Only now, because a document of one line may be large.
    if (first !== undefined) return isRecord(parsedJson(first));
    if (text === undefined) return false;
    first = text;
  }
  return false;
}

/** The first element of an array, or the document; `undefined` if it is not JSON or larger than 256 MB. */
export const firstElement = async (file: InputFile): Promise<unknown> =>
  (await firstOf(kept(file, firstElements)))?.value;

/** The document, if it is not an array; `undefined` as for `firstElement`. */
export async function wholeDocument(file: InputFile): Promise<unknown> {
  const first = await firstOf(kept(file, firstElements));
  return first?.index === -1 ? first.value : undefined;
}

/** Whether one of the first elements has this form. It tests several, because the first may be damaged. */
export async function hasElement(
  file: InputFile,
  isOfForm: (element: unknown) => boolean,
): Promise<boolean> {
  for await (const { value } of kept(file, firstElements)) if (isOfForm(value)) return true;
  return false;
}

/** The first elements, from the first PEEK_BYTES; the first one also if it is larger. */
async function* firstElements(file: InputFile) {
  let tries = 0;
  for await (const { index, text } of jsonElements(firstBytes(file, PEEK_BYTES))) {
    const value = parsedJson(text);
    const isCut = file.sizeBytes > PEEK_BYTES && value === undefined && index <= 0;
    const isLonger = isCut && (await beginsAsJson(file));
    yield { index, value: isLonger ? await longFirstElement(file) : value };
    tries += 1;
    if (tries === MAX_ELEMENTS_TRIED) return;
  }
}

async function longFirstElement(file: InputFile): Promise<unknown> {
  const first = await firstOf(jsonElements(firstBytes(file, MAX_DOCUMENT_BYTES)));
  return parsedJson(first?.text);
}

/** Files of other kinds, such as databases, may be large too. */
async function beginsAsJson(file: InputFile, signs = '[{'): Promise<boolean> {
  const start = Buffer.from((await firstOf(bytesOf(file)))?.subarray(0, 64) ?? []).toString();
  const sign = start.replace(/^\ufeff/, '').trimStart()[0];
  return sign !== undefined && signs.includes(sign);
}

/**
 * Whether one of the first lines is an object of this form. It tests several, because the first may be
 * damaged.
 */
export async function hasLine(
  file: InputFile,
  isOfForm: (line: JsonObject) => boolean,
): Promise<boolean> {
  for await (const values of kept(file, firstLines)) {
    if (values.some((value) => isRecord(value) && isOfForm(value))) return true;
  }
  return false;
}

/** The first object among the first few lines. */
export async function firstLine(file: InputFile): Promise<JsonObject | undefined> {
  let tries = 0;
  for await (const [value, ...others] of kept(file, firstLines)) {
    if (others.length === 0 && isRecord(value)) return value;
    tries += 1;
    if (tries === 5) return undefined;
  }
  return undefined;
}

/** The values of each of the first lines, until they have PEEK_BYTES together; the first one in any case. */
async function* firstLines(file: InputFile): AsyncGenerator<readonly unknown[]> {
  let tries = 0;
  let length = 0;
  for await (const { text = '' } of linesOf(file)) {
    yield jsonTextsIn(text).map(parsedJson);
    tries += 1;
    length += text.length;
    if (tries === MAX_LINES_TRIED || length > PEEK_BYTES) return;
  }
}

/** Lines of text. A file that is compressed with zstd is decompressed. */
export function linesOf(
  file: InputFile,
  options: Partial<LineOptions> = {},
): AsyncGenerator<InputLine> {
  return inputLines(bytesOf(file), { maxBytes: MAX_LINE_BYTES, ...options });
}

export interface ObjectLineOptions extends Partial<LineOptions> {
  /** No program appends to the file, so an incomplete last line is a problem. */
  readonly isExport?: boolean;
}

/** One object for each line. An incomplete last line of a log is ignored, because a tool may be writing it. */
export async function* objectLines(
  file: InputFile,
  onProblem: (problem: ImportProblem) => void,
  { isExport = false, ...options }: ObjectLineOptions = {},
): AsyncGenerator<{ value: JsonObject; record: string }> {
  for await (const { number, text, isLast, isTooLong } of linesOf(file, options)) {
    const value = parsedJson(text);
    const record = `line ${number}`;
    if (isRecord(value)) yield { value, record };
    else if (!isLast || isExport)
      onProblem(unreadable(file.name, record, isTooLong ? 'TOO_LARGE' : 'CORRUPT'));
  }
}

/**
 * The whole file as text; `undefined` if it cannot be read, is neither UTF-8 nor UTF-16, or is larger than
 * 256 MB.
 */
export async function textOf(file: InputFile): Promise<string | undefined> {
  if (file.sizeBytes > MAX_DOCUMENT_BYTES) return undefined;
  const parts: Uint8Array[] = [];
  for await (const part of bytesOf(file)) parts.push(part);
  if (isUnreadable(file)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    return undefined; // TextDecoder throws only if the text is not UTF-8
  }
}

/** The problem for a conversation that cannot be read. */
export const unreadableConversation = (...at: Parameters<typeof unreadable>): ImportProblem => ({
  ...unreadable(...at),
  isConversation: true,
});

const REASONS = {
  CORRUPT: 'cannot be read, because it is damaged or incomplete',
  TOO_LARGE: 'is too large to be read',
  DECRYPT: 'is encrypted',
};

export function unreadable(
  path: string,
  record: string,
  code: keyof typeof REASONS = 'CORRUPT',
): ImportProblem {
  const message = `${record} of ${path} ${REASONS[code]}.`;
  return { type: 'problem', path, record, code, message };
}

function bytesOf(file: InputFile): AsyncIterable<Uint8Array> {
  return isZstd(file.name)
    ? refusing(file, unzstd(file.bytes(), file.name))
    : withoutUtf16(file.bytes());
}

async function* firstBytes(file: InputFile, limit: number): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const part of bytesOf(file)) {
    yield part;
    sizeBytes += part.byteLength;
    if (sizeBytes >= limit) return;
  }
}
