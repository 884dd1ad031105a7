import { expect, test } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { micros, parseUsd } from '../../../../src/base/money.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { aHold } from '../../money/ledger/a-hold.ts';
import { type OperatorPlace, useOperator } from './use-operator.ts';

const ROOMY = { limit: parseUsd(1_000), period: 'month', timeZone: 'UTC' } as const;

interface Books {
  readonly db: Database;
  readonly ledger: Ledger;
  /** Holds an amount for a subject in a guild. */
  readonly holds: (subject: string, amountMicros: number, guildId: string) => Promise<void>;
}

/** Opens the bot's own books, so that the test can write to them while the bot is running. */
async function books(place: OperatorPlace): Promise<Books> {
  const db = await place.database();
  const ledger = new Ledger({ clock: systemClock, defaultBudget: ROOMY });
  return {
    db,
    ledger,
    holds: async (subject, amountMicros, guildId) => {
      const request = { ...aHold(subject, micros(amountMicros)), guildId };
      await db.transaction(`guild:${guildId}`, (trx) => ledger.hold(trx, request));
    },
  };
}

test('the status shows the amounts charged and set aside and the largest spenders, without naming members', async () => {
  const place = await useOperator();
  const { db, ledger, holds } = await books(place);
  await place.swaps();
  await holds('job_a', 300_000, '111111111111111111');
  await db.transaction('guild:111111111111111111', (trx) =>
    ledger.post(trx, { subject: 'job_a', charged: micros(250_000) }),
  );
  await holds('job_b', 10_000, place.guild.id);
  await holds('job_c', 20_000, place.guild.id);
  await db.transaction(`guild:${place.guild.id}`, (trx) => ledger.review(trx, { subject: 'job_c' }));

  const { text } = await place.operates('status');

  expect(text).toContain('**Charged this month (UTC)**: $0.29 in 2 servers');
  expect(text).toContain('**Set aside now**: $0.03');
  expect(text).toContain('**Under way**: 1 hold of $0.01');
  expect(text).toContain('**In review**: 1 hold of $0.02');
  expect(text).toContain(`1. \`111111111111111111\`: $0.25\n  2. Film club (\`${place.guild.id}\`): $0.04`);
  expect(text).not.toContain(place.ada.id);
});

test('a hold in review is resolved once, with a charge or without one; other holds cannot be resolved by hand', async () => {
  const place = await useOperator();
  const { db, ledger, holds } = await books(place);
  const { id } = place.guild;
  for (const subject of ['job_a', 'job_b', 'job_c']) await holds(subject, 50_000, id);
  for (const subject of ['job_a', 'job_b']) {
    await db.transaction(`guild:${id}`, (trx) => ledger.review(trx, { subject }));
  }
  const ends = async (hold: string, charged: string): Promise<string> =>
    (await place.operates('resolve', { hold, charged })).text;
  const inReview = await place.guild.owner.completes('/operator resolve', {
    in: place.general,
    option: 'hold',
    typed: '',
    options: { charged: '0' },
  });
  const listed = (await place.operates('holds')).text;

  expect(inReview.map(({ value }) => value)).toEqual(['job_a', 'job_b']);
  expect(listed.match(/in review\*\*/g)).toHaveLength(2);
  expect(await ends('job_a', '1,5')).toContain('Nothing was changed');
  expect(await ends('job_a', '$0.03')).toContain('**$0.03** is booked as charged');
  expect(await ends('job_a', '0')).toContain('Only holds in review can be ended by hand');
  expect(await ends('job_b', '0')).toContain('Nothing was charged');
  expect(await ends('job_c', '0')).toContain('Only holds in review can be ended by hand');
  expect(await ends('job_d', '0')).toContain('There is no such hold');
  const states = await db.kysely.selectFrom('holds').selectAll().orderBy('subject').execute();
  expect(states.map((row) => [row.subject, row.state, row.charged_micros])).toEqual([
    ['job_a', 'posted', 30_000],
    ['job_b', 'voided', 0],
    ['job_c', 'pending', 0],
  ]);
});

test('an allowance limits a server whatever its admins set, until it is removed', async () => {
  const place = await useOperator();
  const { id: guild } = place.guild;

  const set = await place.operates('allowance', { guild, amount: '0.01', period: 'day' });
  const refused = await place.swaps();
  const listed = (await place.operates('guilds')).text;
  const cleared = await place.operates('allowance', { guild });

  expect(set.text).toContain('may spend at most **$0.01** a day');
  expect(refused.text).toContain('Nothing was charged');
  expect(refused.attachments).toEqual([]);
  expect(listed).toContain(`**Film club (\`${guild}\`)**: $0.00 charged this month (UTC)`);
  expect(listed).toContain('Daily allowance: **$0.01** of **$0.01** left');
  expect(cleared.text).toContain('Allowance taken away');
  expect((await place.swaps()).attachments).toHaveLength(1);
});

test('lists have pages, and every page checks again who may see it', async () => {
  const place = await useOperator();
  const { holds } = await books(place);
  const ids = Array.from({ length: 12 }, (_, index) => `2000000000000000${10 + index}`);
  for (const [index, id] of ids.entries()) await holds(`job_${index}`, 1_000 * (index + 1), id);

  const first = await place.operates('guilds');
  const firstText = first.text;
  const owner = place.guild.owner;
  const turned = await owner.presses('More', { on: first });
  const second = await turned.replyWhere(({ text }) => text.includes('page 2'));
  const oldest = await place.operates('holds');
  place.sandbox.giveApplicationTo(place.ada);
  const late = await owner.presses('Back', { on: second });
  const secondText = second.text;
  const refusal = await late.followUpWhere(() => true);

  expect(firstText.match(/this month/g)).toHaveLength(10);
  expect(secondText.match(/this month/g)).toHaveLength(3);
  expect(oldest.text.match(/under way/g)).toHaveLength(10);
  expect(refusal.text).toContain('This is only for whoever runs this bot.');
  expect(refusal.flags.ephemeral).toBe(true);
  expect(oldest.text.indexOf('job_0')).toBeLessThan(oldest.text.indexOf('job_1'));
});
