/**
 * Vectors in memory: rows of 8-bit integers, each with a scale, found by the key of their text. A question
 * is compared with all rows; there is no approximate index. The rows are in the memory of the WebAssembly
 * function, so that a question copies nothing.
 */
import { type WasmMemory, webAssembly } from '../../base/web-assembly.js';
import { createDotKernel, type DotKernel, LANES } from './dot-kernel.js';

/** Length of a key in bytes: the beginning of the SHA-256 of the text. */
export const KEY_BYTES = 16;

export interface Row {
  /** Hexadecimal, `KEY_BYTES` bytes. */
  readonly key: string;
  readonly values: Int8Array;
  readonly scale: number;
}

const MAX_INT8 = 127;
const FIRST_ROWS = 1024;
const PAGE_BYTES = 65_536;

/** Quantizes a vector of length 1. `values` times `scale` differs from it by at most a quarter of a percent. */
export function quantized(vector: Float32Array): { values: Int8Array; scale: number } {
  let largest = 0;
  for (const value of vector) largest = Math.max(largest, Math.abs(value));
  const scale = largest / MAX_INT8 || 1;
  return { values: Int8Array.from(vector, (value) => Math.round(value / scale)), scale };
}

export interface VectorTableOptions {
  /** False: uses plain JavaScript, as on a machine without SIMD. */
  readonly usesKernel?: boolean;
}

export class VectorTable {
  readonly width: number;
  /** Bytes of a row in memory: the width, padded with zeros to a multiple of LANES. */
  readonly #stride: number;
  readonly #rows = new Map<string, number>();
  /** The question, then the rows, then one sum for each row. */
  readonly #memory: WasmMemory;
  readonly #kernel: DotKernel | undefined;
  #scales: Float32Array;

  constructor(width: number, { usesKernel = true }: VectorTableOptions = {}) {
    this.width = width;
    this.#stride = Math.ceil(width / LANES) * LANES;
    this.#scales = new Float32Array(FIRST_ROWS);
    this.#memory = new webAssembly.Memory({ initial: this.#pages(FIRST_ROWS) });
    this.#kernel = usesKernel ? createDotKernel(this.#memory) : undefined;
  }

  get size(): number {
    return this.#rows.size;
  }

  rowOf(key: string): number | undefined {
    return this.#rows.get(key);
  }

  /** Returns the index of the row. An existing row with the same key is kept. */
  add({ key, values, scale }: Row): number {
    const known = this.#rows.get(key);
    if (known !== undefined) return known;
    const row = this.#rows.size;
    this.#makeRoom(row + 1);
    new Int8Array(this.#memory.buffer, this.#at(row), this.width).set(values);
    this.#scales[row] = scale;
    this.#rows.set(key, row);
    return row;
  }

  /** By row: cosine with a question of length 1. */
  cosines(question: Float32Array): Float32Array {
    const { values, scale } = quantized(question);
    const scores = new Float32Array(this.size);
    const sums = this.#dots(values);
    const scales = this.#scales;
    for (let row = 0; row < scores.length; row += 1)
      scores[row] = (sums[row] ?? 0) * scale * (scales[row] ?? 0);
    return scores;
  }

  #dots(question: Int8Array): Int32Array {
    const { size } = this;
    if (size === 0) return new Int32Array(0);
    const sumsAt = this.#at(this.#scales.length);
    const sums = new Int32Array(this.#memory.buffer, sumsAt, size);
    const padded = new Int8Array(this.#memory.buffer, 0, this.#stride);
    padded.fill(0);
    padded.set(question);
    if (this.#kernel !== undefined) this.#kernel(0, this.#stride, this.#stride, size, sumsAt);
    else this.#plainDots(padded, sums);
    return sums;
  }

  #plainDots(question: Int8Array, sums: Int32Array): void {
    const rows = new Int8Array(this.#memory.buffer, this.#stride, sums.length * this.#stride);
    for (let row = 0; row < sums.length; row += 1) {
      let sum = 0;
      const from = row * this.#stride;
      for (let at = 0; at < this.width; at += 1)
        sum += (rows[from + at] ?? 0) * (question[at] ?? 0);
      sums[row] = sum;
    }
  }

  /** Byte offset of a row; that of the row after the last is the offset of the sums. */
  #at(row: number): number {
    return (row + 1) * this.#stride;
  }

  #pages(rows: number): number {
    return Math.ceil((this.#at(rows) + rows * Int32Array.BYTES_PER_ELEMENT) / PAGE_BYTES);
  }

  #makeRoom(rows: number): void {
    if (rows <= this.#scales.length) return;
    const capacity = this.#scales.length * 2;
    const more = this.#pages(capacity) - this.#memory.buffer.byteLength / PAGE_BYTES;
    if (more > 0) this.#memory.grow(more);
    const scales = new Float32Array(capacity);
    scales.set(this.#scales);
    this.#scales = scales;
  }
}
