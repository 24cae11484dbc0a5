/** Decodes the bytes of imported files. */
import { isUtf8 } from 'node:buffer';

/** Returns the text without white space and byte-order marks at both ends; `undefined` if it is not UTF-8. */
export const utf8Text = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? bytes.toString('utf8').trim() : undefined;
