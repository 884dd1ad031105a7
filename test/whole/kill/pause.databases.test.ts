import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { FaultProxy } from '../faults/fault-proxy.ts';
import { picture } from '../../media-server/test-engine.ts';
import { useCommunityWithoutBot } from '../../helpers/use-community.ts';
import type { StepMoment } from '../../helpers/bot-child.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { killableBot } from './killable-bot.ts';

const POINTS: readonly StepMoment[] = [
  { stage: 'fetched', moment: 'starting' },
  { stage: 'submitting', moment: 'starting' },
  { stage: 'submitting', moment: 'effected' },
  { stage: 'charged', moment: 'starting' },
  { stage: 'collected', moment: 'starting' },
  { stage: 'collected', moment: 'effected' },
];
const PATIENCE_MS = 60_000;

test(
  'a process that is paused in a step, and continues when another has ended the job, does nothing twice',
  { timeout: 240_000 },
  async () => {
    const webhooks = await FaultProxy.open();
    onTestFinished(() => webhooks[Symbol.asyncDispose]());
    const place = { ...(await useCommunityWithoutBot()), publicUrl: webhooks.origin };
    const { ada, general, media, dataDir } = place;
    const image = { name: 'image.png', bytes: await picture(10, 64) };
    const face = { name: 'face.png', bytes: await picture(200, 64) };
    const start = async (): Promise<BotProcess> => {
      const bot = killableBot(place);
      onTestFinished(() => bot.kill());
      bot.begin();
      webhooks.target = await bot.ready();
      return bot;
    };

    let paused = await start();
    for (const [index, point] of POINTS.entries()) {
      await paused.arm({ ...point, signal: 'SIGSTOP' });
      const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
      await paused.paused(AbortSignal.timeout(PATIENCE_MS));

      // This process starts only now, so that only one process receives the command.
      const other = await start();
      await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: PATIENCE_MS });
      await settled(dataDir);

      const stepped = paused.stepped(1, AbortSignal.timeout(PATIENCE_MS));
      paused.resume();
      await stepped;
      // The answer of the paused process shows that it has completed the step in which it was paused.
      await paused.arm({ stage: 'none', moment: 'starting' });
      expect(
        await bookProblems({ dataDir, media, messages: general.messages }),
        `after a pause at ${point.moment} of ${point.stage}`,
      ).toEqual([]);
      expect(general.messages).toHaveLength(index + 1);
      await paused.kill();
      // The process that took over the job is the next one to be paused.
      paused = other;
    }
  },
);

async function settled(dataDir: string): Promise<void> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const open = (): Promise<unknown> =>
    db.kysely.selectFrom('jobs').select('stage').where('stage', '!=', 'settled').execute();
  await expect.poll(open, { timeout: PATIENCE_MS, interval: 50 }).toEqual([]);
}
