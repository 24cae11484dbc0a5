/**
 * Two wrappers of an input. `observedInput` reports which files are opened and how much of a large file was
 * read. `keptInput` keeps the bytes of a small file in memory while the sources try to detect its format.
 */
import type { Input, InputFile } from '../../files/input/input-types.js';
import { isZstd } from '../../files/input/zstd.js';

/** The large file that is being read, and how far. */
export interface ReadingProgress {
  readonly name: string;
  readonly bytes: number;
  readonly sizeBytes: number;
}

/** By file of an observed input: the file itself. */
const originals = new WeakMap<InputFile, InputFile>();

/** The original file: opening it, to detect its format, is not reported. */
export const unobserved = (file: InputFile): InputFile => originals.get(file) ?? file;

/** Reading a smaller file takes less than a second. */
const LARGE_BYTES = 8 * 1024 * 1024;

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
    originals.set(observed, file);
    return observed;
  });
  return { ...input, files };
}

/** By file of a kept input: by function, what it yielded. */
const keptByFile = new WeakMap<InputFile, Map<unknown, Promise<readonly unknown[]>>>();

/**
 * The same input for all sources that try to detect it. If it is one file that is not large, its bytes are read
 * only once. They and what was read from them are kept in memory as long as the returned input.
 */
export function keptInput(input: Input): Input {
  const [file] = input.files;
  if (input.form !== 'file' || file === undefined || !isSmall(file)) return input;
  const read = () => file.bytes();
  const copy: InputFile = { ...file, bytes: () => kept(copy, read) };
  originals.set(copy, unobserved(file));
  keptByFile.set(copy, new Map());
  return { ...input, files: [copy] };
}

/** Yields what `read` yields. For a file of a kept input, each function is called only once. */
export async function* kept<Value>(
  file: InputFile,
  read: (file: InputFile) => AsyncIterable<Value>,
): AsyncGenerator<Value> {
  const results = keptByFile.get(file);
  if (results === undefined) return yield* read(file);
  const found = results.get(read) ?? listOf(read(file));
  results.set(read, found);
  yield* (await found) as readonly Value[];
}

/** The unpacked size of a compressed file is not known. */
const isSmall = ({ name, sizeBytes }: InputFile): boolean =>
  sizeBytes < LARGE_BYTES && !isZstd(name);

async function listOf(values: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const list: unknown[] = [];
  for await (const value of values) list.push(value);
  return list;
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
