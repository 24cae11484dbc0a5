/**
 * Opens the encryption of a store. This is the first step when a store is opened: it reads the marker, gets
 * the key that the marker names (keys.ts), and registers it in `files/`, so that all files below the store's
 * paths are sealed with it.
 */

import { AppError } from '../base/errors.js';
import type { Stamp } from '../files/read/stamp.js';
import type { CipherKey } from '../files/sealing/cipher.js';
import { addStore, type StorePaths } from '../files/sealing/open-stores.js';
import { type GivenKey, namedKey } from './keys.js';
import { requireClear } from './lost-marker.js';
import { type Marker, markerPath, readMarker } from './marker.js';

export interface OpenEncryption {
  /** `undefined` if the store is not encrypted. */
  readonly key: CipherKey | undefined;
  /** Must be called after all parts of the store were closed. */
  close(): void;
}

/**
 * DECRYPT if the given key is not the key of the store, or the marker of an encrypted store is missing, unless the
 * files may be of other stores (`isMixed`).
 * LOCKED while the store is being encrypted or decrypted, also if the process that did it has ended.
 */
export async function openEncryption(
  logsFolder: string,
  paths: StorePaths,
  given: GivenKey,
  isMixed = false,
): Promise<OpenEncryption> {
  const { marker, stamp } = readMarker(logsFolder);
  if (marker.converting !== undefined) throw unfinished(marker.converting.to === null);
  if (marker.key === null && !isMixed) await requireClear(logsFolder, paths, marker.left);
  const key = marker.key === null ? undefined : (await namedKey(marker.key, given)).key;
  const path = markerPath(logsFolder);
  const readAgain = () => stampOfSame(logsFolder, marker);
  const close = addStore({ paths, key, marker: { path, stamp, readAgain } });
  return { key, close };
}

/**
 * Reads a changed marker file and returns its stamp if the key is the same: after a remount, the folder may
 * be a copy. LOCKED if the key differs or the store is being converted.
 */
function stampOfSame(logsFolder: string, before: Marker): Stamp | undefined {
  const { marker, stamp } = readMarker(logsFolder);
  if (marker.converting !== undefined) throw unfinished(marker.converting.to === null);
  const [is, was] = [marker.key?.id, before.key?.id];
  if (is === was) return stamp;
  const name = (id: string | undefined) => (id === undefined ? 'no key' : `the key ${id}`);
  throw new AppError(
    'LOCKED',
    `The store has ${name(is)} now, but this process started with ${name(was)}.`,
    {
      hint: 'Nothing was read or written. Put the earlier store back at this path, or start Daybook again with the key of the present store.',
      details: { path: markerPath(logsFolder) },
    },
  );
}

function unfinished(isDecrypting: boolean): AppError {
  const command = isDecrypting ? 'daybook decrypt' : 'daybook encrypt';
  return new AppError('LOCKED', `The files of this store are being changed by ${command}.`, {
    hint: `Nothing was read or written. Wait until the command has finished. If it was stopped, run the same ${command} again: it continues where it stopped.`,
  });
}
