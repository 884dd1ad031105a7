import { FRAME_VALUES } from './sound-features.ts';
import { MOUTH_NET_WEIGHTS } from './mouth-net-weights.ts';

/**
 * One layer of the net: `outputs` weighted sums of `inputs` values each, plus a bias. The weights are stored
 * row by row.
 */
export interface Layer {
  readonly inputs: number;
  readonly outputs: number;
  readonly weights: Float32Array;
  readonly biases: Float32Array;
}

/** The frames around a moment from which the net estimates the mouth, up to 120 ms before and after. */
const CONTEXT_FRAMES: readonly number[] = [-12, -8, -5, -3, -1, 1, 3, 5, 8, 12];
export const NET_SIZES: readonly number[] = [CONTEXT_FRAMES.length * FRAME_VALUES, 36, 20, 4];

/**
 * Copies the values around `frame` to `input`. Beyond the ends, the first and the last frame are repeated.
 */
export function gatherContext(features: Float32Array, frame: number, input: Float32Array): void {
  const last = features.length / FRAME_VALUES - 1;
  for (const [n, offset] of CONTEXT_FRAMES.entries()) {
    const from = Math.min(last, Math.max(0, frame + offset)) * FRAME_VALUES;
    for (let value = 0; value < FRAME_VALUES; value++)
      input[n * FRAME_VALUES + value] = features[from + value] ?? 0;
  }
}

/** Writes the result of `layer` for `input` to `output`, before the activation function. */
export function applyLayer(layer: Layer, input: Float32Array, output: Float32Array): void {
  for (let row = 0; row < layer.outputs; row++) {
    let sum = layer.biases[row] ?? 0;
    const at = row * layer.inputs;
    for (let n = 0; n < layer.inputs; n++) sum += (layer.weights[at + n] ?? 0) * (input[n] ?? 0);
    output[row] = sum;
  }
}

/** A small neural net that maps the sound around a moment to the mouth's open, spread, press and tuck values. */
export class MouthNet {
  readonly #layers: readonly Layer[];
  readonly #values: readonly Float32Array[];

  constructor(layers: readonly Layer[] = unpackLayers(MOUTH_NET_WEIGHTS)) {
    this.#layers = layers;
    this.#values = NET_SIZES.map((size) => new Float32Array(size));
  }

  /** Returns the shape at a frame: open, spread (-1 to 1), press, tuck. The array is valid until the next call. */
  at(features: Float32Array, frame: number): Float32Array {
    const [input = EMPTY] = this.#values;
    gatherContext(features, frame, input);
    for (const [n, layer] of this.#layers.entries()) {
      const output = this.#values[n + 1] ?? EMPTY;
      applyLayer(layer, this.#values[n] ?? EMPTY, output);
      if (n < this.#layers.length - 1)
        for (let row = 0; row < output.length; row++) output[row] = Math.tanh(output[row] ?? 0);
    }
    const shape = this.#values.at(-1) ?? EMPTY;
    for (let part = 0; part < shape.length; part++) shape[part] = bendOutput(part, shape[part] ?? 0);
    return shape;
  }
}

const EMPTY = new Float32Array(0);
const SPREAD = 1;

/** Applies the activation function: spread ranges from -1 to 1, the other values from 0 to 1. */
export function bendOutput(part: number, value: number): number {
  return part === SPREAD ? Math.tanh(value) : 1 / (1 + Math.exp(-value));
}

/**
 * Packs for each layer: a scale per row, a bias per row (32 bit), then the weights as shares of their row's
 * scale (8 bit).
 */
export function packLayers(layers: readonly Layer[]): string {
  const parts = layers.map(({ inputs, outputs, weights, biases }) => {
    const scales = Float32Array.from({ length: outputs }, (_, row) => {
      return weights
        .subarray(row * inputs, (row + 1) * inputs)
        .reduce((most, w) => Math.max(most, Math.abs(w)), 1e-6);
    });
    const shares = Int8Array.from(weights, (weight, n) => {
      return Math.round((127 * weight) / (scales[Math.floor(n / inputs)] ?? 1));
    });
    return Buffer.concat([scales, biases, shares].map(({ buffer }) => new Uint8Array(buffer)));
  });
  return Buffer.concat(parts).toString('base64');
}

function unpackLayers(text: string): Layer[] {
  const bytes = Buffer.from(text, 'base64');
  let at = 0;
  return NET_SIZES.slice(1).map((outputs, n) => {
    const inputs = NET_SIZES[n] ?? 0;
    const scales = Float32Array.from({ length: outputs }, (_, row) => bytes.readFloatLE(at + 4 * row));
    at += 4 * outputs;
    const biases = Float32Array.from({ length: outputs }, (_, row) => bytes.readFloatLE(at + 4 * row));
    at += 4 * outputs;
    const weights = Float32Array.from({ length: inputs * outputs }, (_, w) => {
      return (bytes.readInt8(at + w) * (scales[Math.floor(w / inputs)] ?? 0)) / 127;
    });
    at += inputs * outputs;
    return { inputs, outputs, weights, biases };
  });
}
