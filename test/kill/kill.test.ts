import { once } from 'node:events';
import { expect, it } from 'vitest';
import { PIPELINE } from '../../src/jobs/pipeline.ts';
import { picture } from '../media-server/test-engine.ts';
import { useCommunityWithoutBot } from '../use-community.ts';
import type { StepMoment } from './bot-child.ts';
import { type Place, answer, expectExactlyOnce, settled, startChild } from './use-children.ts';

const MOMENTS = ['starting', 'effected', 'recorded'] as const;
const ALL_POINTS = Object.keys(PIPELINE).flatMap((stage) => MOMENTS.map((moment) => ({ stage, moment })));

/** One job dies at each point; the process that is started next finishes it, and then dies for the next job. */
async function dieAndRecover(place: Place, points: readonly StepMoment[]): Promise<void> {
  const { ada, general } = place;
  const image = { name: 'image.png', bytes: await picture(10, 64) };
  const face = { name: 'face.png', bytes: await picture(200, 64) };
  let child = await startChild(place);
  for (const point of points) {
    child.send(point);
    expect(await answer(child)).toBe('armed');
    const exited = once(child, 'exit');
    const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
    const [, signal] = (await exited) as [number | null, string | null];
    expect(signal, `the child dies at ${JSON.stringify(point)}`).toBe('SIGKILL');

    child = await startChild(place);
    await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: 15_000 });
    await settled(place);
  }
}

it.each([0, 1])(
  'a kill at any boundary leaves one message, one job and one charge (chain %i)',
  { timeout: 240_000 },
  async (chain) => {
    const points = ALL_POINTS.filter((_point, index) => index % 2 === chain);
    const place = await useCommunityWithoutBot({ media: { reconcileBeforeWebhook: chain === 0 } });

    await dieAndRecover(place, points);

    await expectExactlyOnce(place, points.length);
  },
);
