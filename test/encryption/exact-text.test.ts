/** Encryption and decryption do not change a text, even if it is not valid Unicode. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CipherKey } from '../../src/files/sealing/cipher.js';
import { codecOf } from '../../src/files/sealing/text-codec.js';
import { DIGITS } from './store.js';

const codec = codecOf(new CipherKey(Buffer.from(DIGITS, 'hex')));
const decrypted = (text: string) => codec.open(codec.seal(text, 'message'), 'message');

it.each([
  ['with halves of surrogate pairs', 'a\ud800b\udc00\udfff'],
  ['with half a pair beside a whole pair', '\ud83d😀\ude00é'],
  ['with U+FFFD, which decoders write for invalid characters', '\ufffd\ud800\ufffd'],
  ['with a byte-order mark', '\ufeffa'],
])('a text %s is the same after encryption and decryption', (_, text) => {
  expect(decrypted(text)).toBe(text);
});

it('any sequence of UTF-16 units is the same after encryption and decryption', () => {
  const unit = fc.oneof(
    fc.integer({ min: 0, max: 0xffff }),
    fc.integer({ min: 0xd700, max: 0xe0ff }),
  );
  fc.assert(
    fc.property(fc.array(unit), (units) => {
      const text = String.fromCharCode(...units);
      expect(decrypted(text)).toBe(text);
    }),
  );
});
