import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createCpuEngines } from '../../../../src/media-server/engine/cpu/cpu-engines.ts';
import { recordingLogger } from '../../../helpers/recording-logger.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { noAbort } from '../use-engine.ts';

const UNLOADABLE = `"onnxruntime-node" is installed but does not load on ${process.platform} ${process.arch}`;

/** Makes every worker load a module first: worker processes inherit this process's Node.js arguments. */
function useInWorkers(preload: URL): void {
  const before = [...process.execArgv];
  process.execArgv.push('--import', preload.href);
  onTestFinished(() => void (process.execArgv = before));
}

/** Writes a library that does not match the platform. */
async function brokenLibrary(): Promise<string> {
  const path = join(await useFolder(), 'broken.node');
  await writeFile(path, 'This is no library'.repeat(100));
  return path;
}

test.each([
  ['is not installed', () => ({ missing: '' }), 'install the optional package "onnxruntime-node"'],
  ['has an unloadable binary', () => ({ binding: '/nowhere/onnxruntime_binding.node' }), UNLOADABLE],
  ['has one that does not load', async () => ({ binding: await brokenLibrary() }), UNLOADABLE],
])('if ONNX Runtime %s only voices are offered, and the log says why', async (_name, wish, why) => {
  const query = new URLSearchParams(await wish());
  useInWorkers(new URL(`without-onnx-runtime.ts?${query.toString()}`, import.meta.url));
  const lines: string[] = [];
  await using engines = await createCpuEngines({ workers: 1, logger: recordingLogger(lines) });
  const offered = Object.keys(engines).filter((name) => name.endsWith('Swap') || name === 'avatar');
  expect(offered).toEqual(['voiceSwap']);
  expect(lines).toHaveLength(1);
  expect(lines[0]).toContain(why);
  expect(lines[0]).toContain('Linux with glibc');
  const { voiceSwap } = engines;
  const preview = await voiceSwap.preview(voiceSwap.voices[0]?.id ?? '', noAbort());
  expect(preview.length).toBeGreaterThan(1000);
});
