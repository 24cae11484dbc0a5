/**
 * A BERT encoder as an ONNX graph with weights of eight bits: from the tensors of a checkpoint, without
 * any conversion tool. Matrices are quantised by column and multiplied as integers (the inputs are
 * quantised on the way, DynamicQuantizeLinear); the table of words is quantised by row; all else stays
 * floating point. Input and output are those of the usual exports of sentence models.
 */
import { ELEMENT, OnnxGraph } from './onnx-format.js';
import type { Tensor } from './safetensors.js';

export interface BertShape {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly epsilon: number;
}

const LARGEST_INT8 = 127;
/** Added to the score of what is padding. */
const MASKED = -10_000;

/** The bytes of the model. CORRUPT where a tensor is missing. */
export function bertModel(tensor: (name: string) => Tensor, shape: BertShape): Uint8Array {
  const parts = new Parts(tensor, shape);
  let state = embedded(parts);
  const mask = maskOf(parts);
  for (let layer = 0; layer < shape.layers; layer += 1) {
    state = encoderLayer(parts, state, mask, `encoder.layer.${layer}`);
  }
  const { graph } = parts;
  graph.named('Identity', [state], 'last_hidden_state');
  const ids = { element: ELEMENT.int64, dims: ['batch', 'sequence'] };
  return graph.model(
    { input_ids: ids, attention_mask: ids, token_type_ids: ids },
    {
      last_hidden_state: {
        element: ELEMENT.float,
        dims: ['batch', 'sequence', shape.hidden],
      },
    },
  );
}

class Parts {
  readonly graph = new OnnxGraph();
  readonly shape: BertShape;
  readonly #tensor: (name: string) => Tensor;
  #constants = 0;

  constructor(tensor: (name: string) => Tensor, shape: BertShape) {
    this.#tensor = tensor;
    this.shape = shape;
  }

  float(name: string): string {
    const { shape, values } = this.#tensor(name);
    return this.graph.tensor(name, ELEMENT.float, shape, values);
  }

  number(value: number): string {
    this.#constants += 1;
    return this.graph.tensor(`c${this.#constants}`, ELEMENT.float, [], Float32Array.of(value));
  }

  integers(values: readonly number[], dims: readonly number[] = [values.length]): string {
    this.#constants += 1;
    const data = BigInt64Array.from(values.map(BigInt));
    return this.graph.tensor(`c${this.#constants}`, ELEMENT.int64, dims, data);
  }

  /** x · Wᵀ + b, with W as eight-bit integers and a scale a column. */
  linear(input: string, name: string): string {
    const { graph } = this;
    const weight = this.#tensor(`${name}.weight`);
    const [outputs = 0, inputs = 0] = weight.shape;
    const { rows, scales } = quantizedRows(weight.values, outputs, inputs);
    const matrix = transposed(rows, outputs, inputs);
    const q = graph.tensor(`${name}.q`, ELEMENT.int8, [inputs, outputs], matrix);
    const s = graph.tensor(`${name}.s`, ELEMENT.float, [outputs], scales);
    const [x = '', xScale = '', xZero = ''] = graph.ops('DynamicQuantizeLinear', [input], 3);
    const product = graph.op('MatMulInteger', [x, q, xZero]);
    const numbers = graph.op('Cast', [product], { to: ELEMENT.float });
    const scale = graph.op('Mul', [xScale, s]);
    return graph.op('Add', [graph.op('Mul', [numbers, scale]), this.float(`${name}.bias`)]);
  }

  /** Rows of a table of words by their numbers. */
  lookup(ids: string, name: string): string {
    const { graph } = this;
    const { shape, values } = this.#tensor(name);
    const [count = 0, width = 0] = shape;
    const { rows, scales } = quantizedRows(values, count, width);
    const q = graph.tensor(`${name}.q`, ELEMENT.int8, [count, width], rows);
    const s = graph.tensor(`${name}.s`, ELEMENT.float, [count, 1], scales);
    const row = graph.op('Cast', [graph.op('Gather', [q, ids])], { to: ELEMENT.float });
    return graph.op('Mul', [row, graph.op('Gather', [s, ids])]);
  }

  normalized(input: string, name: string): string {
    const inputs = [input, this.float(`${name}.weight`), this.float(`${name}.bias`)];
    return this.graph.op('LayerNormalization', inputs, {
      axis: -1,
      epsilon: { float: this.shape.epsilon },
    });
  }
}

