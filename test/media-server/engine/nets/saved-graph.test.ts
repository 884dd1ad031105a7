import { truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSavedGraph } from '../../../../src/media-server/engine/nets/saved-graph.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { attributes, saveGraph } from './save-graph.ts';

/** Half-precision numbers: the smallest subnormal one, the smallest normal one, the first above 1, and the largest. */
const HALVES = [2 ** -24, 2 ** -14, 1 + 2 ** -10, 65_504];

test('weights are read in the order in which they were saved', async () => {
  const halves = [0, ...HALVES, ...HALVES.map((value) => -value)];
  const folder = await saveGraph(await useFolder(), 'net', [], {
    halves: { shape: [3, 3], values: halves, as: 'float16' },
    integers: { shape: [2], values: [-1, 1404], as: 'int32' },
    floats: { shape: [1, 2], values: [Math.fround(0.1), -1e-30], as: 'float32' },
    one: { shape: [], values: [7], as: 'int32' },
  });
  const { weights } = await readSavedGraph(folder, 'net');
  expect(weights.get('halves')).toEqual({ shape: [3, 3], values: Float32Array.from(halves) });
  expect(weights.get('integers')).toEqual({ shape: [2], values: Float32Array.of(-1, 1404) });
  expect(weights.get('floats')).toEqual({ shape: [1, 2], values: Float32Array.of(0.1, -1e-30) });
  expect(weights.get('one')).toEqual({ shape: [], values: Float32Array.of(7) });
});

test('operations are read with their attributes', async () => {
  const folder = await saveGraph(
    await useFolder(),
    'net',
    [
      { name: 'input', op: 'Placeholder' },
      {
        name: 'seen',
        op: '_FusedConv2D',
        input: ['input', 'kernel'],
        attr: attributes({ padding: 'SAME', stride: 2, pool: 3, fused: ['BiasAdd', 'Relu'] }),
      },
    ],
    {},
  );
  const nothing = { strides: [], ksize: [], padding: undefined, fused: [] };
  expect((await readSavedGraph(folder, 'net')).nodes).toEqual([
    { name: 'input', op: 'Placeholder', input: [], ...nothing },
    {
      name: 'seen',
      op: '_FusedConv2D',
      input: ['input', 'kernel'],
      strides: [1, 2, 2, 1],
      ksize: [1, 3, 3, 1],
      padding: 'SAME',
      fused: ['BiasAdd', 'Relu'],
    },
  ]);
});

test('truncated weights are rejected', async () => {
  const path = await useFolder();
  const values = [1, 2, 3];
  const folder = await saveGraph(path, 'net', [], { lost: { shape: [3], values, as: 'float32' } });
  await truncate(join(path, 'net.bin'), 10);
  await expect(readSavedGraph(folder, 'net')).rejects.toThrow(RangeError);
});
