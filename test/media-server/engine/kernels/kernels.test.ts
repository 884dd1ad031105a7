import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { copyRows, openKernels } from '../../../../src/media-server/engine/kernels/kernels.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const FOLDER = join(ROOT, 'src/media-server/engine/kernels');

test('the compiled kernels match their source', { timeout: 60_000 }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kernels-'));
  try {
    const asc = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
    const fresh = join(folder, 'fresh.wasm');
    const args = [asc, '--config', join(FOLDER, 'asconfig.json'), '--outFile', fresh];
    await promisify(execFile)(process.execPath, args);
    const [compiled, committed] = await Promise.all([
      readFile(fresh),
      readFile(join(FOLDER, 'kernels.wasm')),
    ]);
    expect(compiled.equals(committed), 'run `npm run kernels`').toBe(true);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

describe('the memory of the kernels', () => {
  test('grows to the requested size, and its parts do not overlap', () => {
    const { bytes, at } = openKernels(3, 5_000_000, 40_000_000);
    const [a = 0, b = 0, c = 0] = at;
    expect([a % 16, b % 16, c % 16]).toEqual([0, 0, 0]);
    expect(b - a).toBeGreaterThanOrEqual(3);
    expect(c - b).toBeGreaterThanOrEqual(5_000_000);
    expect(bytes.length - c).toBeGreaterThanOrEqual(40_000_000);
  });

  test('is released after a large picture', () => {
    openKernels(100_000_000);
    expect(openKernels(1_000).bytes.length).toBeLessThan(1_000_000);
  });

  test('has a limit', () => {
    expect(() => openKernels(2 ** 30)).toThrow('Cannot work on');
  });

  test('reads rows at one stride and writes them at another', () => {
    const from = { bytes: Uint8Array.of(1, 2, 3, 4, 5, 6), at: 1, stride: 3 };
    const to = { bytes: new Uint8Array(8), at: 0, stride: 4 };
    copyRows(from, to, 2, 2);
    expect(Array.from(to.bytes)).toEqual([2, 3, 0, 0, 5, 6, 0, 0]);
  });
});
