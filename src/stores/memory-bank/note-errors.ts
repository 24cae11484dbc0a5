/** The errors that several modules of the memory bank throw. */
import { AppError } from '../../base/errors.js';
import { pathInBank } from './note-path.js';

export function conflict(path: string, expectedHash: string | undefined, hash: string | undefined) {
  const given = expectedHash?.slice(0, 80);
  const isKnown = given !== undefined && hash !== undefined;
  const message = isKnown
    ? `The hash of ${path} is ${hash}, not ${JSON.stringify(given)}.`
    : `${path} was changed.`;
  return new AppError('CONFLICT', message, {
    hint: 'Nothing was written. Read the note again, then decide whether to call again with its new hash.',
    details: { path, expectedHash: given, hash },
  });
}

/** `trashName`: the note in the trash that cannot be restored because of it. */
export function alreadyThere(path: string, trashName?: string): AppError {
  return new AppError('ALREADY_EXISTS', `The note ${path} already exists. Nothing was written.`, {
    hint:
      trashName === undefined
        ? 'Change the note with `mb_edit`, or choose another path.'
        : `Rename or delete the existing note first, then restore ${trashName}.`,
    details: { path },
  });
}

/** A folder, pipe, socket or device has the path of the note that is to be written. */
export function isNoNote(path: string, kind: string): AppError {
  return new AppError(
    'ALREADY_EXISTS',
    `${JSON.stringify(path)} is a ${kind}. Nothing was written.`,
    {
      hint: `Choose another path, or rename the ${kind} on the disk.`,
      details: { path, kind },
    },
  );
}

/** For a Markdown file whose name does not end in `.md`. */
export function misnamed(path: string): AppError {
  return new AppError(
    'VALIDATION_ERROR',
    `${JSON.stringify(path)} is not a note, because its name does not end in ".md".`,
    { hint: 'To make it a note, rename the file on the disk.', details: { path } },
  );
}

export function notFound(path: string): AppError {
  const inBank = pathInBank(path);
  return new AppError('E_MB_FILE_NOT_FOUND', `There is no note ${JSON.stringify(path)}.`, {
    ...(inBank && { hint: `Give the path inside the memory bank: ${JSON.stringify(inBank)}.` }),
    details: { path },
  });
}
