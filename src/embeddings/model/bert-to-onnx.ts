/**
 * Converts the tensors of a BERT checkpoint to an ONNX graph with 8-bit weights, without a conversion tool.
 * Matrices are quantized by column and multiplied as integers; DynamicQuantizeLinear quantizes their
 * inputs. The table of word embeddings is quantized by row. Everything else is floating point. The inputs
 * and the output have the names of the usual exports of sentence models.
 */
import { ELEMENT, OnnxGraph } from './onnx-format.js';
import type { Tensor } from './safetensors.js';

export interface BertShape {
  readonly layers: number;
  readonly hidden: number;
  readonly heads: number;
  readonly epsilon: number;
}

const MAX_INT8 = 127;
/** Added to the attention score of padding, so that its softmax is 0. */
const MASKED = -10_000;

/** The bytes of an ONNX model. Throws CORRUPT if a tensor is missing. */
export function bertModel(tensor: (name: string) => Tensor, shape: BertShape): Uint8Array {
  const builder = new GraphBuilder(tensor, shape);
  let state = embedded(builder);
  const mask = maskOf(builder);
  for (let layer = 0; layer < shape.layers; layer += 1) {
    state = encoderLayer(builder, state, mask, `encoder.layer.${layer}`);
  }
  const { graph } = builder;
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

class GraphBuilder {
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

  /** x · Wᵀ + b, with W in 8-bit integers and one scale for each column. */
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

  /** Rows of a quantized embedding table, by token ID. */
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

function embedded(builder: GraphBuilder): string {
  const { graph } = builder;
  const words = builder.lookup('input_ids', 'embeddings.word_embeddings.weight');
  const length = graph.op('Gather', [graph.op('Shape', ['input_ids']), builder.integers([1], [])]);
  const positions = graph.op('Range', [
    builder.integers([0], []),
    length,
    builder.integers([1], []),
  ]);
  const table = builder.float('embeddings.position_embeddings.weight');
  const types = builder.float('embeddings.token_type_embeddings.weight');
  const sum = graph.op('Add', [words, graph.op('Gather', [table, positions])]);
  const all = graph.op('Add', [sum, graph.op('Gather', [types, 'token_type_ids'])]);
  return builder.normalized(all, 'embeddings.LayerNorm');
}

/** Shape [batch, 1, 1, sequence]: 0 for a token, MASKED for padding. */
function maskOf(builder: GraphBuilder): string {
  const { graph } = builder;
  const isThere = graph.op('Cast', ['attention_mask'], { to: ELEMENT.float });
  const isPadding = graph.op('Sub', [builder.number(1), isThere]);
  const score = graph.op('Mul', [isPadding, builder.number(MASKED)]);
  return graph.op('Unsqueeze', [score, builder.integers([1, 2])]);
}

function encoderLayer(builder: GraphBuilder, input: string, mask: string, name: string): string {
  const { graph } = builder;
  const context = attention(builder, input, mask, `${name}.attention.self`);
  const projected = builder.linear(context, `${name}.attention.output.dense`);
  const attended = builder.normalized(
    graph.op('Add', [projected, input]),
    `${name}.attention.output.LayerNorm`,
  );
  const inner = gelu(builder, builder.linear(attended, `${name}.intermediate.dense`));
  const outer = builder.linear(inner, `${name}.output.dense`);
  return builder.normalized(graph.op('Add', [outer, attended]), `${name}.output.LayerNorm`);
}

function attention(builder: GraphBuilder, input: string, mask: string, name: string): string {
  const { graph, shape } = builder;
  const width = shape.hidden / shape.heads;
  const split = builder.integers([0, 0, shape.heads, width]);
  const heads = (what: string, perm: readonly number[]) =>
    graph.op(
      'Transpose',
      [graph.op('Reshape', [builder.linear(input, `${name}.${what}`), split])],
      {
        perm,
      },
    );
  const query = heads('query', [0, 2, 1, 3]);
  const key = heads('key', [0, 2, 3, 1]);
  const value = heads('value', [0, 2, 1, 3]);
  const scores = graph.op('Mul', [
    graph.op('MatMul', [query, key]),
    builder.number(1 / Math.sqrt(width)),
  ]);
  const weights = graph.op('Softmax', [graph.op('Add', [scores, mask])], { axis: -1 });
  const context = graph.op('Transpose', [graph.op('MatMul', [weights, value])], {
    perm: [0, 2, 1, 3],
  });
  return graph.op('Reshape', [context, builder.integers([0, 0, shape.hidden])]);
}

/** GELU: x/2 · (1 + erf(x/√2)). */
function gelu(builder: GraphBuilder, input: string): string {
  const { graph } = builder;
  const error = graph.op('Erf', [graph.op('Div', [input, builder.number(Math.SQRT2)])]);
  const share = graph.op('Add', [error, builder.number(1)]);
  return graph.op('Mul', [graph.op('Mul', [input, share]), builder.number(0.5)]);
}

/** Quantizes each row with the scale of its own largest absolute value. */
function quantizedRows(values: Float32Array, rows: number, width: number) {
  const quantized = new Int8Array(rows * width);
  const scales = new Float32Array(rows);
  for (let row = 0; row < rows; row += 1) {
    let largest = 0;
    for (let at = row * width; at < (row + 1) * width; at += 1) {
      largest = Math.max(largest, Math.abs(values[at] ?? 0));
    }
    const scale = largest / MAX_INT8 || 1;
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
