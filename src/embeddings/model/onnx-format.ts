/**
 * Writes the part of the ONNX format that a transformer needs: a model as nested Protocol Buffers messages.
 * The field numbers are those of onnx.proto3 (https://github.com/onnx/onnx/blob/main/onnx/onnx.proto3).
 */

export type Bytes = Uint8Array;

/** Values of TensorProto.DataType. */
export const ELEMENT = { float: 1, int8: 3, int32: 6, int64: 7 } as const;
type Element = (typeof ELEMENT)[keyof typeof ELEMENT];

const IR_VERSION = 8;
/** The first opset with LayerNormalization. */
const OPSET = 17;
const ATTRIBUTE = { float: 1, int: 2, ints: 7 } as const;

export type Attribute = number | readonly number[] | { readonly float: number };

/** Builds a graph node by node. */
export class OnnxGraph {
  readonly #nodes: Bytes[] = [];
  readonly #tensors: Bytes[] = [];
  #count = 0;

  /** Adds an operation with one output and returns the name of the output. */
  op(
    type: string,
    inputs: readonly string[],
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    return this.ops(type, inputs, 1, attributes)[0] ?? '';
  }

  /** Adds an operation with several outputs and returns their names. */
  ops(
    type: string,
    inputs: readonly string[],
    outputs: number,
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string[] {
    this.#count += 1;
    const names = Array.from({ length: outputs }, (_, at) => `t${this.#count}_${at}`);
    this.#nodes.push(nodeOf(type, inputs, names, attributes));
    return names;
  }

  /** Adds an operation whose output gets the given name. */
  named(type: string, inputs: readonly string[], output: string): void {
    this.#nodes.push(nodeOf(type, inputs, [output], {}));
  }

  /** Adds a constant and returns its name. */
  tensor(name: string, element: Element, dims: readonly number[], data: ArrayBufferView): string {
    const raw = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
    this.#tensors.push(
      Buffer.concat([
        ...dims.map((dim) => intField(1, dim)),
        intField(2, element),
        textField(8, name),
        bytesField(9, raw),
      ]),
    );
    return name;
  }

  /** The bytes of the whole model. A dimension that is a string is free. */
  model(
    inputs: Readonly<Record<string, ValueType>>,
    outputs: Readonly<Record<string, ValueType>>,
  ): Bytes {
    const values = (field: number, types: Readonly<Record<string, ValueType>>) =>
      Object.entries(types).map(([name, type]) => bytesField(field, valueInfo(name, type)));
    const graph = Buffer.concat([
      ...this.#nodes.map((node) => bytesField(1, node)),
      textField(2, 'sentence-model'),
      ...this.#tensors.map((tensor) => bytesField(5, tensor)),
      ...values(11, inputs),
      ...values(12, outputs),
    ]);
    return Buffer.concat([
      intField(1, IR_VERSION),
      textField(2, 'daybook'),
      bytesField(7, graph),
      bytesField(8, Buffer.concat([textField(1, ''), intField(2, OPSET)])),
    ]);
  }
}

export interface ValueType {
  readonly element: Element;
  readonly dims: readonly (number | string)[];
}

function nodeOf(
  type: string,
  inputs: readonly string[],
  outputs: readonly string[],
  attributes: Readonly<Record<string, Attribute>>,
): Bytes {
  return Buffer.concat([
    ...inputs.map((name) => textField(1, name)),
    ...outputs.map((name) => textField(2, name)),
    textField(4, type),
    ...Object.entries(attributes).map(([name, value]) => bytesField(5, attributeOf(name, value))),
  ]);
}

function attributeOf(name: string, value: Attribute): Bytes {
  if (typeof value === 'number') {
    return Buffer.concat([textField(1, name), intField(3, value), intField(20, ATTRIBUTE.int)]);
  }
  if ('float' in value) {
    return Buffer.concat([
      textField(1, name),
      floatField(2, value.float),
      intField(20, ATTRIBUTE.float),
    ]);
  }
  const items = value.map((item) => intField(8, item));
  return Buffer.concat([textField(1, name), ...items, intField(20, ATTRIBUTE.ints)]);
}

function valueInfo(name: string, { element, dims }: ValueType): Bytes {
  const shape = Buffer.concat(
    dims.map((dim) =>
      bytesField(1, typeof dim === 'number' ? intField(1, dim) : textField(2, dim)),
    ),
  );
  const tensor = Buffer.concat([intField(1, element), bytesField(2, shape)]);
  return Buffer.concat([textField(1, name), bytesField(2, bytesField(1, tensor))]);
}

const VARINT = 0;
const LENGTH = 2;
const FIXED32 = 5;

const tag = (field: number, wire: number) => varint((field << 3) | wire);
const intField = (field: number, value: number) =>
  Buffer.concat([tag(field, VARINT), varint(value)]);
const textField = (field: number, text: string) => bytesField(field, Buffer.from(text));
const bytesField = (field: number, bytes: Bytes) =>
  Buffer.concat([tag(field, LENGTH), varint(bytes.byteLength), bytes]);

function floatField(field: number, value: number): Bytes {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([tag(field, FIXED32), bytes]);
}

/** A negative number takes ten bytes, as in Protocol Buffers' int64. */
function varint(value: number): Bytes {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    const low = Number(rest & 0x7fn);
    rest >>= 7n;
    bytes.push(rest === 0n ? low : low | 0x80);
  } while (rest !== 0n);
  return Uint8Array.from(bytes);
}
