import { expect, test, vi } from 'vitest';
import type { Database } from '../../../../db/database.ts';
import { sumAccounts } from '../../../../db/queries/ledger-entries.ts';
import { putSuggestion } from '../../../../db/queries/usage-owners.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { micros, parseUsd } from '../../../../src/base/money.ts';
import { ForeignUse } from '../../../../src/bot/money/ledger/foreign-use.ts';
import { Ledger } from '../../../../src/bot/money/ledger/ledger.ts';
import { verifyLedger } from '../../../../src/bot/money/ledger/verify-ledger.ts';
import { aHold } from '../../money/ledger/a-hold.ts';
import { type OperatorPlace, useOperator } from './use-operator.ts';

const ROOMY = { limit: parseUsd(1_000), period: 'month', timeZone: 'UTC' } as const;

interface Undecided extends OperatorPlace {
  readonly db: Database;
  readonly ledger: Ledger;
  /** Runs `/operator assign` and returns the reply. */
  assigns(record: string, owner: string, who?: OperatorPlace['ada']): Promise<string>;
  /** Returns the spending of the guild and of other users of the account, in micro-dollars. */
  books(): Promise<{ readonly spent: number; readonly pending: number; readonly foreign: number }>;
}

/**
 * Creates a guild with two holds of $0.05 in review. Record `u1` of $0.03 may belong to either hold, and record `u2` of
 * $0.04 to `job_a`.
 */
async function useUndecided(): Promise<Undecided> {
  const place = await useOperator();
  // This waits for the bot's first comparison, which does not know these records and would delete the suggestions.
  await vi.waitFor(async () => expect(await place.bot.reconciliation.latest()).toBeDefined());
  const { id: guildId } = place.guild;
  const db = await place.database();
  const ledger = new Ledger({ clock: systemClock, defaultBudget: ROOMY });
  await db.transaction(`guild:${guildId}`, async (trx) => {
    for (const subject of ['job_a', 'job_b']) {
      await ledger.hold(trx, { ...aHold(subject, micros(50_000)), guildId });
      await ledger.review(trx, { subject });
    }
    const recorded_at_ms = systemClock.now() - 60_000;
    const u1 = { record_id: 'u1', charged_micros: micros(30_000), recorded_at_ms };
    await putSuggestion(trx, { ...u1, subject: 'job_a' });
    await putSuggestion(trx, { ...u1, subject: 'job_b' });
    await putSuggestion(trx, { ...u1, subject: 'job_a', record_id: 'u2', charged_micros: micros(40_000) });
  });
  return {
    ...place,
    db,
    ledger,
    assigns: async (record, owner, who) => (await place.operates('assign', { record, owner }, who)).text,
    books: async () => {
      const { spent, pending } = await sumAccounts(db.kysely, guildId);
      const { unattributed: foreign } = await sumAccounts(db.kysely, '');
      return { spent, pending, foreign };
    },
  };
}

test('a hold in review shows the records that may belong to it, and they are suggested with their owners', async () => {
  const place = await useUndecided();
  const asks = async (option: string, options = {}): Promise<readonly string[]> => {
    const used = { in: place.general, option, typed: '', options };
    return (await place.guild.owner.completes('/operator assign', used)).map(({ value }) => String(value));
  };

  const listed = (await place.operates('holds')).text;

  expect(listed.match(/maybe \$0\.03/g)).toHaveLength(2);
  expect(listed).toMatch(/maybe \$0\.04, <t:\d+:R>: record `u2`/);
  expect((await place.operates('status')).text).toContain('**Usage records to decide**: 2');
  expect([...(await asks('record'))].toSorted()).toEqual(['u1', 'u2']);
  expect(await asks('owner', { record: 'u1' })).toEqual(['job_a', 'job_b', 'nobody']);
  expect(await asks('owner', { record: 'u2' })).toEqual(['job_a', 'nobody']);
});

