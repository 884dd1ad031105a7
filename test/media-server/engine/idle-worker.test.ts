import { expect, onTestFinished, test, vi } from 'vitest';
import { RenderPool } from '../../../src/media-server/engine/pool/render-pool.ts';
import { recordingLogger } from '../../helpers/recording-logger.ts';

test('a worker that died while it was idle makes no render fail', async () => {
  const lines: string[] = [];
  const workerUrl = new URL('mortal-worker.ts', import.meta.url);
  const pool = await RenderPool.start({ workerUrl, workers: 1, logger: recordingLogger(lines) });
  onTestFinished(() => pool[Symbol.asyncDispose]());
  const { signal } = new AbortController();
  expect(await pool.run('die', signal)).toBe('die');
  await vi.waitFor(() => expect(lines.join()).toContain('A render worker died'));
  expect(await pool.run('next', signal)).toBe('next');
});
