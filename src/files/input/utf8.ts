/** Bytes of imported files as text. */
import { isUtf8 } from 'node:buffer';

/** Without white space and byte-order marks at both ends. `undefined` where the bytes are not UTF-8. */
export const utf8Text = (bytes: Buffer): string | undefined =>
  isUtf8(bytes) ? bytes.toString('utf8').trim() : undefined;
