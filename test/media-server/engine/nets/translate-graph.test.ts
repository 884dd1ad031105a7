import { InferenceSession, Tensor } from 'onnxruntime-node';
import { describe, expect, test } from 'vitest';
import { readSavedGraph } from '../../../../src/media-server/engine/nets/saved-graph.ts';
import { NETWORK_INPUT, translateGraph } from '../../../../src/media-server/engine/nets/translate-graph.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { seededRandom } from '../seeded-random.ts';
import { type Grid, addGrids, convolve, flat, gridOf, mapGrid, maxPool, padChannels } from './plain-net.ts';
import { type Node, type Weight, attributes, saveGraph } from './save-graph.ts';

const random = seededRandom(11);
const CHANNELS = 3;

/** Returns values of both signs, in steps that half precision can represent. */
function someValues(count: number): number[] {
  return Array.from({ length: count }, () => Math.round(random() * 256 - 128) / 64);
}

function somePicture(rows: number, columns: number): Grid {
  return gridOf({ rows, columns, channels: CHANNELS }, someValues(rows * columns * CHANNELS));
}

function halves(...shape: number[]): Weight {
  return { shape, values: someValues(shape.reduce((product, side) => product * side, 1)), as: 'float16' };
}

function floats(values: readonly number[], ...shape: number[]): Weight {
  return { shape, values, as: 'float32' };
}

function integers(...values: number[]): Weight {
  return { shape: [values.length], values, as: 'int32' };
}

const PLACEHOLDER: Node = { name: 'input', op: 'Placeholder' };

async function translated(
  nodes: readonly Node[],
  weights: Readonly<Record<string, Weight>>,
): Promise<Uint8Array> {
  return translateGraph(
    await readSavedGraph(await saveGraph(await useFolder(), 'net', [PLACEHOLDER, ...nodes], weights), 'net'),
  );
}

async function run(model: Uint8Array, { rows, columns, ...picture }: Grid): Promise<Map<string, Tensor>> {
  const session = await InferenceSession.create(model);
  try {
    const values = Float32Array.from(flat({ rows, columns, ...picture }));
    const input = new Tensor('float32', values, [1, rows, columns, CHANNELS]);
    return new Map(Object.entries(await session.run({ [NETWORK_INPUT]: input })));
  } finally {
    await session.release();
  }
}

/** Returns the output of the operation `node` for the picture, in the order of rows, columns, channels. */
async function output(
  node: Omit<Node, 'name'>,
  weights: Readonly<Record<string, Weight>>,
  picture: Grid,
): Promise<number[]> {
  const nodes: Node[] = [
    { name: 'node', ...node },
    { name: 'all', op: 'Reshape', input: ['node', 'all/shape'] },
    { name: 'Identity', op: 'Identity', input: ['all'] },
  ];
  const model = await translated(nodes, { ...weights, 'all/shape': integers(1, 1) });
  return numbers((await run(model, picture)).get('Identity'));
}

function numbers(tensor: Tensor | undefined): number[] {
  expect(tensor?.type).toBe('float32');
  return Array.from(tensor?.data as Float32Array);
}

/** Expects equal values, up to the error that single precision may accumulate over a few dozen additions. */
function expectClose(actual: readonly number[], expected: Grid): void {
  const wanted = flat(expected);
  expect(actual).toHaveLength(wanted.length);
  const worst = actual.reduce((most, value, at) => Math.max(most, Math.abs(value - (wanted[at] ?? 0))), 0);
  expect(worst).toBeLessThan(1e-4);
}

/** Returns the weights of a kernel, which is saved in the order of rows, columns, inputs, outputs. */
function fromKernel({ shape, values }: Weight): Parameters<typeof convolve>[3] {
  const [, columns = 0, inputs = 0, outputs = 0] = shape;
  return (row, column, input, output) =>
    values[((row * columns + column) * inputs + input) * outputs + output] ?? Number.NaN;
}

const WINDOWS = [
  { padding: 'SAME', stride: 1 },
  { padding: 'SAME', stride: 2 },
  { padding: 'VALID', stride: 1 },
  { padding: 'VALID', stride: 2 },
] as const;

