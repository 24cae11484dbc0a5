/**
 * How the contents of conversations are sealed, each bound to its conversation and message. Other files are sealed as wholes
 * where they are written (sealing/open-stores.ts).
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

/** A text that a person added to a sealed file in the clear is taken as it is. */
export const codecOf = (key: CipherKey | undefined): Codec =>
  key === undefined
    ? plainCodec
    : {
        seal: (text, binding) => sealText(text, binding, key),
        open: (stored, binding) => openText(stored, binding, key),
      };
