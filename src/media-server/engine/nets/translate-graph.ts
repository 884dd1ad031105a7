import { OnnxModel } from './onnx-model.ts';
import type { SavedGraph, SavedNode, SavedTensor } from './saved-graph.ts';

/** The name of the translated network's only input: `[1, rows, columns, channels]`. */
export const NETWORK_INPUT = 'picture';

/**
 * Converts a saved picture network to an equivalent ONNX model. The model also accepts pictures of a size other than
 * that of the saved input. Throws for operations that BlazeFace and Face Mesh do not use.
 */
export function translateGraph(graph: SavedGraph): Uint8Array {
  const translation = new Translation(graph);
  const outputs = graph.nodes.filter((node) => {
    translation.add(node);
    return node.op === 'Identity';
  });
  const input = { name: NETWORK_INPUT, dimensions: [1, 'rows', 'columns', 3] };
  return translation.model.encode(
    input,
    outputs.map(({ name }) => name),
  );
}

/** Between input and outputs, pictures are stored with channels first, as ONNX requires. */
const CHANNELS_FIRST = [0, 3, 1, 2] as const;
const CHANNELS_LAST = [0, 2, 3, 1] as const;

class Translation {
  readonly model = new OnnxModel();
  readonly #weights: ReadonlyMap<string, SavedTensor>;

  constructor({ weights }: SavedGraph) {
    this.#weights = weights;
  }

  add(node: SavedNode): void {
    const { model } = this;
    const { name, op, input } = node;
    switch (op) {
      case 'Const':
        return;
      case 'Placeholder':
        model.add('Transpose', [NETWORK_INPUT], name, { perm: CHANNELS_FIRST });
        return;
      case '_FusedConv2D':
        return this.#convolution(node, node.fused);
      case 'DepthwiseConv2dNative':
        return this.#convolution(node, []);
      case 'AddV2':
        model.add('Add', input, name);
        return;
      case 'Relu':
      case 'Sigmoid':
      case 'Identity':
        model.add(op, input, name);
        return;
      case 'Prelu':
        return this.#prelu(at(input, 0), this.#weight(node, 1), name);
      case 'MaxPool':
        model.add('MaxPool', input, name, { kernel_shape: sides(node.ksize), ...windowOf(node) });
        return;
      case 'Pad':
        return this.#pad(node);
      case 'Reshape':
        return this.#reshape(node);
      default:
        throw new TypeError(`Cannot translate the network's operation ${op}`);
    }
  }

  #convolution(node: SavedNode, fused: readonly string[]): void {
    const { model } = this;
    const { name, input } = node;
    const kernel = this.#weight(node, 1);
    const [rows = 1, columns = 1, inputs = 1] = kernel.shape;
    const isDepthwise = node.op === 'DepthwiseConv2dNative';
    const operands = [at(input, 0), this.#kernel(`${name}/kernel`, kernel, isDepthwise)];
    if (fused.includes('BiasAdd')) {
      const { shape, values } = this.#weight(node, 2);
      operands.push(model.constant(`${name}/bias`, shape, values));
    }
    const activation = fused.find((step) => step !== 'BiasAdd');
    const result = activation ? `${name}/linear` : name;
    const group = isDepthwise ? inputs : 1;
    model.add('Conv', operands, result, { kernel_shape: [rows, columns], group, ...windowOf(node) });
    if (activation === 'Relu') model.add('Relu', [result], name);
    else if (activation === 'Prelu') this.#prelu(result, this.#weight(node, 3), name);
    else if (activation) throw new TypeError(`Cannot translate the network's activation ${activation}`);
  }

  /**
   * Reorders a kernel's dimensions: rows, columns, inputs, outputs become outputs, inputs, rows, columns. In a
   * depthwise kernel, each input has its own output.
   */
  #kernel(name: string, { shape, values }: SavedTensor, isDepthwise: boolean): string {
    const [rows = 1, columns = 1, inputs = 1, outputs = 1] = shape;
    const places = rows * columns;
    const perPlace = inputs * outputs;
    const turned = new Float32Array(values.length);
    for (let place = 0; place < places; place++) {
      for (let input = 0; input < inputs; input++) {
        for (let output = 0; output < outputs; output++) {
          const channel = isDepthwise ? input : output * inputs + input;
          turned[channel * places + place] = values[place * perPlace + input * outputs + output] ?? 0;
        }
      }
    }
    const channels = isDepthwise ? [inputs, 1] : [outputs, inputs];
    return this.model.constant(name, [...channels, rows, columns], turned);
  }

  /**
   * Computes `x` if it is positive and `slope * x` otherwise, as `x + (1 - slope) * relu(-x)`. ONNX Runtime's
   * own operator processes one value at a time, which took two thirds of the network's total time.
   */
  #prelu(input: string, { values: slope }: SavedTensor, output: string): void {
    const { model } = this;
    const group = slope.length;
    const dimensions = [group, 1, 1, 1];
    const each = { kernel_shape: [1, 1], group };
    const minus = model.constant(`${output}/minus`, dimensions, new Float32Array(group).fill(-1));
    const rest = model.constant(
      `${output}/rest`,
      dimensions,
      slope.map((value) => 1 - value),
    );
    const negated = model.add('Conv', [input, minus], `${output}/negated`, each);
    const negative = model.add('Relu', [negated], `${output}/negative`);
    const correction = model.add('Conv', [negative, rest], `${output}/correction`, each);
    model.add('Add', [input, correction], output);
  }

  #pad(node: SavedNode): void {
    const { values } = this.#weight(node, 1);
    const begins = CHANNELS_FIRST.map((dimension) => values[dimension * 2] ?? 0);
    const ends = CHANNELS_FIRST.map((dimension) => values[dimension * 2 + 1] ?? 0);
    const pads = this.model.constant(`${node.name}/pads`, [8], integers([...begins, ...ends]));
    this.model.add('Pad', [at(node.input, 0), pads], node.name);
  }

  /**
   * The saved shape of an output contains the number of anchors. That number depends on the picture's size, so it is
   * replaced with -1, and ONNX Runtime computes it.
   */
  #reshape(node: SavedNode): void {
    const { values } = this.#weight(node, 1);
    const wanted = values.length === 3 ? [1, -1, values[2] ?? 0] : [1, -1];
    const shape = this.model.constant(`${node.name}/shape`, [wanted.length], integers(wanted));
    const input = at(node.input, 0);
    const turned = this.model.add('Transpose', [input], `${node.name}/turned`, { perm: CHANNELS_LAST });
    this.model.add('Reshape', [turned, shape], node.name);
  }

  #weight({ name, input }: SavedNode, index: number): SavedTensor {
    const weight = this.#weights.get(at(input, index));
    if (!weight) throw new TypeError(`Cannot translate the network: ${name} lacks its weights`);
    return weight;
  }
}

function windowOf({ strides, padding }: SavedNode): {
  strides: readonly number[];
  auto_pad: 'SAME_UPPER' | 'VALID';
} {
  return { strides: sides(strides), auto_pad: padding === 'SAME' ? 'SAME_UPPER' : 'VALID' };
}

/** Returns the values for rows and columns from a list of values for all four dimensions. */
function sides(dimensions: readonly number[]): readonly number[] {
  return dimensions.slice(1, 3);
}

function integers(values: readonly number[]): BigInt64Array {
  return BigInt64Array.from(values, BigInt);
}

function at(inputs: readonly string[], index: number): string {
  const input = inputs[index];
  if (input === undefined) throw new TypeError('Cannot translate the network: an operation lacks an input');
  return input;
}
