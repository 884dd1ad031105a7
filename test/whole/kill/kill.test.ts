import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { PIPELINE } from '../../../src/bot/jobs/run/pipeline.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { FaultProxy } from '../faults/fault-proxy.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import type { StepMoment } from '../../helpers/bot-child.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { killableBot } from './killable-bot.ts';

/** A community with one address for webhooks, whichever bot is running. */
interface Place extends Omit<Community, 'bot'> {
  readonly webhooks: FaultProxy;
}

const PATIENCE_MS = 60_000;

const MOMENTS = ['starting', 'effected', 'recorded'] as const;
const ALL_POINTS = Object.keys(PIPELINE).flatMap((stage) => MOMENTS.map((moment) => ({ stage, moment })));

async function startBot(place: Place): Promise<BotProcess> {
  const bot = killableBot({ ...place, publicUrl: place.webhooks.origin });
  onTestFinished(() => bot.kill());
  bot.begin();
  place.webhooks.target = await bot.ready();
  return bot;
}

/**
 * At each point, makes a process die during one job. The next process completes that job, and then dies during the
 * next job.
 */
async function dieAndRecover(place: Place, points: readonly StepMoment[]): Promise<void> {
  const { ada, general } = place;
  const image = { name: 'image.png', bytes: await picture(10, 64) };
  const face = { name: 'face.png', bytes: await picture(200, 64) };
  let bot = await startBot(place);
  for (const point of points) {
    await bot.arm(point);
    const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
    expect(await bot.died(), `the process dies at ${JSON.stringify(point)}`).toBe('SIGKILL');

    bot = await startBot(place);
    await use.replyWhere((message) => message.attachments.length === 1, { timeoutMs: PATIENCE_MS });
    await settled(place);
  }
}

async function settled({ dataDir }: Place): Promise<void> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  await expect
    .poll(() => db.kysely.selectFrom('jobs').select('stage').where('stage', '!=', 'settled').execute(), {
      timeout: PATIENCE_MS,
      interval: 50,
    })
    .toEqual([]);
}

test.each([0, 1])(
  'a kill at any boundary leaves one message, one job and one charge (chain %i)',
  { timeout: 240_000 },
  async (chain) => {
    const points = ALL_POINTS.filter((_point, index) => index % 2 === chain);
    const webhooks = await FaultProxy.open();
    onTestFinished(() => webhooks[Symbol.asyncDispose]());
    const community = await useCommunityWithoutBot({ media: { reconcileBeforeWebhook: chain === 0 } });
    const place = { ...community, webhooks };

    await dieAndRecover(place, points);

    const { general, media, dataDir } = place;
    expect(general.messages.filter((message) => message.attachments.length === 1)).toHaveLength(
      points.length,
    );
    expect(await bookProblems({ dataDir, media, messages: general.messages })).toEqual([]);
  },
);
