/**
 * How the contents of conversations are encrypted (sealed). Each text is bound to its conversation and
 * message. Other files are encrypted as wholes where they are written (sealing/open-stores.ts).
 */
import type { CipherKey } from './sealing/cipher.js';
import { openText, sealText } from './sealing/sealed-form.js';

export interface Codec {
  /** The text as it is stored. `binding` ties it to its message: the sealed text does not open in another one. */
  seal(text: string, binding: string): string;
  /** The text as it was given; DECRYPT where the key or the binding is wrong. */
  open(stored: string, binding: string): string;
}

export const plainCodec: Codec = {
  seal: (text) => text,
  open: (stored) => stored,
};

/**
 * The codec of a key. `open` returns a text unchanged that is not sealed, because a person may have added
 * it to the file.
 */
export const codecOf = (key: CipherKey | undefined): Codec =>
  key === undefined
    ? plainCodec
    : {
        seal: (text, binding) => sealText(text, binding, key),
        open: (stored, binding) => openText(stored, binding, key),
      };
