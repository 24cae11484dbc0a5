/**
 * Encrypts (seals) and decrypts (opens) single texts of conversations. Each text is bound to its conversation
 * and message. Which fields are sealed is decided in stores/conversations/document/document.ts. sealed-form.ts
 * has the form of a sealed text; a text that is not sealed is read as it is. All other files are encrypted as a
 * whole when they are written (sealing/open-stores.ts).
 */
import type { CipherKey } from './cipher.js';
import { openText, sealText } from './sealed-form.js';

export interface Codec {
  /**
   * Returns the text as it is stored. It can be opened only with the same `binding`, an id of the message.
   */
  seal(text: string, binding: string): string;
  /** Returns the text that was sealed. DECRYPT if the key or the binding is wrong. */
  open(stored: string, binding: string): string;
}

export const plainCodec: Codec = {
  seal: (text) => text,
  open: (stored) => stored,
};

/**
 * The codec of a key; without a key, the codec that changes nothing. `open` returns a text that is not
 * sealed unchanged, because a person may have added it to the file.
 */
export const codecOf = (key: CipherKey | undefined): Codec =>
  key === undefined
    ? plainCodec
    : {
        seal: (text, binding) => sealText(text, binding, key),
        open: (stored, binding) => openText(stored, binding, key),
      };
