/**
 * Zstandard, piece by piece, for logs that their makers compress. Node has it only from 22.15 on, so a
 * small decoder in JavaScript (fzstd) is loaded when the first such file is read.
 */
import { AppError } from '../../base/errors.js';

/** A window larger than this would be held in memory as a whole; no log needs one. */
const LARGEST_OUTPUT_PER_CHUNK = 256 * 1024 * 1024;

/** The unpacked bytes. CORRUPT where they are damaged or cut off, and whatever `packed` throws. */
export async function* unzstd(
  packed: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const { Decompress } = await import('fzstd');
  let out: Uint8Array[] = [];
  const decoder = new Decompress((data) => void out.push(data));
  const push = (chunk: Uint8Array, isLast: boolean) => {
    try {
      decoder.push(chunk, isLast);
    } catch (cause) {
      throw new AppError('CORRUPT', `${name} is damaged or incomplete (zstd).`, { cause });
    }
    const sizeBytes = out.reduce((sum, { byteLength }) => sum + byteLength, 0);
    if (sizeBytes > LARGEST_OUTPUT_PER_CHUNK) throw tooLarge(name);
    return out.splice(0);
  };
  for await (const chunk of packed) {
    // In small pieces: what one push makes is held in memory as a whole.
    for (let at = 0; at < chunk.byteLength; at += PIECE) {
      yield* push(chunk.subarray(at, at + PIECE), false);
    }
  }
  yield* push(new Uint8Array(0), true);
  out = [];
}

const PIECE = 32 * 1024;

const tooLarge = (name: string) =>
  new AppError(
    'TOO_LARGE',
    `${name} was not read, because it would be far larger when it is unpacked.`,
  );
