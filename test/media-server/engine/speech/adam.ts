import type { Layer } from '../../../../src/media-server/engine/speech/mouth-net.ts';

const MEAN_DECAY = 0.9;
const SQUARE_DECAY = 0.999;

/**
 * Accumulates gradients for one layer and updates its weights (Kingma and Ba, 2015), with a little weight
 * decay.
 */
export class Adam {
  readonly slopes: Float32Array;
  readonly biasSlopes: Float32Array;
  readonly #layer: Layer;
  readonly #moments: readonly Float32Array[];
  #steps = 0;

  constructor(layer: Layer) {
    this.#layer = layer;
    this.slopes = new Float32Array(layer.weights.length);
    this.biasSlopes = new Float32Array(layer.biases.length);
    this.#moments = [this.slopes, this.slopes, this.biasSlopes, this.biasSlopes].map(
      ({ length }) => new Float32Array(length),
    );
  }

  take(rate: number): void {
    this.#steps++;
    const { weights, biases } = this.#layer;
    const [mean, square, biasMean, biasSquare] = this.#moments as [
      Float32Array,
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    this.#move(weights, this.slopes, mean, square, rate);
    this.#move(biases, this.biasSlopes, biasMean, biasSquare, rate);
    for (let n = 0; n < weights.length; n++) weights[n] = (weights[n] as number) * (1 - 0.01 * rate);
  }

  #move(
    values: Float32Array,
    slopes: Float32Array,
    mean: Float32Array,
    square: Float32Array,
    rate: number,
  ): void {
    const meanShare = 1 - MEAN_DECAY ** this.#steps;
    const squareShare = 1 - SQUARE_DECAY ** this.#steps;
    for (let n = 0; n < values.length; n++) {
      const slope = slopes[n] as number;
      mean[n] = MEAN_DECAY * (mean[n] as number) + (1 - MEAN_DECAY) * slope;
      square[n] = SQUARE_DECAY * (square[n] as number) + (1 - SQUARE_DECAY) * slope * slope;
      const size = Math.sqrt((square[n] as number) / squareShare) + 1e-8;
      values[n] = (values[n] as number) - (rate * (mean[n] as number)) / meanShare / size;
    }
    slopes.fill(0);
  }
}
