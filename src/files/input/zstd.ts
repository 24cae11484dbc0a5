/**
 * Decompresses logs that other programs store as Zstandard, in bounded memory. Node has Zstandard only
 * since 22.15, so a small decoder in JavaScript (fzstd) is loaded when the first such file is read.
 */
import { AppError } from '../../base/errors.js';

/** The decoder keeps the output of one input chunk in memory. No log needs more than this. */
const MAX_OUTPUT_PER_CHUNK = 256 * 1024 * 1024;

export const isZstd = (name: string): boolean => name.endsWith('.zst');

/** CORRUPT (damaged, incomplete), TOO_LARGE, and what `packed` throws. Errors contain `name`. */
export async function* unzstd(
  packed: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd');
  const out: Uint8Array[] = [];
  const decoder = new Decompress((data) => void out.push(data));
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      decoder.push(chunk, isLast);
    } catch (cause) {
      throw new AppError('CORRUPT', `${name} is damaged or incomplete (zstd).`, { cause });
    }
    const sizeBytes = out.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (sizeBytes > MAX_OUTPUT_PER_CHUNK) throw tooLarge(name);
    return out.splice(0);
  };
  for await (const chunk of packed) {
    // In small pieces, because the decoder keeps the whole output of one `push` in memory.
    for (let at = 0; at < chunk.byteLength; at += PIECE) {
      yield* push(chunk.subarray(at, at + PIECE), false);
    }
  }
  yield* push(new Uint8Array(0), true);
}

const PIECE = 32 * 1024;

const tooLarge = (name: string) =>
  new AppError(
    'TOO_LARGE',
    `${name} was not read, because it would be far larger when it is unpacked.`,
  );
