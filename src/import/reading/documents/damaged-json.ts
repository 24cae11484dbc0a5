/**
 * Finds out whether a JSON file that no source recognises is damaged or was cut off, for the error that
 * says so. Reads only the two ends of a large file.
 */
import { AppError, isAppError } from '../../../base/errors.js';
import { parsedJson } from '../../../base/json.js';
import { withFileError } from '../../../files/file-errors.js';
import type { Input, InputFile } from '../../../files/input/input-types.js';
import { parseDocument } from '../../../files/read/json-document.js';
import { openHandle } from '../../../files/safe-access/open-regular.js';

const JSON_FILE = /\.json$/i;
/** In a file of at most this size, the position of the fault is found in a fraction of a second. */
const MAX_PARSED_BYTES = 4 * 1024 * 1024;
const END_BYTES = 256;
const HINT =
  'Nothing was imported. Export or download the file again, and compare its size with the original.';

/**
 * Throws VALIDATION_ERROR, with line and column if the file is small, for a `.json` file that begins like
 * JSON but is damaged or incomplete. Also throws FILESYSTEM_ERROR.
 */
export async function requireSoundJson(
  file: InputFile,
  { path: inputPath, form }: Input,
): Promise<void> {
  if (!JSON_FILE.test(file.name)) return;
  const path = form === 'file' ? inputPath : file.name;
  if (file.sizeBytes <= MAX_PARSED_BYTES) requireJson(await startOf(file), path);
  else if (await isCutOff(file)) {
    throw damaged(`${path} is incomplete or damaged JSON.`, { path });
  }
}

/**
 * Whether a JSON document or list begins in a large file, but does not end. False for a file in an archive,
 * whose end cannot be read alone. FILESYSTEM_ERROR.
 */
async function isCutOff({ sizeBytes, diskPath }: InputFile): Promise<boolean> {
  if (diskPath === undefined) return false;
  return withFileError('read', diskPath, async () => {
    const handle = await openHandle(diskPath);
    try {
      const textAt = async (position: number) => {
        const buffer = Buffer.alloc(END_BYTES);
        const { bytesRead } = await handle.read(buffer, 0, END_BYTES, position);
        return buffer.toString('utf8', 0, bytesRead);
      };
      const first = firstSign(await textAt(0));
      const last = (await textAt(sizeBytes - END_BYTES)).trimEnd().at(-1);
      return (first === '[' && last !== ']') || (first === '{' && last !== '}');
    } finally {
      await handle.close();
    }
  });
}

function requireJson(bytes: Buffer, path: string): void {
  // A file may be cut off inside a character. With `stream`, the decoder omits an incomplete one.
  const text = new TextDecoder('utf-8').decode(bytes, { stream: true });
  if (!['[', '{'].includes(firstSign(text)) || isLines(text)) return;
  try {
    parseDocument(Buffer.from(text), path, 'VALIDATION_ERROR');
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw damaged(error.message, { ...error.details, path });
  }
}

const damaged = (message: string, details: Record<string, unknown>) =>
  new AppError('VALIDATION_ERROR', `${message} Is the download complete?`, {
    hint: HINT,
    details,
  });

/** Whether the first line is JSON by itself. Such a file has JSON Lines of an unknown form. */
const isLines = (text: string): boolean =>
  parsedJson(text.trimStart().split('\n', 1)[0]) !== undefined;

const firstSign = (text: string) =>
  text
    .replace(/^\ufeff/, '')
    .trimStart()
    .slice(0, 1);

/** The whole file, unless it grew since its size was determined. */
async function startOf(file: InputFile): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of file.bytes()) {
    parts.push(part);
    sizeBytes += part.byteLength;
    if (sizeBytes >= MAX_PARSED_BYTES) break;
  }
  return Buffer.concat(parts);
}
