/**
 * Encrypts (seals) and decrypts (opens) single files of a store, for code that works on their bytes and not
 * through the stores: backup, restore, redaction.
 */
import { openFile } from './sealed-form.js';

export interface FileSealer {
  /** Returns the plain content of a stored file. `path` must end like its path in the store. DECRYPT. */
  open(path: string, stored: Buffer): Buffer;
  /** Returns `content` sealed if `stored` is sealed, otherwise unchanged. DECRYPT. */
  like(path: string, stored: Buffer, content: Buffer): Buffer;
  /** Returns the file as the store would write it; `undefined` if it is so already. DECRYPT. */
  sealed(path: string, stored: Buffer): Buffer | undefined;
}

/** The sealer of a store that is not encrypted. */
export const plainSealer: FileSealer = {
  open: (path, stored) => openFile(stored, path),
  like: (_path, _stored, content) => content,
  sealed: () => undefined,
};