/** Sizes that lead to even and to odd amounts of padding. */
const SIZES = [
  [7, 9],
  [8, 6],
  [9, 8],
] as const;

const CASES = WINDOWS.flatMap((window) => SIZES.map(([rows, columns]) => ({ ...window, rows, columns })));

describe('a fused convolution', () => {
  test.each(CASES)('$padding by $stride over $rows x $columns', async (at) => {
    const picture = somePicture(at.rows, at.columns);
    const kernel = halves(3, 2, CHANNELS, 4);
    const bias = floats([0.1, -0.2, 0.3, -0.4], 4);
    const op = '_FusedConv2D';
    const attr = attributes({ ...at, fused: ['BiasAdd'] });
    const actual = await output({ op, input: ['input', 'kernel', 'bias'], attr }, { kernel, bias }, picture);
    const window = { ...at, rows: 3, columns: 2 };
    const sums = convolve(picture, window, 4, fromKernel(kernel));
    expectClose(
      actual,
      mapGrid(sums, (value, channel) => value + (bias.values[channel] ?? 0)),
    );
  });

  const slopes = floats([-0.5, 0, 0.25, 1, 1.75], 1, 1, 5);
  const slope = (value: number, channel: number): number =>
    value < 0 ? value * (slopes.values[channel] ?? 0) : value;
  const kernel = halves(3, 3, CHANNELS, 5);
  const bias = floats(someValues(5), 5);

  test.each([
    { fused: [], after: (value: number) => value },
    { fused: ['Relu'], after: (value: number) => Math.max(0, value) },
    {
      fused: ['BiasAdd', 'Relu'],
      after: (value: number, channel: number) => Math.max(0, value + (bias.values[channel] ?? 0)),
    },
    {
      fused: ['BiasAdd', 'Prelu'],
      after: (value: number, channel: number) => slope(value + (bias.values[channel] ?? 0), channel),
    },
  ])('with $fused', async ({ fused, after }) => {
    const picture = somePicture(7, 5);
    const window = { padding: 'SAME', stride: 2 } as const;
    const input = ['input', 'kernel', 'bias', 'slopes'];
    const attr = attributes({ ...window, fused });
    const actual = await output({ op: '_FusedConv2D', input, attr }, { kernel, bias, slopes }, picture);
    const sums = convolve(picture, { ...window, rows: 3, columns: 3 }, 5, fromKernel(kernel));
    expectClose(actual, mapGrid(sums, after));
  });
});

test.each(CASES)('a depthwise convolution, $padding by $stride over $rows x $columns', async (at) => {
  const picture = somePicture(at.rows, at.columns);
  const kernel = halves(3, 2, CHANNELS, 1);
  const node = { op: 'DepthwiseConv2dNative', input: ['input', 'kernel'], attr: attributes(at) };
  const weight = fromKernel(kernel);
  const expected = convolve(picture, { ...at, rows: 3, columns: 2 }, CHANNELS, (row, column, input, own) =>
    input === own ? weight(row, column, input, 0) : 0,
  );
  expectClose(await output(node, { kernel }, picture), expected);
});

test.each(CASES)('the maximum of 2 x 2, $padding by $stride over $rows x $columns', async (at) => {
  const picture = mapGrid(somePicture(at.rows, at.columns), (value) => value - 3);
  const node = { op: 'MaxPool', input: ['input'], attr: attributes({ ...at, pool: 2 }) };
  expectClose(await output(node, {}, picture), maxPool(picture, { ...at, rows: 2, columns: 2 }));
});

