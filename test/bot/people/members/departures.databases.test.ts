import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../../../db/database.ts';
import { databaseUrlIn } from '../../../db/database-url.ts';
import type { Schema } from '../../../../db/schema.ts';
import { createMasquerade } from '../../../../src/compose/create-masquerade.ts';
import type { Masquerade } from '../../../../src/compose/masquerade-options.ts';
import { ShiftedClock } from '../../../helpers/shifted-clock.ts';
import { setCap, setZone } from '../../money/caps/set-cap.ts';
import { type Community, sample, useCommunity } from '../../../helpers/use-community.ts';

const DAY_MS = 86_400_000;

interface Departing extends Community {
  readonly clock: ShiftedClock;
}

/** Creates a guild with rules and a posted result that was reported. */
async function useStoredGuild(): Promise<Departing> {
  const clock = new ShiftedClock();
  const place = await useCommunity({ bot: { clock } });
  const { ada, guild, general } = place;
  const image = await sample('portrait-man-dark-hair.jpg');
  const use = await ada.runs('/photo-swap', { in: general, options: { image, face: image } });
  const result = await use.replyWhere((message) => message.attachments.length === 1);
  await (await ada.presses('Report', { on: result })).replied();
  const rule = await guild.owner.runs('/access limits', { in: general, options: { cooldown: 5 } });
  await rule.replied();
  await (await ada.runs('/face avatar', { in: general, options: { who: 'everybody' } })).replied();
  await setBudget(place);
  return { ...place, clock };
}

const BUDGET_TABLES = ['cap_changes', 'budget_settings', 'budget_managers', 'meters'] as const;

/** Inserts a row into every table that belongs to budgets. */
async function setBudget({ guild, dataDir, ada }: Community): Promise<void> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const guildId = guild.id;
  await setCap(db.kysely, { guildId, kind: 'member', targetId: ada.id, limit: 1 });
  await setCap(db.kysely, { guildId, kind: 'operator', period: 'month', limit: 50_000_000 });
  await setZone(db.kysely, guildId, 'Europe/Berlin');
  await db.kysely.insertInto('budget_managers').values({ guild_id: guildId, role_id: '1' }).execute();
  const cap = {
    guild_id: guildId,
    target_kind: 'guild',
    target_id: '',
    capability: '',
    period: 'day',
  } as const;
  const change = { before_micros: null, after_micros: null, changed_by: ada.id, changed_at_ms: 1 };
  await db.kysely
    .insertInto('cap_changes')
    .values({ ...cap, ...change })
    .execute();
}

async function count({ dataDir }: Community, table: keyof Schema): Promise<number> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  return (await db.kysely.selectFrom(table).selectAll().execute()).length;
}

/** Restarts the bot after `days`. On startup, it runs the daily check. */
async function restartAfter(place: Departing, days: number): Promise<Masquerade> {
  await place.bot[Symbol.asyncDispose]();
  place.clock.shift(days * DAY_MS);
  return createMasquerade(place.botOptions);
}

test('keeps the data of a server that it left for 30 days, then only pseudonymous books', async () => {
  const place = await useStoredGuild();
  const { ada, guild, dataDir } = place;

  guild.removesBot();
  await expect.poll(() => count(place, 'departed_guilds')).toBe(1);
  expect(await count(place, 'reports')).toBe(1);
  const early = await restartAfter(place, 29);
  for (const table of ['guild_rules', ...BUDGET_TABLES] as const) {
    expect(await count(place, table)).toBeGreaterThan(0);
  }
  expect(await readdir(join(dataDir, 'results'))).toHaveLength(1);
  await early[Symbol.asyncDispose]();
  await using _late = await restartAfter(place, 1.01);

  await expect.poll(() => count(place, 'guild_rules'), { timeout: 10_000 }).toBe(0);
  await expect.poll(() => count(place, 'departed_guilds')).toBe(0);
  for (const table of ['avatar_consents', 'reports', 'uploads', 'job_inputs', ...BUDGET_TABLES] as const) {
    expect(await count(place, table)).toBe(0);
  }
  expect(await readdir(join(dataDir, 'results'))).toEqual([]);
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const holds = await db.kysely.selectFrom('holds').selectAll().execute();
  expect(holds).toMatchObject([{ state: 'posted', charged_micros: 40_000 }]);
  expect(holds[0]?.user_id).toMatch(/^gone_/);
  const spending = await db.kysely.selectFrom('spending').selectAll().execute();
  expect(spending).toMatchObject([{ user_id: holds[0]?.user_id, posted_micros: 40_000 }]);
  // If a server invites the bot again, the server has the operator's allowance minus what it spent earlier.
  const caps = await db.kysely.selectFrom('caps').selectAll().execute();
  expect(caps).toMatchObject([{ target_kind: 'operator', limit_micros: 50_000_000 }]);
  expect(JSON.stringify(await db.kysely.selectFrom('jobs').selectAll().execute())).not.toContain(ada.id);
});

test('deletes the time of departure when it rejoins a server', async () => {
  const place = await useStoredGuild();

  place.guild.removesBot();
  await expect.poll(() => count(place, 'departed_guilds')).toBe(1);
  place.guild.invitesBot();
  await expect.poll(() => count(place, 'departed_guilds')).toBe(0);
  await using _later = await restartAfter(place, 60);

  expect(await count(place, 'guild_rules')).toBe(1);
});

test('does not confuse an outage with a departure', async () => {
  const place = await useStoredGuild();
  const { client } = place.bot;

  const unavailable = once(client, 'guildUnavailable');
  place.guild.goesDown();
  await unavailable;
  await using _later = await restartAfter(place, 60);

  expect(await count(place, 'departed_guilds')).toBe(0);
  expect(await count(place, 'guild_rules')).toBe(1);
});

test('notices at its start that it was removed from a server while it was not running', async () => {
  const place = await useStoredGuild();

  await place.bot[Symbol.asyncDispose]();
  place.guild.removesBot();
  const first = await restartAfter(place, 0);
  await expect.poll(() => count(place, 'departed_guilds')).toBe(1);
  await first[Symbol.asyncDispose]();
  await using _second = await restartAfter(place, 31);

  await expect.poll(() => count(place, 'guild_rules'), { timeout: 10_000 }).toBe(0);
});
