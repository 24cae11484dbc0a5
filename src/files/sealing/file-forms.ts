/**
 * The forms of single files, for code that works on their bytes and not through a store: the content in the
 * clear, and a content in the form that the store gives it.
 */
import { openFile } from './sealed-form.js';

export interface FileForms {
  /** The content of a stored file in the clear. `path` ends like its path in the store. DECRYPT. */
  open(path: string, stored: Buffer): Buffer;
  /** Another content in the form that `stored` has. DECRYPT. */
  like(path: string, stored: Buffer, content: Buffer): Buffer;
  /** The file in the form of the store; `undefined` where it has that form. DECRYPT. */
  sealed(path: string, stored: Buffer): Buffer | undefined;
}

/** Of a store in the clear. */
export const plainForms: FileForms = {
  open: (path, stored) => openFile(stored, path),
  like: (_path, _stored, content) => content,
  sealed: () => undefined,
};
