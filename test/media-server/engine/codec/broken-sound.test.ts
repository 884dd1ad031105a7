import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { RenderError } from '../../../../src/media-server/engine/render-error.ts';
import { RenderWorker } from '../../../../src/media-server/engine/pool/render-worker.ts';
import { SOUNDS, taggedMedia } from '../../../bot/media/tagged-media.ts';
import { useFolder } from '../../../helpers/use-folder.ts';
import { CONFINEMENT } from '../../../helpers/use-media-pool.ts';

const NEVER = new AbortController().signal;
const PROGRAM = new URL('sound-worker.ts', import.meta.url);
const START_MS = 60_000;
const RENDER_MS = 20_000;

/**
 * mediabunny (1.59 to 1.61) never stops searching if no element follows a cluster in a Matroska file; the last
 * test shows what happens to a worker that reads such a file.
 */
const SEARCHED_WITHOUT_END = 'webm (sound)';
const ENDING = SOUNDS.filter((name) => name !== SEARCHED_WITHOUT_END);

test.each(ENDING)('a worker survives a damaged %s, and reports what is wrong', async (name) => {
  const whole = Buffer.from(await taggedMedia(name));
  const folder = await useFolder();
  const worker = await RenderWorker.start(
    PROGRAM,
    { clock: systemClock, confinement: CONFINEMENT },
    START_MS,
  );
  onTestFinished(() => worker[Symbol.asyncDispose]());
  const damage = fc.array(fc.record({ at: fc.nat(5_000), byte: fc.nat(255) }), {
    minLength: 1,
    maxLength: 200,
  });
  let file = 0;
  await fc.assert(
    fc.asyncProperty(damage, async (places) => {
      const bytes = Buffer.from(whole);
      // The sound is at the end of the file, so the damage is put there.
      for (const { at, byte } of places) bytes[bytes.length - 1 - at] = byte;
      const path = join(folder, `sound-${(file += 1)}`);
      await writeFile(path, bytes);
      const failure = await worker.run(path, RENDER_MS, NEVER).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(worker.alive).toBe(true);
      if (failure === undefined) return;
      expect(failure).toBeInstanceOf(RenderError);
      expect(failure).toMatchObject({ code: 'unsupported_format' });
    }),
    { numRuns: 15 },
  );
});

test('a worker that never finishes a damaged file is ended at its limit, which is reported', async () => {
  const bytes = Buffer.from(await taggedMedia(SEARCHED_WITHOUT_END));
  const path = join(await useFolder(), 'sound');
  await writeFile(path, bytes.fill(0, bytes.lastIndexOf('1c53bb6b', undefined, 'hex')));
  const worker = await RenderWorker.start(
    PROGRAM,
    { clock: systemClock, confinement: CONFINEMENT },
    START_MS,
  );
  onTestFinished(() => worker[Symbol.asyncDispose]());

  const failure = await worker.run(path, 2_000, NEVER).catch((error: unknown) => error);

  expect(failure).toBeInstanceOf(RenderError);
  expect(failure).toMatchObject({
    code: 'processing_failed',
    message: expect.stringContaining('2000 ms') as string,
  });
  expect(worker.alive).toBe(false);
});
