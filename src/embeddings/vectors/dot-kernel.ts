/**
 * The inner loop of the search by meaning, as WebAssembly with SIMD: the dot products of one row of 8-bit
 * integers with many rows, sixteen integers at a time. The bytes are assembled here from named instructions
 * (https://webassembly.github.io/spec/core/binary/), so that no compiler and no binary file is needed. In
 * text form the module is:
 *
 *     (func (export "dots") (param $q i32) (param $row i32) (param $width i32) (param $count i32) (param $out i32)
 *       (local $at i32) (local $sum v128) (local $a v128) (local $b v128)
 *       (loop $rows
 *         $sum = 0; $at = 0
 *         (loop $chunks
 *           $a = v128.load($row + $at); $b = v128.load($q + $at)
 *           $sum += dot(extend_low($a), extend_low($b)) + dot(extend_high($a), extend_high($b))
 *           $at += 16; (br_if $chunks ($at < $width)))
 *         i32.store($out, lane 0 + lane 1 + lane 2 + lane 3 of $sum)
 *         $row += $width; $out += 4; $count -= 1; (br_if $rows $count)))
 */
import { type WasmMemory, webAssembly } from './web-assembly.js';

/** The numbers are byte offsets into the memory. `width` is a multiple of `LANES`; `count` is at least 1. */
export type DotKernel = (
  question: number,
  rows: number,
  width: number,
  count: number,
  sums: number,
) => void;

export const LANES = 16;

const [I32, V128, VOID] = [0x7f, 0x7b, 0x40];
const [LOOP, BR_IF, END, LOCAL_GET, LOCAL_SET, I32_CONST] = [0x03, 0x0d, 0x0b, 0x20, 0x21, 0x41];
const [I32_ADD, I32_SUB, I32_LT_U, I32_STORE] = [0x6a, 0x6b, 0x49, 0x36];
const V128_LOAD = [0xfd, 0x00, 0x00, 0x00]; // alignment 1, offset 0
const V128_ZERO = [0xfd, 0x0c, ...Array.from({ length: LANES }, () => 0)];
const EXTEND_LOW = [0xfd, 0x87, 0x01]; // i16x8.extend_low_i8x16_s
const EXTEND_HIGH = [0xfd, 0x88, 0x01]; // i16x8.extend_high_i8x16_s
const DOT = [0xfd, 0xba, 0x01]; // i32x4.dot_i16x8_s
const ADD = [0xfd, 0xae, 0x01]; // i32x4.add
const lane = (index: number) => [0xfd, 0x1b, index]; // i32x4.extract_lane

const [Q, ROW, WIDTH, COUNT, OUT, AT, SUM, A, B] = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const get = (local: number | undefined) => [LOCAL_GET, local ?? 0];
const set = (local: number | undefined) => [LOCAL_SET, local ?? 0];
const number = (value: number) => [I32_CONST, value]; // below 64: one byte
const step = (local: number | undefined, by: readonly number[], operation = I32_ADD) => [
  ...get(local),
  ...by,
  operation,
  ...set(local),
];
const loadInto = (local: number | undefined, from: number | undefined) => [
  ...get(from),
  ...get(AT),
  I32_ADD,
  ...V128_LOAD,
  ...set(local),
];
const half = (extend: readonly number[]) => [...get(A), ...extend, ...get(B), ...extend, ...DOT];

const CHUNK = [
  ...loadInto(A, ROW),
  ...loadInto(B, Q),
  ...get(SUM),
  ...half(EXTEND_LOW),
  ...ADD,
  ...half(EXTEND_HIGH),
  ...ADD,
  ...set(SUM),
  ...step(AT, number(LANES)),
  ...get(AT),
  ...get(WIDTH),
  I32_LT_U,
];
const STORE_SUM = [
  ...get(OUT),
  ...[0, 1, 2, 3].flatMap((index) => [
    ...get(SUM),
    ...lane(index),
    ...(index === 0 ? [] : [I32_ADD]),
  ]),
  ...[I32_STORE, 0x02, 0x00],
];
const BODY = [
  ...[LOOP, VOID],
  ...V128_ZERO,
  ...set(SUM),
  ...number(0),
  ...set(AT),
  ...[LOOP, VOID, ...CHUNK, BR_IF, 0, END],
  ...STORE_SUM,
  ...step(ROW, get(WIDTH)),
  ...step(OUT, number(4)),
  ...step(COUNT, number(1), I32_SUB),
  ...get(COUNT),
  ...[BR_IF, 0, END],
  END,
];

/** The bytes of the module. It imports its memory as `m.memory` and exports `dots`. */
export function kernelBytes(): Uint8Array {
  const text = (value: string) => [value.length, ...Buffer.from(value)];
  const section = (id: number, content: readonly number[]) => [
    id,
    ...size(content.length),
    ...content,
  ];
  const locals = [2, 1, I32, 3, V128];
  const code = [...locals, ...BODY].map((byte) => byte ?? 0);
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // "\0asm", version 1
    ...section(
      1,
      [1, 0x60, 5, I32, I32, I32, I32, I32, 0].map((byte) => byte ?? 0),
    ),
    ...section(2, [1, ...text('m'), ...text('memory'), 0x02, 0x00, 1]),
    ...section(3, [1, 0]),
    ...section(7, [1, ...text('dots'), 0x00, 0]),
    ...section(10, [1, ...size(code.length), ...code]),
  ]);
}

/** Unsigned LEB128. */
function size(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...size(value >> 7)];
}

/** The function for this memory; `undefined` if the machine has no SIMD in WebAssembly. */
export function createDotKernel(memory: WasmMemory): DotKernel | undefined {
  const bytes = kernelBytes();
  if (!webAssembly.validate(bytes)) return undefined;
  const instance = new webAssembly.Instance(new webAssembly.Module(bytes), { m: { memory } });
  return instance.exports['dots'] as DotKernel;
}
