/** A text is the same after it was encrypted and decrypted, also one that is not valid Unicode. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { CipherKey } from '../../src/files/sealing/cipher.js';
import { codecOf } from '../../src/files/sealing/text-codec.js';
import { DIGITS } from './store.js';

const codec = codecOf(new CipherKey(Buffer.from(DIGITS, 'hex')));
const decrypted = (text: string) => codec.open(codec.seal(text, 'message'), 'message');

it.each([
  ['half surrogate pairs', 'a\ud800b\udc00\udfff'],
  ['half a pair beside a whole one', '\ud83d😀\ude00é'],
  ['U+FFFD, which decoders use for what is not valid', '\ufffd\ud800\ufffd'],
  ['a byte-order mark', '\ufeffa'],
])('%s', (_, text) => {
  expect(decrypted(text)).toBe(text);
});

it('any sequence of UTF-16 units', () => {
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
