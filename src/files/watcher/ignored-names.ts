/**
 * Names that are never content: temporary files of atomic writes (of Daybook, write-file-atomic and other
 * tools), locks, the trash and `.git`. Only the name is checked, so that the server's own temporary files
 * cost no stat at every write.
 */
import { LOCKS_FOLDER } from '../locks/lock-folders.js';

const IGNORED_FOLDERS: ReadonlySet<string> = new Set([LOCKS_FOLDER, '.trash', '.git']);
const TEMP_NAME = /^\.tmp-|\.tmp$/;
/** write-file-atomic appends a 32-bit number to the whole name: `conversation.json.3735928559`. */
const ATOMIC_TEMP_NAME = /\.[a-z]+\.\d{1,10}$/i;

/** True for a folder that is never scanned. */
export function isIgnoredFolder(name: string): boolean {
  return IGNORED_FOLDERS.has(name) || TEMP_NAME.test(name);
}

/** True for a file that is never reported, even if the caller's `match` returns true for it. */
export function isIgnoredFile(name: string): boolean {
  return TEMP_NAME.test(name) || ATOMIC_TEMP_NAME.test(name);
}
