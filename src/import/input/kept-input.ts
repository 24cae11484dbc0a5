/**
 * An input that keeps the bytes of a small file, and what was read from them, in memory while the sources try to
 * detect its format (detect-source.ts).
 */
import type { Input, InputFile } from '../../files/input/input-types.js';
import { isZstd } from '../../files/input/zstd.js';
import { LARGE_BYTES, noteOriginal, unobserved } from './observed-input.js';

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
  noteOriginal(copy, unobserved(file));
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
