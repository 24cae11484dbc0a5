/**
 * An input that reports which of its files are opened and how much of a large file was read. kept-input.ts is
 * another wrapper of an input.
 */
import type { Input, InputFile } from '../../files/input/input-types.js';

/** The large file that is being read, and how far. */
export interface ReadingProgress {
  readonly name: string;
  readonly bytes: number;
  readonly sizeBytes: number;
}

/** By file of an observed or a kept input: the file itself. */
const originals = new WeakMap<InputFile, InputFile>();

/** The original file: opening it, to detect its format, is not reported. */
export const unobserved = (file: InputFile): InputFile => originals.get(file) ?? file;

/** From now on, `unobserved` returns `original` for `copy`. */
export function noteOriginal(copy: InputFile, original: InputFile): void {
  originals.set(copy, original);
}

/** Reading a smaller file takes less than a second. */
export const LARGE_BYTES = 8 * 1024 * 1024;

/**
 * The same input. It adds the names of opened files to `opened`, and calls `onProgress` after each part of a
 * large file, and with `undefined` at its end.
 */
export function observedInput(
  input: Input,
  opened: Set<string>,
  onProgress: (reading: ReadingProgress | undefined) => void,
): Input {
  const bytesOf = (file: InputFile) => {
    opened.add(file.name);
    return file.sizeBytes < LARGE_BYTES ? file.bytes() : countedBytes(file, onProgress);
  };
  const files = input.files.map((file) => {
    const observed = { ...file, bytes: () => bytesOf(file) };
    noteOriginal(observed, file);
    return observed;
  });
  return { ...input, files };
}

async function* countedBytes(
  file: InputFile,
  onProgress: (reading: ReadingProgress | undefined) => void,
): AsyncGenerator<Uint8Array> {
  const { name, sizeBytes } = file;
  let bytes = 0;
  try {
    for await (const piece of file.bytes()) {
      bytes += piece.byteLength;
      onProgress({ name, bytes, sizeBytes });
      yield piece;
    }
  } finally {
    onProgress(undefined);
  }
}
