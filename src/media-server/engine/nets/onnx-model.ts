import { PbfWriter } from 'pbf';

type Attribute = number | readonly number[] | 'SAME_UPPER' | 'VALID';

/** A tensor that is part of the model, with the outermost dimension first. */
interface Constant {
  readonly name: string;
  readonly dimensions: readonly number[];
  readonly values: Float32Array | BigInt64Array;
}

interface Operation {
  readonly name: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly attributes: Readonly<Record<string, Attribute>>;
}

/** A dimension is a number, or a name if it is variable. */
interface ModelInput {
  readonly name: string;
  readonly dimensions: readonly (number | string)[];
}

const IR_VERSION = 9;
const OPERATOR_SET = 17;
const FLOAT = 1;
const INT64 = 7;
const ATTRIBUTE_INT = 2;
const ATTRIBUTE_STRING = 3;
const ATTRIBUTE_INTS = 7;

/**
 * Builds a network from operations in the order in which they run. The field numbers are those of
 * `onnx.proto` (ONNX 1.16).
 */
export class OnnxModel {
  readonly #operations: Operation[] = [];
  readonly #constants: Constant[] = [];

  /** Adds an operation of ONNX operator set 17. Returns the name of its output. */
  add(
    name: string,
    inputs: readonly string[],
    output: string,
    attributes: Readonly<Record<string, Attribute>> = {},
  ): string {
    this.#operations.push({ name, inputs, output, attributes });
    return output;
  }

  /** Adds a tensor. Returns its name. */
  constant(name: string, dimensions: readonly number[], values: Float32Array | BigInt64Array): string {
    this.#constants.push({ name, dimensions, values });
    return name;
  }

  /** Encodes the model for ONNX Runtime. Input and outputs are 32-bit floats. */
  encode(input: ModelInput, outputs: readonly string[]): Uint8Array {
    const pbf = new PbfWriter();
    pbf.writeVarintField(1, IR_VERSION);
    message(pbf, 7, () => {
      for (const operation of this.#operations) message(pbf, 1, () => writeOperation(pbf, operation));
      pbf.writeStringField(2, 'network');
      for (const constant of this.#constants) message(pbf, 5, () => writeConstant(pbf, constant));
      message(pbf, 11, () => writeValue(pbf, input));
      for (const name of outputs) message(pbf, 12, () => writeValue(pbf, { name }));
    });
    message(pbf, 8, () => pbf.writeVarintField(2, OPERATOR_SET));
    return pbf.finish();
  }
}

function message(pbf: PbfWriter, field: number, write: () => void): void {
  pbf.writeMessage(field, write, undefined);
}

function writeOperation(pbf: PbfWriter, { name, inputs, output, attributes }: Operation): void {
  for (const input of inputs) pbf.writeStringField(1, input);
  pbf.writeStringField(2, output);
  pbf.writeStringField(3, output);
  pbf.writeStringField(4, name);
  for (const [key, value] of Object.entries(attributes)) {
    message(pbf, 5, () => writeAttribute(pbf, key, value));
  }
}

function writeAttribute(pbf: PbfWriter, name: string, value: Attribute): void {
  pbf.writeStringField(1, name);
  if (typeof value === 'number') {
    pbf.writeVarintField(3, value);
    pbf.writeVarintField(20, ATTRIBUTE_INT);
  } else if (typeof value === 'string') {
    pbf.writeStringField(4, value);
    pbf.writeVarintField(20, ATTRIBUTE_STRING);
  } else {
    for (const number of value) pbf.writeVarintField(8, number);
    pbf.writeVarintField(20, ATTRIBUTE_INTS);
  }
}

function writeConstant(pbf: PbfWriter, { name, dimensions, values }: Constant): void {
  for (const dimension of dimensions) pbf.writeVarintField(1, dimension);
  pbf.writeVarintField(2, values instanceof Float32Array ? FLOAT : INT64);
  pbf.writeStringField(8, name);
  pbf.writeBytesField(9, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}

function writeValue(pbf: PbfWriter, { name, dimensions }: Partial<ModelInput>): void {
  pbf.writeStringField(1, name ?? '');
  message(pbf, 2, () =>
    message(pbf, 1, () => {
      pbf.writeVarintField(1, FLOAT);
      if (dimensions) message(pbf, 2, () => writeDimensions(pbf, dimensions));
    }),
  );
}

function writeDimensions(pbf: PbfWriter, dimensions: readonly (number | string)[]): void {
  for (const dimension of dimensions) {
    message(pbf, 1, () => {
      if (typeof dimension === 'number') pbf.writeVarintField(1, dimension);
      else pbf.writeStringField(2, dimension);
    });
  }
}
