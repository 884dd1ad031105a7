import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { UnsentJob } from '../../../../db/queries/job-turns.ts';
import { insertJob } from '../../../../db/queries/jobs.ts';
import { placeInLine, takeTurn } from '../../../../src/bot/jobs/run/take-turn.ts';
import { aJob } from '../../../db/a-job.ts';
import { claimDueJob } from '../../../db/claim-due-job.ts';
import { useDatabase } from '../../../db/use-database.ts';

const CLAIM = { nowMs: 2_000, leaseMs: 60_000, owner: 'w' };

/** Accepts jobs as the intake does, and serves them as the worker does. */
async function useLine() {
  const { kysely, transaction } = await useBoundDatabase();
  let jobs = 0;
  return {
    comes: (guildId: string, userId = 'user'): Promise<unknown> =>
      transaction('guild:guild', async (trx) => {
        const turn = await takeTurn(trx, { guildId, userId });
        const changes = { guild_id: guildId, user_id: userId, turn, stage: 'fetched' } as const;
        return insertJob(trx, aJob(String((jobs += 1)), changes));
      }),
    next: async (): Promise<string | undefined> => {
      const job = await claimDueJob(kysely, CLAIM);
      if (!job) return undefined;
      await kysely.updateTable('jobs').set({ stage: 'settled' }).where('id', '=', job.id).execute();
      return `${job.guild_id}/${job.user_id}`;
    },
  };
}

async function useBoundDatabase() {
  const db = await useDatabase();
  return { kysely: db.kysely, transaction: db.transaction.bind(db) };
}

test('a guild with a flood of 500 jobs delays the next guild by one job', async () => {
  const line = await useLine();
  for (let job = 0; job < 500; job++) await line.comes('flood');
  for (let job = 0; job < 10; job++) await line.next();

  await line.comes('quiet');
  await line.comes('quiet');

  const order = [await line.next(), await line.next(), await line.next(), await line.next()];
  expect(order.filter((who) => who === 'quiet/user')).toHaveLength(2);
  expect(order.slice(0, 2)).toContain('quiet/user');
});

test('a member with a flood of jobs delays the next member of the same guild by one job', async () => {
  const line = await useLine();
  for (let job = 0; job < 40; job++) await line.comes('guild', 'flood');
  await line.comes('guild', 'quiet');
  await line.comes('other');

  const order = [await line.next(), await line.next(), await line.next(), await line.next()];

  expect(order).toEqual(expect.arrayContaining(['guild/flood', 'guild/quiet', 'other/user']));
  expect(order.slice(0, 3)).toContain('guild/quiet');
});

test('between two jobs of a waiting guild, every other guild is served at most once', async () => {
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ guild: fc.constantFrom('a', 'b', 'c', 'd') }) },
    { weight: 2, arbitrary: fc.constant('serve' as const) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const line = await useLine();
      const waiting = new Map<string, number>();
      /** For each guild: the guilds that were served since it started to wait or was last served. */
      const passed = new Map<string, string[]>();
      for (const event of [...steps, ...steps.map(() => 'serve' as const)]) {
        if (event !== 'serve') {
          await line.comes(event.guild);
          if (!waiting.get(event.guild)) passed.set(event.guild, []);
          waiting.set(event.guild, (waiting.get(event.guild) ?? 0) + 1);
          continue;
        }
        const guild = (await line.next())?.split('/')[0];
        if (guild === undefined) continue;
        waiting.set(guild, (waiting.get(guild) ?? 0) - 1);
        passed.set(guild, []);
        for (const [other, before] of passed) if (other !== guild && waiting.get(other)) before.push(guild);
        for (const before of passed.values()) {
          // While one guild waits, another can be served twice, because the next round may begin with that guild.
          for (const name of new Set(before)) {
            expect(before.filter((other) => other === name).length).toBeLessThanOrEqual(2);
          }
        }
      }
    }),
    { numRuns: 30 },
  );
});

test('no place is assigned twice or lost when other jobs move back', () => {
  const members = fc.array(fc.constantFrom('u', 'v', 'w'), { maxLength: 30 });
  fc.assert(
    fc.property(
      members,
      fc.constantFrom('u', 'v', 'x'),
      fc.integer({ min: 1, max: 50 }),
      (users, user, now) => {
        const unsent = users.map((userId, index) => ({ id: String(index), userId, turn: 10 + 2 * index }));
        const { turn, moved } = placeInLine(unsent, user, now);
        const turns = unsent.map((job) => moved.find(({ id }) => id === job.id)?.turn ?? job.turn);
        const all = [...turns, turn].toSorted((a, b) => a - b);
        expect(new Set(all).size).toBe(users.length + 1);
        expect(all.slice(0, -1)).toEqual(unsent.map((job) => job.turn));
        expect(turns).toEqual(turns.toSorted((a, b) => a - b));
        const own = users.filter((other) => other === user).length;
        const ahead = turns.filter((other) => other < turn).length;
        expect(ahead).toBeGreaterThanOrEqual(own);
      },
    ),
  );
});

test('the members of a guild take turns, and within one round the first request is first', () => {
  const members = fc.array(fc.constantFrom('u', 'v', 'w'), { maxLength: 30 });
  fc.assert(
    fc.property(members, (users) => {
      let line: UnsentJob[] = [];
      for (const [index, userId] of users.entries()) {
        const { turn, moved } = placeInLine(line, userId, 1);
        const standBack = line.map((job) => ({
          ...job,
          turn: moved.find(({ id }) => id === job.id)?.turn ?? job.turn,
        }));
        line = [...standBack, { id: `${index}`, userId, turn }].toSorted(
          (one, other) => one.turn - other.turn,
        );
      }
      const asked = users.map((userId, index) => ({
        id: `${index}`,
        round: users.slice(0, index).filter((other) => other === userId).length,
      }));
      const fair = asked.toSorted((one, other) => one.round - other.round);
      expect(line.map(({ id }) => id)).toEqual(fair.map(({ id }) => id));
    }),
  );
});
