/**
 * The bytes of a text that is sealed: UTF-8. Half a surrogate pair, which UTF-8 cannot store, has the three
 * bytes that UTF-8 would give its code point (WTF-8), so that the text is exactly the same afterwards.
 */

import { isUtf8 } from 'node:buffer';

const HALF_PAIR = /(\p{Cs})/u;
/** As latin1. In valid UTF-8 no such bytes follow each other. */
const HALF_PAIR_BYTES = /\xed([\xa0-\xbf][\x80-\xbf])/;

export function bytesOfText(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text);
  const parts = text.split(HALF_PAIR).map((part, at) => {
    const unit = part.charCodeAt(0);
    return at % 2 === 0
      ? Buffer.from(part)
      : Buffer.from([0xed, 0x80 | ((unit >> 6) & 0x3f), 0x80 | (unit & 0x3f)]);
  });
  return Buffer.concat(parts);
}

export function textOfBytes(bytes: Buffer): string {
  if (isUtf8(bytes)) return bytes.toString();
  const parts = bytes.toString('latin1').split(HALF_PAIR_BYTES);
  return parts
    .map((part, at) => {
      const own = Buffer.from(part, 'latin1');
      if (at % 2 === 0) return own.toString();
      return String.fromCharCode(0xd000 | (((own[0] ?? 0) & 0x3f) << 6) | ((own[1] ?? 0) & 0x3f));
    })
    .join('');
}
