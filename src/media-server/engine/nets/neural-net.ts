import { missingModule, optionalModule } from '../optional-module.ts';
import { readSavedGraph } from './saved-graph.ts';
import { NETWORK_INPUT, translateGraph } from './translate-graph.ts';

/** A neural network with one square RGB input, which runs on the calling thread. */
export interface NeuralNet extends AsyncDisposable {
  /**
   * Runs the network on `size * size * 3` values, which must not change until it is done. Returns the
   * outputs, shortest first; the caller owns them.
   */
  run(input: Float32Array, size: number): Promise<Float32Array[]>;
}

/**
 * Loads a network that is bundled with `@vladmandic/human` into ONNX Runtime (one thread). Throws an error
 * that names the missing package if an optional peer is not installed.
 */
export async function loadNeuralNet(name: 'blazeface' | 'facemesh'): Promise<NeuralNet> {
  const { InferenceSession, Tensor } = await optionalModule('onnxruntime-node', import('onnxruntime-node'));
  const model = translateGraph(await readSavedGraph(modelFolder(), name));
  const session = await InferenceSession.create(model, { intraOpNumThreads: 1, interOpNumThreads: 1 });
  return {
    async run(input, size) {
      const picture = new Tensor('float32', input, [1, size, size, 3]);
      const outputs = Object.values(await session.run({ [NETWORK_INPUT]: picture }));
      return outputs.map(({ data }) => floats(data)).sort((a, b) => a.length - b.length);
    },
    [Symbol.asyncDispose]: () => session.release(),
  };
}

/**
 * Returns the folder of the package's models. The package's `exports` hide the models, but their folder is next to the
 * folder of its main file.
 */
function modelFolder(): URL {
  try {
    return new URL('../models/', import.meta.resolve('@vladmandic/human'));
  } catch (error) {
    throw missingModule('@vladmandic/human', error);
  }
}

function floats(data: unknown): Float32Array {
  if (!(data instanceof Float32Array)) throw new TypeError('Cannot use the network: it gives no floats');
  return data;
}
