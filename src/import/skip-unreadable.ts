/**
 * Leaves out the files of a folder or an archive that cannot be read, because another user owns them, a
 * program has locked them, or they are damaged. The other files are imported: the logs of a tool must not be
 * lost because of one file.
 */
import { type AppError, isAppError } from '../base/errors.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import { unobserved } from './input/observed-input.js';

interface ReadableFile {
  /** Its bytes end with an error if they cannot be read. */
  readonly whole: InputFile;
  refuse(error: AppError): void;
  /** Whether an error ended its bytes, so that it is not known what else it has. */
  isUnreadable: boolean;
}

const OF_ARCHIVE = 'It was not read. Download the export again, and import it again.';

/** The files of readable inputs. */
const files = new WeakMap<InputFile, ReadableFile>();

const readable = (file: InputFile): ReadableFile | undefined => files.get(unobserved(file));

export const isUnreadable = (file: InputFile): boolean => readable(file)?.isUnreadable ?? false;

/** The file for a reader that needs all of its bytes. */
export const wholeFile = (file: InputFile): InputFile => readable(file)?.whole ?? file;

/** `bytes`, which end before an error of the file: it is refused. Throws the error of a file given alone. */
export async function* refusing(
  file: InputFile,
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch (error) {
    const found = readable(file);
    if (found === undefined || !isAppError(error, 'FILESYSTEM_ERROR', 'CORRUPT')) throw error;
    found.isUnreadable = true;
    found.refuse(error);
  }
}

/**
 * A file that cannot be read is empty, or ends before the error, and is then in `refused`; so is a damaged
 * entry of an archive. A file that was deleted since the folder was listed is only empty. `onUnreadable` is
 * called for a file that may be read later although it does not change.
 */
export function skippingUnreadable(input: Input, onUnreadable?: (file: InputFile) => void): Input {
  if (input.form === 'file') return input;
  const refused = [...input.refused];
  const reported = new Set<string>();
  const isArchive = input.form === 'zip';
  const refuse = (file: InputFile, error: AppError) => {
    const { code, details } = error;
    if (isArchive && code !== 'CORRUPT') throw error; // the archive itself cannot be read
    if (reported.has(file.name)) return;
    reported.add(file.name);
    if (code === 'CORRUPT') {
      const advice = isArchive ? OF_ARCHIVE : 'Only what is before the damage was read.';
      refused.push({ name: file.name, reason: 'is damaged or incomplete', code, advice });
      return;
    }
    onUnreadable?.(file);
    const errno = details?.['errno'];
    if (errno === 'ENOENT') return;
    const reason = `could not be read (${errno ?? 'it is no regular file'})`;
    refused.push({ name: file.name, reason, code: 'FILESYSTEM_ERROR' });
  };
  const own = input.files.map((whole) => {
    const file: InputFile = { ...whole, bytes: () => refusing(file, whole.bytes()) };
    const refuseIt = (error: AppError) => refuse(whole, error);
    files.set(file, { whole, refuse: refuseIt, isUnreadable: false });
    return file;
  });
  return { ...input, files: own, refused };
}
