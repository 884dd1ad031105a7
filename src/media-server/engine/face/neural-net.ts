import { readFile } from 'node:fs/promises';
import type { Tensor, io } from '@tensorflow/tfjs-core';
import { freeInputSize } from './free-input-size.ts';
import { missingModule, optionalModule } from '../optional-module.ts';

/** A network with one square RGB input, run on the calling thread. Not safe to use from two threads. */
export interface NeuralNet extends Disposable {
  /** Runs on `size * size * 3` values and returns the outputs, shortest first; the caller owns them. */
  run(input: Float32Array, size: number): Float32Array[];
}

/**
 * Loads a network bundled with `@vladmandic/human` on TensorFlow.js' WASM backend (SIMD, one thread).
 * Throws an error that names the missing package when an optional peer is not installed.
 */
export async function loadNeuralNet(name: 'blazeface' | 'facemesh'): Promise<NeuralNet> {
  const tf = await optionalModule('@tensorflow/tfjs-core', import('@tensorflow/tfjs-core'));
  await optionalModule('@tensorflow/tfjs-backend-wasm', import('@tensorflow/tfjs-backend-wasm'));
  const converter = await optionalModule('@tensorflow/tfjs-converter', import('@tensorflow/tfjs-converter'));
  if (!(await tf.setBackend('wasm'))) throw new Error('Cannot run the media engine: no WASM backend');
  const artifacts = await readModel(name);
  const model = await converter.loadGraphModel({ load: () => Promise.resolve(artifacts) });
  return {
    run(input, size) {
      const tensor = tf.tensor4d(input, [1, size, size, 3]);
      const outputs = asArray(model.execute(tensor));
      const values = outputs.map((output) => output.dataSync<'float32'>());
      tf.dispose([tensor, ...outputs]);
      return values.sort((a, b) => a.length - b.length);
    },
    [Symbol.dispose]: () => model.dispose(),
  };
}

async function readModel(name: string): Promise<io.ModelArtifacts> {
  const folder = modelFolder();
  const [topology, weights] = await Promise.all([
    readFile(new URL(`${name}.json`, folder), 'utf8'),
    readFile(new URL(`${name}.bin`, folder)),
  ]);
  const { modelTopology, weightsManifest, signature, userDefinedMetadata } = JSON.parse(topology);
  const weightSpecs = weightsManifest[0].weights;
  const weightData = weights.buffer.slice(weights.byteOffset, weights.byteOffset + weights.byteLength);
  if (name === 'blazeface') freeInputSize(modelTopology, weightSpecs, weightData);
  return {
    modelTopology,
    weightSpecs,
    weightData,
    signature,
    userDefinedMetadata,
  };
}

/** The package's `exports` hide its models: they lie beside the folder of its main file. */
function modelFolder(): URL {
  try {
    return new URL('../models/', import.meta.resolve('@vladmandic/human'));
  } catch (error) {
    throw missingModule('@vladmandic/human', error);
  }
}

function asArray(outputs: Tensor | Tensor[] | Record<string, Tensor>): Tensor[] {
  if (Array.isArray(outputs)) return outputs;
  return 'dataSync' in outputs ? [outputs as Tensor] : Object.values(outputs);
}
