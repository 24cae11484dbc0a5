/** Makes a folder for the cache of compiled code. It is needed at each start, so it imports nothing large. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { FOLDER_MODE, OTHERS } from './private-modes.js';

/**
 * Makes the folder and those above it, and lets only the owner into it and the folder above it, whatever the
 * umask is. Returns false if that is not possible: then another user may be able to write into the folder.
 */
export function makePrivateFolder(path: string): boolean {
  try {
    mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
    for (const each of [dirname(path), path]) {
      if ((statSync(each).mode & OTHERS) !== 0) chmodSync(each, FOLDER_MODE);
    }
    return true;
  } catch {
    return false;
  }
}
