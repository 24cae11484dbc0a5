/** The standard input as text, for the argument `-`. */
import { isUtf8 } from 'node:buffer';
import { buffer } from 'node:stream/consumers';
import { AppError } from '../../base/errors.js';

/**
 * Reads to the end. A byte-order mark at the beginning is removed, because programs on Windows write it and
 * it is not part of the text. VALIDATION_ERROR if the bytes are not UTF-8: other bytes could not be stored unchanged.
 */
export async function textOfStdin(): Promise<string> {
  const bytes = await buffer(process.stdin);
  if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
  throw new AppError('VALIDATION_ERROR', 'The standard input is not UTF-8 text.', {
    hint: 'Nothing was stored. Convert the text first, for example with: iconv -f latin1 -t utf-8',
  });
}