test('a record is decided once: its hold pays for it, and all other suggestions about both disappear', async () => {
  const place = await useUndecided();

  expect(await place.assigns('u1', 'job_a')).toContain('**$0.03** is booked as charged');
  expect(await place.assigns('u1', 'job_a')).toContain('**$0.03** is booked as charged');
  expect(await place.assigns('u1', 'job_b')).toContain('already booked for another owner');
  expect(await place.assigns('u1', 'nobody')).toContain('already booked for another owner');
  expect(await place.assigns('u2', 'job_a')).toContain('does not match that owner');
  expect(await place.assigns('u9', 'nobody')).toContain('does not match that owner');
  expect(await place.assigns('u1', 'job_z')).toContain('does not match that owner');

  expect(await place.books()).toEqual({ spent: 30_000, pending: 50_000, foreign: 0 });
  const decided = await place.db.kysely.selectFrom('usage_owners').selectAll().execute();
  expect(decided).toMatchObject([{ record_id: 'u1', subject: 'job_a', decided_by: place.guild.owner.id }]);
  expect((await place.operates('holds')).text).not.toContain('maybe');
  await verifyLedger(place.db.kysely, (difference) => expect(difference).toBeUndefined());
});

test('a record that belongs to no server is booked as other use, and its holds still wait', async () => {
  const place = await useUndecided();

  for (let time = 0; time < 2; time++) {
    expect(await place.assigns('u1', 'nobody')).toContain('No server pays for it');
  }

  expect(await place.books()).toEqual({ spent: 0, pending: 100_000, foreign: 30_000 });
  expect(await place.assigns('u2', 'job_a')).toContain('**$0.04** is booked as charged');
  expect(await place.books()).toEqual({ spent: 40_000, pending: 50_000, foreign: 30_000 });
});

test('a record that was booked as other use is reversed when it turns out to belong to a server', async () => {
  const place = await useUndecided();
  const foreignUse = new ForeignUse({ clock: systemClock });
  const call = { recordId: 'u1', charged: micros(30_000), createdAtMs: systemClock.now() };
  await place.db.transaction('account', (trx) => foreignUse.book(trx, call));

  await place.assigns('u1', 'job_b');

  expect(await place.books()).toEqual({ spent: 30_000, pending: 50_000, foreign: 0 });
});

test('a hold that was released meanwhile still pays for its call; one with a known charge pays for no other call', async () => {
  const place = await useUndecided();
  await place.db.transaction(`guild:${place.guild.id}`, async (trx) => {
    await place.ledger.void(trx, { subject: 'job_a' });
    await place.ledger.post(trx, { subject: 'job_b', charged: micros(10_000) });
  });

  expect(await place.assigns('u1', 'job_b')).toContain('is already known');
  expect(await place.assigns('u2', 'job_a')).toContain('**$0.04** is booked as charged');

  expect(await place.books()).toEqual({ spent: 50_000, pending: 0, foreign: 0 });
});

test('only the operator decides, and a team member with read access can only look', async () => {
  const place = await useUndecided();
  const admins = place.guild.addRole('Admins', 'ADMINISTRATOR');
  const admin = place.guild.addMember('Ben', { roles: [admins] });
  const reader = place.guild.addMember('Rhea', { roles: [admins] });
  place.sandbox.giveApplicationTo([{ member: place.guild.owner }, { member: reader, role: 'read_only' }]);
  const completes = { in: place.general, option: 'record', typed: '' };

  expect(await place.assigns('u1', 'job_a', admin)).toContain('only for whoever runs this bot');
  expect(await place.assigns('u1', 'nobody', reader)).toContain('lets you look, but not change anything');
  expect(await admin.completes('/operator assign', completes)).toEqual([]);
  expect(await reader.completes('/operator assign', completes)).toHaveLength(2);
  expect(await place.books()).toEqual({ spent: 0, pending: 100_000, foreign: 0 });
});

test('of several decisions made at the same time, one counts', async () => {
  const place = await useUndecided();

  const answers = await Promise.all([
    place.assigns('u1', 'job_a'),
    place.assigns('u1', 'job_b'),
    place.assigns('u1', 'nobody'),
    place.assigns('u2', 'job_a'),
  ]);

  expect(answers.slice(0, 3).filter((text) => text.includes('Record decided'))).toHaveLength(1);
  const { spent, pending, foreign } = await place.books();
  const decided = await place.db.kysely.selectFrom('usage_owners').selectAll().execute();
  const paid = decided.filter(({ subject }) => subject !== null).length;
  expect(pending).toBe(100_000 - paid * 50_000);
  expect(spent + foreign).toBe(
    decided.reduce((sum, { record_id: id }) => sum + (id === 'u1' ? 30_000 : 40_000), 0),
  );
  await verifyLedger(place.db.kysely, (difference) => expect(difference).toBeUndefined());
});
