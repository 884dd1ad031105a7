import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/**
 * A network in the format of TensorFlow.js ("graph model"), whose operations expect pictures in the order rows,
 * columns, channels.
 */
export interface SavedGraph {
  readonly nodes: readonly SavedNode[];
  readonly weights: ReadonlyMap<string, SavedTensor>;
}

/** An operation. `strides`, `ksize` (the window of a pool) and all shapes have four dimensions. */
export interface SavedNode {
  readonly name: string;
  readonly op: string;
  /** The names of the nodes and weights that the operation reads. */
  readonly input: readonly string[];
  readonly strides: readonly number[];
  readonly ksize: readonly number[];
  readonly padding: string | undefined;
  /** The operations that are fused with this one, in this order. */
  readonly fused: readonly string[];
}

/** A tensor, with the outermost dimension first. */
export interface SavedTensor {
  readonly shape: readonly number[];
  readonly values: Float32Array;
}

const word = z.base64().transform((text) => Buffer.from(text, 'base64').toString());
const integers = z.object({ list: z.object({ i: z.array(z.coerce.number().int()) }) });

const nodeSchema = z
  .object({
    name: z.string(),
    op: z.string(),
    input: z.array(z.string()).default([]),
    attr: z
      .object({
        strides: integers.optional(),
        ksize: integers.optional(),
        padding: z.object({ s: word }).optional(),
        fused_ops: z.object({ list: z.object({ s: z.array(word).default([]) }) }).optional(),
      })
      .default({}),
  })
  .transform(({ attr, ...node }): SavedNode => ({
    ...node,
    strides: attr.strides?.list.i ?? [],
    ksize: attr.ksize?.list.i ?? [],
    padding: attr.padding?.s,
    fused: attr.fused_ops?.list.s ?? [],
  }));

const graphSchema = z.object({
  modelTopology: z.object({ node: z.array(nodeSchema) }),
  weightsManifest: z.tuple([
    z.object({
      weights: z.array(
        z.object({
          name: z.string(),
          shape: z.array(z.number().int()),
          dtype: z.enum(['float32', 'int32']),
          quantization: z.object({ dtype: z.literal('float16') }).optional(),
        }),
      ),
    }),
  ]),
});

/**
 * Reads `name.json` and `name.bin` in `folder`. Half-precision numbers and integers are converted to floats.
 */
export async function readSavedGraph(folder: URL, name: string): Promise<SavedGraph> {
  const [text, bytes] = await Promise.all([
    readFile(new URL(`${name}.json`, folder), 'utf8'),
    readFile(new URL(`${name}.bin`, folder)),
  ]);
  const { modelTopology, weightsManifest } = graphSchema.parse(JSON.parse(text));
  const weights = new Map<string, SavedTensor>();
  let offset = 0;
  for (const { name: weight, shape, dtype, quantization } of weightsManifest[0].weights) {
    const { size, at } = READERS[quantization?.dtype ?? dtype];
    const values = new Float32Array(shape.reduce((product, side) => product * side, 1));
    for (let n = 0; n < values.length; n++, offset += size) values[n] = at(bytes, offset);
    weights.set(weight, { shape, values });
  }
  return { nodes: modelTopology.node, weights };
}

const READERS = {
  float32: { size: 4, at: (bytes: Buffer, offset: number) => bytes.readFloatLE(offset) },
  int32: { size: 4, at: (bytes: Buffer, offset: number) => bytes.readInt32LE(offset) },
  float16: { size: 2, at: (bytes: Buffer, offset: number) => fromHalf(bytes.readUInt16LE(offset)) },
};

/** Converts a number in IEEE 754 half precision. */
function fromHalf(bits: number): number {
  const sign = bits >> 15 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const fraction = bits & 1023;
  if (exponent === 0) return sign * fraction * 2 ** -24;
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
