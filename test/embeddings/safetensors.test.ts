/** Weights of a model in the safetensors format: what is read, and what is refused as damaged. */
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/base/errors.js';
import { tensorsIn } from '../../src/embeddings/model/safetensors.js';

const VALUES = Float32Array.of(1, -2, 0.5, 4);

function fileOf(tensor: object): Uint8Array {
  const header = Buffer.from(JSON.stringify({ w: tensor }));
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  return Buffer.concat([length, header, Buffer.from(VALUES.buffer)]);
}

const sound = { dtype: 'F32', shape: [2, 2], data_offsets: [0, 16] };

describe('a tensor', () => {
  it('is read with its shape', () => {
    expect(tensorsIn(fileOf(sound))('w')).toEqual({ shape: [2, 2], values: VALUES });
    const half = { dtype: 'F16', shape: [2], data_offsets: [2, 6] };
    expect(tensorsIn(fileOf(half))('w').values).toHaveLength(2);
  });

  it.each([
    ['begins before the data', { data_offsets: [-8, 8] }],
    ['ends before it begins', { data_offsets: [16, 0] }],
    ['ends after the file', { data_offsets: [4, 20] }],
    ['has no whole offsets', { data_offsets: [0.5, 16.5] }],
    ['has offsets that are no numbers', { data_offsets: ['0', 16] }],
    ['has fewer values than its shape says', { shape: [2, 3] }],
    ['has more values than its shape says', { shape: [3] }],
    ['has a negative shape', { shape: [-2, -2] }],
    ['has another type', { dtype: 'I64', shape: [2] }],
  ])('that %s is refused', (_, change) => {
    const read = () => tensorsIn(fileOf({ ...sound, ...change }))('w');
    expect(read).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
    expect(read).toThrow(AppError);
  });
});
