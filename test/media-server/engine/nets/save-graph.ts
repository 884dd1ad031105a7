import { writeFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';

export interface Weight {
  readonly shape: readonly number[];
  readonly values: readonly number[];
  /** The stored format of the values. `float16` rounds, so pass values that it can represent. */
  readonly as: 'float16' | 'float32' | 'int32';
}

/** An operation of the saved graph; its attributes have the TensorFlow.js form (see `attributes`). */
export interface Node {
  readonly name: string;
  readonly op: string;
  readonly input?: readonly string[];
  readonly attr?: object;
}

/**
 * Returns the attributes of an operation that moves a window over a picture; `pool` is the side of the window if the
 * operation has no weights.
 */
export function attributes(window: {
  readonly stride?: number;
  readonly padding: 'SAME' | 'VALID';
  readonly pool?: number;
  readonly fused?: readonly string[];
}): object {
  const { stride = 1, padding, pool, fused } = window;
  const sides = (side: number): object => ({ list: { i: ['1', String(side), String(side), '1'] } });
  return {
    T: { type: 'DT_FLOAT' },
    strides: sides(stride),
    padding: { s: base64(padding) },
    ...(pool === undefined ? {} : { ksize: sides(pool) }),
    ...(fused === undefined ? {} : { fused_ops: { list: { s: fused.map(base64) } } }),
  };
}

/** Writes `name.json` and `name.bin`. Returns the folder's URL. */
export async function saveGraph(
  folder: string,
  name: string,
  nodes: readonly Node[],
  weights: Readonly<Record<string, Weight>>,
): Promise<URL> {
  const constants = Object.keys(weights).map((weight) => ({ name: weight, op: 'Const' }));
  const manifest = Object.entries(weights).map(([weight, { shape, as }]) => ({
    name: weight,
    shape,
    dtype: as === 'int32' ? as : 'float32',
    ...(as === 'float16' ? { quantization: { dtype: as, original_dtype: 'float32' } } : {}),
  }));
  const model = {
    format: 'graph-model',
    modelTopology: { node: [...constants, ...nodes] },
    weightsManifest: [{ paths: [`${name}.bin`], weights: manifest }],
  };
  await writeFile(join(folder, `${name}.json`), JSON.stringify(model));
  await writeFile(join(folder, `${name}.bin`), Buffer.concat(Object.values(weights).map(bytesOf)));
  return pathToFileURL(`${folder}/`);
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function bytesOf({ values, as }: Weight): Buffer {
  const size = as === 'float16' ? 2 : 4;
  const bytes = Buffer.alloc(values.length * size);
  for (const [index, value] of values.entries()) {
    if (as === 'float16') bytes.writeUInt16LE(toHalf(value), index * size);
    else if (as === 'int32') bytes.writeInt32LE(value, index * size);
    else bytes.writeFloatLE(value, index * size);
  }
  return bytes;
}

/**
 * Returns the bits of a finite number in IEEE 754 half precision: sign, five bits of exponent, ten bits of
 * fraction.
 */
function toHalf(value: number): number {
  const size = Math.abs(value);
  const exponent = Math.max(-14, Math.floor(Math.log2(size || 1)));
  const steps = Math.round(size * 2 ** (10 - exponent));
  const exponentBits = steps < 1024 ? 0 : exponent + 15;
  return (value < 0 || Object.is(value, -0) ? 0x8000 : 0) | (exponentBits << 10) | (steps & 1023);
}