describe('elementwise operations', () => {
  const picture = somePicture(5, 4);

  test.each([
    ['Relu', (value: number) => Math.max(0, value)],
    ['Sigmoid', (value: number) => 1 / (1 + Math.exp(-value))],
  ])('%s', async (op, change) => {
    expectClose(await output({ op, input: ['input'] }, {}, picture), mapGrid(picture, change));
  });

  test.each([
    ['changes the sign of negative values', [-0.5, -1, -2]],
    ['weakens them', [0, 0.25, 0.75]],
    ['leaves or amplifies them', [1, 1.5, 3]],
  ])('a Prelu that %s', async (_name, values) => {
    const actual = await output(
      { op: 'Prelu', input: ['input', 'slopes'] },
      { slopes: floats(values, 1, 1, CHANNELS) },
      picture,
    );
    expectClose(
      actual,
      mapGrid(picture, (value, channel) => (value < 0 ? value * (values[channel] ?? 0) : value)),
    );
  });

  test('AddV2', async () => {
    const nodes: Node[] = [
      { name: 'bent', op: 'Sigmoid', input: ['input'] },
      { name: 'sum', op: 'AddV2', input: ['input', 'bent'] },
      { name: 'all', op: 'Reshape', input: ['sum', 'shape'] },
      { name: 'Identity', op: 'Identity', input: ['all'] },
    ];
    const outputs = await run(await translated(nodes, { shape: integers(1, 1) }), picture);
    const bent = mapGrid(picture, (value) => 1 / (1 + Math.exp(-value)));
    expectClose(numbers(outputs.get('Identity')), addGrids(picture, bent));
  });

  test('Pad adds channels of zeros', async () => {
    const paddings: Weight = { shape: [4, 2], values: [0, 0, 0, 0, 0, 0, 1, 4], as: 'int32' };
    const node = { op: 'Pad', input: ['input', 'paddings'] };
    expectClose(await output(node, { paddings }, picture), padChannels(picture, 1, 4));
  });
});

describe('a whole network', () => {
  const kernel = halves(3, 3, CHANNELS, 6);
  const nodes: Node[] = [
    {
      name: 'seen',
      op: '_FusedConv2D',
      input: ['input', 'kernel', 'bias'],
      attr: attributes({ padding: 'SAME', stride: 2, fused: ['BiasAdd', 'Relu'] }),
    },
    { name: 'scores', op: 'Reshape', input: ['seen', 'scores/shape'] },
    { name: 'boxes', op: 'Reshape', input: ['seen', 'boxes/shape'] },
    { name: 'Identity', op: 'Identity', input: ['scores'] },
    { name: 'Identity_1', op: 'Identity', input: ['boxes'] },
  ];
  const weights = {
    kernel,
    bias: floats(someValues(6), 6),
    // The saved shapes fit pictures of one size only.
    'scores/shape': integers(1, 216),
    'boxes/shape': integers(1, 108, 2),
  };

  test.each([
    [9, 11],
    [12, 4],
  ])('accepts pictures of %i x %i and names its outputs', async (rows, columns) => {
    const picture = somePicture(rows, columns);
    const outputs = await run(await translated(nodes, weights), picture);
    const window = { rows: 3, columns: 3, stride: 2, padding: 'SAME' } as const;
    const sums = convolve(picture, window, 6, fromKernel(kernel));
    const seen = mapGrid(sums, (value, channel) => Math.max(0, value + (weights.bias.values[channel] ?? 0)));
    expect([...outputs.keys()].sort()).toEqual(['Identity', 'Identity_1']);
    for (const tensor of outputs.values()) expectClose(numbers(tensor), seen);
    const count = seen.rows * seen.columns * 6;
    expect(outputs.get('Identity')?.dims).toEqual([1, count]);
    expect(outputs.get('Identity_1')?.dims).toEqual([1, count / 2, 2]);
  });
});

describe('a network that cannot be translated is rejected', () => {
  const window = { padding: 'SAME' } as const;
  const kernel = halves(1, 1, CHANNELS, 2);

  test.each<[string, Omit<Node, 'name'>, string]>([
    ['for its operation', { op: 'Softmax', input: ['input'] }, 'operation Softmax'],
    [
      'for its activation',
      { op: '_FusedConv2D', input: ['input', 'kernel'], attr: attributes({ ...window, fused: ['Elu'] }) },
      'activation Elu',
    ],
    [
      'for a missing kernel',
      { op: 'DepthwiseConv2dNative', input: ['input', 'lost'], attr: attributes(window) },
      'node lacks its weights',
    ],
    ['for missing slopes', { op: 'Prelu', input: ['input', 'lost'] }, 'node lacks its weights'],
    ['for an unnamed input', { op: 'Pad', input: ['input'] }, 'lacks an input'],
  ])('%s', async (_name, node, problem) => {
    await expect(output(node, { kernel }, somePicture(4, 4))).rejects.toThrow(problem);
  });
});
