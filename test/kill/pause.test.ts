import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { picture } from '../media-server/test-engine.ts';
import { useCommunityWithoutBot } from '../use-community.ts';
import type { StepMoment } from './bot-child.ts';
import { answer, expectExactlyOnce, settled, startChild } from './use-children.ts';

const POINTS: readonly StepMoment[] = [
  { stage: 'fetched', moment: 'starting' },
  { stage: 'submitting', moment: 'starting' },
  { stage: 'submitting', moment: 'effected' },
  { stage: 'charged', moment: 'starting' },
  { stage: 'collected', moment: 'starting' },
  { stage: 'collected', moment: 'effected' },
];

it(
  'a process that is paused in the midst of a step, and goes on when another has ended the job, does nothing twice',
  { timeout: 120_000 },
  async () => {
    const place = await useCommunityWithoutBot();
    const { ada, general } = place;
    const image = { name: 'image.png', bytes: await picture(10, 64) };
    const face = { name: 'face.png', bytes: await picture(200, 64) };
    for (const [index, point] of POINTS.entries()) {
      const paused = await startChild(place);
      paused.send({ ...point, signal: 'SIGSTOP' } satisfies StepMoment);
      expect(await answer(paused)).toBe('armed');
      const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
      // The command is taken on here, so that only one of the two processes hears of it.
      await use.acknowledged();
      await stopped(paused.pid);

      const other = await startChild(place);
      await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: 15_000 });
      await settled(place);

      const said = answer(paused);
      paused.kill('SIGCONT');
      paused.send({ stage: 'none', moment: 'starting' });
      // It has come back to life, and has had its say about the step that it was in.
      expect(await said).toBe('armed');
      await expectExactlyOnce(place, index + 1);
      const ends = [paused, other].map((child) => answer(child));
      paused.kill('SIGTERM');
      other.kill('SIGTERM');
      await Promise.all(ends);
      await expectExactlyOnce(place, index + 1);
    }
  },
);

/** Waits until the kernel says that the process is stopped. */
async function stopped(pid: number | undefined): Promise<void> {
  await expect.poll(() => stateOf(pid), { timeout: 15_000, interval: 20 }).toBe('T');
}

async function stateOf(pid: number | undefined): Promise<string | undefined> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2)[0];
}
