import { expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../../db/database.ts';
import { putBudgetSettings } from '../../../db/queries/budget-settings.ts';
import { micros } from '../../../src/base/money.ts';
import type { MessageView } from '../../../src/sandbox/script/message-view.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { FaultProxy } from '../faults/fault-proxy.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import type { StepMoment } from '../../helpers/bot-child.ts';
import type { BotProcess } from '../../helpers/bot-process.ts';
import { killableBot } from './killable-bot.ts';

interface Place extends Omit<Community, 'bot'> {
  readonly webhooks: FaultProxy;
}

const PATIENT = { timeoutMs: 60_000 };
const PATIENT_POLL = { timeout: 60_000, interval: 50 };
const YES = 'Yes, about $0.04';
/**
 * Where the process dies: while files are fetched and the job is priced, while the question is sent, or when the job
 * continues after the yes.
 */
const DEATHS: readonly { readonly at: StepMoment; readonly when: 'asking' | 'answered' }[] = [
  { at: { stage: 'accepted', moment: 'effected' }, when: 'asking' },
  { at: { stage: 'accepted', moment: 'recorded' }, when: 'asking' },
  { at: { stage: 'fetched', moment: 'starting' }, when: 'asking' },
  { at: { stage: 'fetched', moment: 'effected' }, when: 'asking' },
  { at: { stage: 'fetched', moment: 'recorded' }, when: 'asking' },
  { at: { stage: 'fetched', moment: 'starting' }, when: 'answered' },
  { at: { stage: 'fetched', moment: 'effected' }, when: 'answered' },
  { at: { stage: 'submitting', moment: 'effected' }, when: 'answered' },
];

async function startBot(place: Place): Promise<BotProcess> {
  const bot = killableBot({ ...place, publicUrl: place.webhooks.origin });
  onTestFinished(() => bot.kill());
  bot.begin();
  place.webhooks.target = await bot.ready();
  return bot;
}

function isQuestion({ components }: MessageView): boolean {
  return JSON.stringify(components).includes(YES);
}

/** Returns how many jobs were submitted without a yes, which must be none. */
async function submittedUnasked({ dataDir }: Place): Promise<number> {
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  const jobs = await db.kysely.selectFrom('jobs').selectAll().execute();
  return jobs.filter((job) => job.confirmed_at_ms === null && job.submitted_at_ms !== null).length;
}

async function leases(db: Database): Promise<unknown[]> {
  const open = db.kysely.selectFrom('jobs').select('lease_owner').where('stage', '=', 'fetched');
  return (await open.execute()).map((job) => job.lease_owner);
}

async function settled({ dataDir }: Place): Promise<void> {
  await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
  const open = db.kysely.selectFrom('jobs').select('stage').where('stage', '!=', 'settled');
  await expect.poll(() => open.execute(), PATIENT_POLL).toEqual([]);
}

test(
  'a kill at any moment around the question asks once, and accepts one yes',
  { timeout: 240_000 },
  async () => {
    const webhooks = await FaultProxy.open();
    onTestFinished(() => webhooks[Symbol.asyncDispose]());
    const community = await useCommunityWithoutBot();
    const place = { ...community, webhooks };
    const { ada, general, guild, dataDir, media } = place;
    let bot = await startBot(place);
    await using db = await openDatabase({ url: `sqlite:${dataDir}/masquerade.db` });
    await db.transaction(`guild:${guild.id}`, (trx) =>
      putBudgetSettings(trx, guild.id, { confirm_above_micros: micros(0) }),
    );
    const image = { name: 'image.png', bytes: await picture(10, 64) };
    const face = { name: 'face.png', bytes: await picture(200, 64) };

    for (const { at, when } of DEATHS) {
      if (when === 'asking') await bot.arm(at);
      const use = await ada.runs('/photo-swap', { in: general, options: { image, face } });
      if (when === 'asking') {
        expect(await bot.died(), `the process dies at ${JSON.stringify(at)}`).toBe('SIGKILL');
        bot = await startBot(place);
      }
      const card = await use.replyWhere(isQuestion, PATIENT);
      expect(await submittedUnasked(place)).toBe(0);
      // Waits until the step that sent the question is over; otherwise the process would die in that step.
      await expect.poll(() => leases(db), PATIENT_POLL).toEqual([null]);
      if (when === 'answered') await bot.arm(at);
      await ada.presses(YES, { on: card });
      if (when === 'answered') {
        expect(await bot.died(), `the process dies at ${JSON.stringify(at)}`).toBe('SIGKILL');
        bot = await startBot(place);
      }
      await use.replyWhere((message) => message.attachments.length === 1, PATIENT);
      await settled(place);
    }

    expect(general.messages).toHaveLength(DEATHS.length);
    expect(await bookProblems({ dataDir, media, messages: general.messages })).toEqual([]);
  },
);
