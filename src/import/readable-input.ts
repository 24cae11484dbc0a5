/**
 * A folder of which some files cannot be read, because another user owns them, a program has locked them, or
 * the disk is damaged. The other files are imported: the logs of a tool must not be lost because of one file.
 */
import { isAppError } from '../base/errors.js';
import type { Input, InputFile } from '../files/input/input-types.js';
import { unobserved } from './reading/observed-input.js';

/** By file of a readable input: the file itself, whose bytes end with an error. */
const originals = new WeakMap<InputFile, InputFile>();
const unreadable = new WeakSet<InputFile>();

/** Whether an error ended the bytes of the file, so that it is not known what else it has. */
export const isUnreadable = (file: InputFile): boolean => unreadable.has(unobserved(file));

/** The file for a reader that needs all of its bytes: they end with an error if they cannot be read. */
export const wholeFile = (file: InputFile): InputFile => originals.get(unobserved(file)) ?? file;

/**
 * A file that cannot be read is empty, or ends before the error, and is then in `refused`. A file that was
 * deleted since the folder was listed is only empty. `onUnreadable` is called for both.
 */
export function readableInput(input: Input, onUnreadable?: (file: InputFile) => void): Input {
  if (input.form !== 'folder') return input;
  const refused = [...input.refused];
  const reported = new Set<string>();
  const report = (file: InputFile, errno: unknown) => {
    if (reported.has(file.name)) return;
    reported.add(file.name);
    onUnreadable?.(file);
    if (errno === 'ENOENT') return;
    const reason = `could not be read (${errno ?? 'it is no regular file'})`;
    refused.push({ name: file.name, reason, code: 'FILESYSTEM_ERROR' });
  };
  async function* bytesOf(file: InputFile, own: InputFile) {
    try {
      yield* file.bytes();
    } catch (error) {
      if (!isAppError(error, 'FILESYSTEM_ERROR')) throw error;
      unreadable.add(own);
      report(file, error.details?.['errno']);
    }
  }
  const files = input.files.map((file) => {
    const own: InputFile = { ...file, bytes: () => bytesOf(file, own) };
    originals.set(own, file);
    return own;
  });
  return { ...input, files, refused };
}
