import { describe, expect, onTestFinished, test } from 'vitest';
import { type Database, openDatabase } from '../../db/database.ts';
import { putBudgetSettings } from '../../db/queries/budget-settings.ts';
import type { JobRow } from '../../db/schema/jobs.ts';
import { type MicroUsd, micros } from '../../src/base/money.ts';
import { createMasquerade } from '../../src/compose/create-masquerade.ts';
import type { MessageView } from '../../src/sandbox/script/message-view.ts';
import type { UseOfBot } from '../../src/sandbox/script/use-of-bot.ts';
import { picture } from '../media-server/test-engine.ts';
import { ShiftedClock } from '../helpers/shifted-clock.ts';
import { type Community, useCommunity } from '../helpers/use-community.ts';

const YES = 'Yes, about $0.04';
const TEN_MINUTES_MS = 10 * 60_000;
const PATIENT = { timeoutMs: 20_000 };

interface Place extends Community {
  readonly db: Database;
  readonly clock: ShiftedClock;
}

/** Creates a community whose members must confirm prices above `above` (default: 1 cent). A picture costs 4 cents. */
async function usePlace(above: MicroUsd = micros(10_000)): Promise<Place> {
  const clock = new ShiftedClock();
  const community = await useCommunity({ bot: { clock }, media: { clock } });
  const db = await openDatabase({ url: `sqlite:${community.dataDir}/masquerade.db` });
  onTestFinished(() => db[Symbol.asyncDispose]());
  const guildId = community.guild.id;
  await db.transaction(`guild:${guildId}`, (trx) =>
    putBudgetSettings(trx, guildId, { confirm_above_micros: above }),
  );
  return { ...community, db, clock };
}

async function swaps({ ada, general }: Place): Promise<UseOfBot> {
  const image = { name: 'image.png', bytes: await picture(10) };
  const face = { name: 'face.png', bytes: await picture(200) };
  return ada.runs('/photo-swap', { in: general, options: { image, face } });
}

/** Runs a photo swap as Ada. Returns the command, and the card that asks her to confirm the price. */
async function asks(place: Place): Promise<{ readonly use: UseOfBot; readonly card: MessageView }> {
  const use = await swaps(place);
  const card = await use.replyWhere(isQuestion, PATIENT);
  await expect.poll(async () => (await jobOf(place)).lease_owner).toBeNull();
  return { use, card };
}

function labelsOf({ components }: MessageView): unknown[] {
  const rows = components as readonly { components?: readonly { label?: string }[] }[];
  return rows.flatMap((row) => (row.components ?? []).map(({ label }) => label));
}

function isQuestion(message: MessageView): boolean {
  return labelsOf(message).includes(YES);
}

function jobOf({ db }: Place): Promise<JobRow> {
  return db.kysely.selectFrom('jobs').selectAll().executeTakeFirstOrThrow();
}

function hasResult({ attachments }: MessageView): boolean {
  return attachments.length === 1;
}

async function holdOf({ db }: Place): Promise<string> {
  return (await db.kysely.selectFrom('holds').select('state').executeTakeFirstOrThrow()).state;
}

describe('a job above the price limit of a server', () => {
  test('shows its price with Yes and Cancel, and continues at the first of two presses', async () => {
    const place = await usePlace();
    const { use, card } = await asks(place);
    expect(labelsOf(card)).toEqual([YES, 'Cancel']);
    expect(card.text).toContain('Photo Swap: go on for about $0.04?');
    expect(place.engine.begun).toHaveLength(0);

    const presses = await Promise.all([1, 2].map(() => place.ada.presses(YES, { on: card })));
    await Promise.all(presses.map((press) => press.acknowledged()));
    await use.replyWhere(hasResult, PATIENT);

    await expect
      .poll(() => presses.flatMap(({ followUps }) => followUps.map(({ text }) => text)))
      .toHaveLength(1);
    expect(presses.flatMap(({ followUps }) => followUps)[0]?.text).toContain('said yes to this already');
    expect(place.engine.begun).toHaveLength(1);
    expect(place.general.messages.filter(hasResult)).toHaveLength(1);
    await expect.poll(() => holdOf(place)).toBe('posted');
  });

  test('accepts no yes from others, who may cancel it if they moderate', async () => {
    const place = await usePlace();
    const { use, card } = await asks(place);
    const ben = place.guild.addMember('Ben');
    const moderators = place.guild.addRole('Moderators', 'MANAGE_MESSAGES');
    const cleo = place.guild.addMember('Cleo', { roles: [moderators] });

    for (const other of [ben, cleo]) {
      const told = await (await other.presses(YES, { on: card })).followUpWhere(() => true);
      expect(told.text).toContain('Only whoever asked for this can say yes to its price');
    }
    expect((await jobOf(place)).confirmed_at_ms).toBeNull();

    await (await cleo.presses('Cancel', { on: card })).replied();
    await use.replyWhere(({ text }) => text.includes('Photo Swap: cancelled'), PATIENT);
    expect(await holdOf(place)).toBe('voided');
    expect(place.engine.begun).toHaveLength(0);
  });

  test('accepts a yes after a restart', async () => {
    const place = await usePlace();
    const { use, card } = await asks(place);

    await place.bot[Symbol.asyncDispose]();
    const bot = await createMasquerade(place.botOptions);
    onTestFinished(() => bot[Symbol.asyncDispose]());
    expect(isQuestion(card)).toBe(true);
    await place.ada.presses(YES, { on: card });
    await use.replyWhere(hasResult, PATIENT);

    expect(place.engine.begun).toHaveLength(1);
    expect(place.general.messages).toHaveLength(1);
  });

  test('ends politely without a yes in time, and Retry asks again', async () => {
    const place = await usePlace();
    const { use, card } = await asks(place);

    place.clock.shift(TEN_MINUTES_MS);
    const ended = await use.replyWhere(({ text }) => text.includes('Photo Swap: not started'), PATIENT);

    expect(ended.text).toContain('It would have cost **about $0.04**, and there was no yes to that in time.');
    expect(ended.text).toContain('Nothing was charged.');
    expect(labelsOf(card)).toEqual(['Retry']);
    expect(await holdOf(place)).toBe('voided');

    const again = await place.ada.presses('Retry', { on: card });
    const second = await again.replyWhere(isQuestion, PATIENT);
    await place.ada.presses(YES, { on: second });
    await again.replyWhere(hasResult, PATIENT);
    expect(place.engine.begun).toHaveLength(1);
  });
});

test('continues without a question below the limit, and its card shows the price while it runs', async () => {
  const place = await usePlace(micros(40_000));
  place.engine.pause();

  const use = await swaps(place);
  const running = await use.replyWhere(({ text }) => text.includes('It costs about $0.04.'), PATIENT);

  expect(labelsOf(running)).toEqual(['Cancel']);
  place.engine.release();
  await use.replyWhere(hasResult, PATIENT);
  expect(await jobOf(place)).toMatchObject({ asked_at_ms: null, quote_micros: 40_000 });
});
