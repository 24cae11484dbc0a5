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
    const [from = -1, to = -1] = sizesIn(offsets);
    if (from < 0 || to < from || start + to > bytes.byteLength) {
      throw damaged(`it has no tensor ${name}`);
    }
    const view = new DataView(bytes.buffer, bytes.byteOffset + start + from, to - from);
    const tensor = { shape: sizesIn(shape), values: valuesOf(view, String(dtype)) };
    const count = tensor.shape.reduce((product, size) => product * size, 1);
    if (count === tensor.values.length) return tensor;
    throw damaged(`its tensor ${name} has ${tensor.values.length} numbers, not ${count}`);
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

/** Empty unless all are whole numbers from 0 on. */
function sizesIn(value: unknown): number[] {
  const isValid =
    Array.isArray(value) && value.every((size) => Number.isSafeInteger(size) && size >= 0);
  return isValid ? value : [];
}

function damaged(problem: string, cause?: unknown): AppError {
  return new AppError('CORRUPT', `The weights of the model cannot be used: ${problem}.`, { cause });
}
