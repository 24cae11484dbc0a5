/**
 * The only module that encrypts: AES-256-GCM with a random 12-byte IV for each text. The additional
 * authenticated data (AAD) is a binding, such as the id of a message, which is not stored. A sealed text can
 * be opened only with the same key and the same binding.
 */
import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  type KeyObject,
} from 'node:crypto';
import { AppError } from '../../base/errors.js';
import { randomOctets } from '../../base/ids.js';

export const KEY_BYTES = 32;
const CIPHER = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** The number of bytes that a sealed text is longer than the text. */
export const SEAL_BYTES = IV_BYTES + TAG_BYTES;
/**
 * Random bytes for so many IVs are generated together, because a call costs more than sealing a short text.
 */
const IVS_AT_ONCE = 256;

let ivs = Buffer.alloc(0);

function nextIv(): Buffer {
  if (ivs.byteLength === 0) ivs = randomOctets(IVS_AT_ONCE * IV_BYTES);
  const iv = ivs.subarray(0, IV_BYTES);
  ivs = ivs.subarray(IV_BYTES);
  return iv;
}

export class CipherKey {
  /** 16 hexadecimal digits of an HMAC with the key. They identify the key and do not reveal it. */
  readonly id: string;
  readonly #key: KeyObject;

  /** `bytes`: 32 bytes, which are copied. */
  constructor(bytes: Uint8Array) {
    this.#key = createSecretKey(bytes);
    this.id = createHmac('sha256', this.#key).update('daybook key id').digest('hex').slice(0, 16);
  }

  /** Encrypts a text. Returns IV (12 bytes), tag (16 bytes) and ciphertext. */
  seal(text: Uint8Array, binding: string): Buffer {
    const iv = nextIv();
    const cipher = createCipheriv(CIPHER, this.#key, iv, { authTagLength: TAG_BYTES });
    cipher.setAAD(Buffer.from(binding));
    const sealed = cipher.update(text);
    const end = cipher.final();
    return Buffer.concat([iv, cipher.getAuthTag(), sealed, end]);
  }

  /** Decrypts a text. DECRYPT if the key or the binding differs, or a byte was changed. */
  open(sealed: Uint8Array, binding: string): Buffer {
    try {
      const decipher = createDecipheriv(CIPHER, this.#key, sealed.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(Buffer.from(binding));
      decipher.setAuthTag(sealed.subarray(IV_BYTES, SEAL_BYTES));
      const text = decipher.update(sealed.subarray(SEAL_BYTES));
      decipher.final(); // throws if the tag is wrong; with GCM it returns no bytes
      return text;
    } catch (cause) {
      throw new AppError(
        'DECRYPT',
        'An encrypted text cannot be decrypted, because it was changed or moved.',
        {
          cause,
        },
      );
    }
  }
}

/** Returns 32 random bytes. */
export const newKeyBytes = (): Buffer => randomOctets(KEY_BYTES);