function embedded(parts: Parts): string {
  const { graph } = parts;
  const words = parts.lookup('input_ids', 'embeddings.word_embeddings.weight');
  const length = graph.op('Gather', [graph.op('Shape', ['input_ids']), parts.integers([1], [])]);
  const positions = graph.op('Range', [parts.integers([0], []), length, parts.integers([1], [])]);
  const table = parts.float('embeddings.position_embeddings.weight');
  const types = parts.float('embeddings.token_type_embeddings.weight');
  const sum = graph.op('Add', [words, graph.op('Gather', [table, positions])]);
  const all = graph.op('Add', [sum, graph.op('Gather', [types, 'token_type_ids'])]);
  return parts.normalized(all, 'embeddings.LayerNorm');
}

/** [batch, 1, 1, sequence]: 0 where there is a token, far below where there is none. */
function maskOf(parts: Parts): string {
  const { graph } = parts;
  const isThere = graph.op('Cast', ['attention_mask'], { to: ELEMENT.float });
  const isPadding = graph.op('Sub', [parts.number(1), isThere]);
  const score = graph.op('Mul', [isPadding, parts.number(MASKED)]);
  return graph.op('Unsqueeze', [score, parts.integers([1, 2])]);
}

function encoderLayer(parts: Parts, input: string, mask: string, name: string): string {
  const { graph } = parts;
  const context = attention(parts, input, mask, `${name}.attention.self`);
  const projected = parts.linear(context, `${name}.attention.output.dense`);
  const attended = parts.normalized(
    graph.op('Add', [projected, input]),
    `${name}.attention.output.LayerNorm`,
  );
  const inner = gelu(parts, parts.linear(attended, `${name}.intermediate.dense`));
  const outer = parts.linear(inner, `${name}.output.dense`);
  return parts.normalized(graph.op('Add', [outer, attended]), `${name}.output.LayerNorm`);
}

function attention(parts: Parts, input: string, mask: string, name: string): string {
  const { graph, shape } = parts;
  const width = shape.hidden / shape.heads;
  const split = parts.integers([0, 0, shape.heads, width]);
  const heads = (what: string, perm: readonly number[]) =>
    graph.op('Transpose', [graph.op('Reshape', [parts.linear(input, `${name}.${what}`), split])], {
      perm,
    });
  const query = heads('query', [0, 2, 1, 3]);
  const key = heads('key', [0, 2, 3, 1]);
  const value = heads('value', [0, 2, 1, 3]);
  const scores = graph.op('Mul', [
    graph.op('MatMul', [query, key]),
    parts.number(1 / Math.sqrt(width)),
  ]);
  const weights = graph.op('Softmax', [graph.op('Add', [scores, mask])], { axis: -1 });
  const context = graph.op('Transpose', [graph.op('MatMul', [weights, value])], {
    perm: [0, 2, 1, 3],
  });
  return graph.op('Reshape', [context, parts.integers([0, 0, shape.hidden])]);
}

/** x/2 · (1 + erf(x/√2)). */
function gelu(parts: Parts, input: string): string {
  const { graph } = parts;
  const error = graph.op('Erf', [graph.op('Div', [input, parts.number(Math.SQRT2)])]);
  const share = graph.op('Add', [error, parts.number(1)]);
  return graph.op('Mul', [graph.op('Mul', [input, share]), parts.number(0.5)]);
}

/** Each row by its own largest value. */
function quantizedRows(values: Float32Array, rows: number, width: number) {
  const quantized = new Int8Array(rows * width);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    let largest = 0;
    for (let at = row * width; at < (row + 1) * width; at += 1) {
      largest = Math.max(largest, Math.abs(values[at] ?? 0));
    }
    const scale = largest / LARGEST_INT8 || 1;
    scales[row] = scale;
    for (let at = row * width; at < (row + 1) * width; at += 1) {
      quantized[at] = Math.round((values[at] ?? 0) / scale);
    }
  }
  return { rows: quantized, scales };
}

function transposed(values: Int8Array, rows: number, width: number): Int8Array {
  const result = new Int8Array(values.length);
  for (let row = 0; row < rows; row += 1) {
    for (let at = 0; at < width; at += 1) result[at * rows + row] = values[row * width + at] ?? 0;
  }
  return result;
}
