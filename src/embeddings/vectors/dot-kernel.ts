/** Loads the inner loop of the search by meaning, which is WebAssembly (dot-kernel.wat). */
import { type WasmMemory, webAssembly } from '../../base/web-assembly.js';
import { DOT_KERNEL } from './dot-kernel-wasm.js';

/** The numbers are byte offsets into the memory. `width` is a multiple of `LANES`; `count` is at least 1. */
export type DotKernel = (
  question: number,
  rows: number,
  width: number,
  count: number,
  sums: number,
) => void;

export const LANES = 16;

/** The function for this memory; `undefined` if the machine has no SIMD in WebAssembly. */
export function createDotKernel(memory: WasmMemory): DotKernel | undefined {
  const bytes = Buffer.from(DOT_KERNEL, 'base64');
  if (!webAssembly.validate(bytes)) return undefined;
  const instance = new webAssembly.Instance(new webAssembly.Module(bytes), { m: { memory } });
  return instance.exports['dots'] as DotKernel;
}
