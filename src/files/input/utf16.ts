/** Converts imported texts in UTF-16 to UTF-8. On Windows, `>` of PowerShell writes UTF-16. */
import { TextDecoder } from 'node:util';

/** Yields the same bytes, or UTF-8 if they begin with a byte-order mark of UTF-16. */
export async function* withoutUtf16(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let decoder: TextDecoder | undefined;
  let isFirst = true;
  for await (const part of bytes) {
    if (isFirst) decoder = decoderFor(part);
    isFirst = false;
    yield decoder === undefined ? part : Buffer.from(decoder.decode(part, { stream: true }));
  }
  if (decoder !== undefined) yield Buffer.from(decoder.decode());
}

function decoderFor([first, second]: Uint8Array): TextDecoder | undefined {
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le');
  return first === 0xfe && second === 0xff ? new TextDecoder('utf-16be') : undefined;
}
