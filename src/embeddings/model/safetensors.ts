/**
 * Reads the safetensors format (https://huggingface.co/docs/safetensors): the length of the header in eight
 * bytes, a JSON header with the offsets of the tensors, then the tensors. Only F32 and F16 are supported,
 * the types of BERT weights.
 */
import { AppError } from '../../base/errors.js';
import { objectIn } from '../../base/json-fields.js';

export interface Tensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const HEADER_LENGTH_BYTES = 8;

/** A reader of tensors by name. Both throw CORRUPT: for no such file, or no such tensor. */
export function tensorsIn(bytes: Uint8Array): (name: string) => Tensor {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = headerOf(bytes, view);
  const start = HEADER_LENGTH_BYTES + Number(view.getBigUint64(0, true));
  return (name) => {
    const { dtype, shape, data_offsets: offsets } = objectIn(header[name]);
    const [from, to] = numbers(offsets);
    if (from === undefined || to === undefined || start + to > bytes.byteLength) {
      throw damaged(`it has no tensor ${name}`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset + start + from, to - from);
    return { shape: numbers(shape), values: valuesOf(view, String(dtype)) };
  };
}

function headerOf(bytes: Uint8Array, view: DataView): Record<string, unknown> {
  try {
    const length = Number(view.getBigUint64(0, true));
    const text = new TextDecoder().decode(
      bytes.subarray(HEADER_LENGTH_BYTES, HEADER_LENGTH_BYTES + length),
    );
    return objectIn(JSON.parse(text));
  } catch (error) {
    throw damaged('its header cannot be read', error);
  }
}

function valuesOf(view: DataView, dtype: string): Float32Array {
  if (dtype === 'F32') {
    return Float32Array.from({ length: view.byteLength / 4 }, (_, at) =>
      view.getFloat32(at * 4, true),
    );
  }
  if (dtype !== 'F16') throw damaged(`its numbers have the type ${dtype}, not F32 or F16`);
  const count = view.byteLength / 2;
  const values = new Float32Array(count);
  for (let at = 0; at < count; at += 1) values[at] = fromHalf(view.getUint16(at * 2, true));
  return values;
}

/** IEEE 754 binary16. */
function fromHalf(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
}

const numbers = (value: unknown): number[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'number') : [];

function damaged(problem: string, cause?: unknown): AppError {
  return new AppError('CORRUPT', `The weights of the model cannot be used: ${problem}.`, { cause });
}
