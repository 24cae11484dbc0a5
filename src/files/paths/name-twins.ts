/**
 * Refuses a new name that looks almost the same as an existing name of the same folder (its twin), such as a
 * name with a letter of another script. confusables.ts decides which names look the same.
 */

import { extname } from 'node:path';
import { AppError } from '../../base/errors.js';
import { unicodeEscape } from '../../base/text/display-text.js';
import { caseFolded } from '../safe-access/real-path.js';
import { skeletonOf } from './confusables.js';
import { escapeError } from './path-confinement.js';

/**
 * PATH_ESCAPE if an entry of `listed` looks like `part`, which is not in the list. `name`: the whole path, for
 * the error. `own`: the name of an entry that will be renamed to `part`, and may differ from it in upper and
 * lower case.
 */
export function requireNoTwin(
  listed: readonly { readonly name: string }[],
  part: string,
  name: string,
  own: string | undefined,
): void {
  const skeleton = skeletonOf(part);
  const isOwn = (entry: string) => entry === own && caseFolded(entry) === caseFolded(part);
  const twin = listed.find((entry) => !isOwn(entry.name) && skeletonOf(entry.name) === skeleton);
  if (twin !== undefined) throw twinError(name, part, twin.name);
}

function twinError(name: string, part: string, twin: string): AppError {
  const details = { name, twin };
  // Both names would look equal in the message, and a keyboard may be able to type only one of them.
  if (twin.normalize('NFC') === part.normalize('NFC')) {
    return new AppError(
      'PATH_ESCAPE',
      `The path ${inAscii(name)} does not exist, but ${inAscii(twin)} does. The two names look the same; only their accents are stored in another form.`,
      {
        hint: 'Copy the existing name from a list of the files, or rename that file on the disk.',
        details,
      },
    );
  }
  const hint =
    extname(twin) === extname(part)
      ? 'Use the existing name exactly, or a name that looks different.'
      : `Rename the existing file to ${JSON.stringify(part)} on the disk, or use a name that looks different.`;
  const problem = `does not exist, but ${JSON.stringify(twin)} does, which looks almost the same`;
  return escapeError(name, problem, { hint, details });
}

/** The text in quotation marks, with an escape for each character that is not ASCII. */
const inAscii = (text: string): string =>
  JSON.stringify(text).replace(/[\u0080-\uffff]/g, unicodeEscape);
