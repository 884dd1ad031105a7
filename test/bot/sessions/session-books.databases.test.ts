import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findSession } from '../../../db/queries/sessions.ts';
import type { SessionRow } from '../../../db/schema/sessions.ts';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { micros } from '../../../src/base/money.ts';
import { Ledger } from '../../../src/bot/money/ledger/ledger.ts';
import { verifyLedger } from '../../../src/bot/money/ledger/verify-ledger.ts';
import { SessionBooks, type SessionRequest } from '../../../src/bot/sessions/session-books.ts';
import { SessionError } from '../../../src/bot/sessions/session-error.ts';
import { SessionTicket } from '../../../src/media-api/session-ticket.ts';
import { useDatabase } from '../../db/use-database.ts';

const BUDGET = 1_000_000;

type Step =
  | { readonly kind: 'opened'; readonly maxCost: number }
  | { readonly kind: 'notOpened' }
  | { readonly kind: 'ended'; readonly meteredMs: number }
  | { readonly kind: 'lost' }
  | { readonly kind: 'charged'; readonly cost: number }
  | { readonly kind: 'review' };

const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    fc.integer({ min: 1, max: 12 }).map((tenths): Step => ({ kind: 'opened', maxCost: tenths / 10 })),
    fc.constant<Step>({ kind: 'notOpened' }),
    fc.nat(60_000).map((meteredMs): Step => ({ kind: 'ended', meteredMs })),
    fc.constant<Step>({ kind: 'lost' }),
    fc.constantFrom(0, 1, 40_000).map((cost): Step => ({ kind: 'charged', cost })),
    fc.constant<Step>({ kind: 'review' }),
  ),
  { maxLength: 8 },
);

function ticketOf(maxCost: number): SessionTicket {
  const wire = {
    session_id: 'ses',
    stream_url: 'ws://127.0.0.1/stream',
    session_token: 'token',
    max_duration_sec: 60,
    max_cost_usd: maxCost,
  };
  return SessionTicket.read(wire, { allowInsecure: true });
}

/** Opens books on one database. Each session has a guild and a budget of its own. */
async function useBooks() {
  const db = await useDatabase();
  const clock = new FakeClock();
  const limit = micros(BUDGET);
  const ledger = new Ledger({ clock, defaultBudget: { limit, period: 'total', timeZone: 'UTC' } });
  const quotes = { ofSession: () => ({ hold: micros(60_000), snapshot: '{}' }) };
  const books = new SessionBooks({ db, ledger, quotes, clock, owner: 'me', leaseMs: 10_000, firstLookMs: 0 });
  return { db, ledger, books };
}

type Books = Awaited<ReturnType<typeof useBooks>>;

/**
 * Takes a step if the bot itself could take it. For example, the bot looks for a session's charge only after the
 * session has ended.
 */
async function take({ books }: Books, request: SessionRequest, row: SessionRow, step: Step): Promise<void> {
  const { id, guild_id: guildId } = row;
  switch (step.kind) {
    case 'opened':
      await books.opened(id, request, ticketOf(step.maxCost)).catch((error: unknown) => {
        expect(error).toBeInstanceOf(SessionError);
      });
      return;
    case 'notOpened':
      // The bot never releases the hold of an open session.
      if (row.state !== 'open') await books.notOpened(id, guildId);
      return;
    case 'ended':
      if (row.state !== 'opening') await books.ended(row, { meteredMs: step.meteredMs, reason: 'left' });
      return;
    case 'lost':
      if (row.state === 'opening' || row.state === 'open') await books.crashed(row);
      return;
    case 'charged':
      if (row.state === 'ended') {
        await books.charged(row, { charged: micros(step.cost), reason: null, asOfMs: 1 });
      }
      return;
    case 'review':
      if (row.state === 'ended') await books.review(row);
      return;
    default:
      step satisfies never;
  }
}

async function rowOf({ db }: Books, id: string): Promise<SessionRow> {
  const row = await findSession(db.kysely, id);
  if (!row) throw new TypeError('There is no such session');
  return row;
}

async function expectSettledOnce({ db, ledger }: Books, row: SessionRow): Promise<void> {
  const hold = await db.kysely
    .selectFrom('holds')
    .selectAll()
    .where('subject', '=', row.id)
    .executeTakeFirstOrThrow();
  const { left } = await ledger.budget(db.kysely, row.guild_id);
  if (row.state === 'settled') {
    expect(hold.state).toBe(row.charged_micros === 0 ? 'voided' : 'posted');
    expect(hold.charged_micros).toBe(row.charged_micros);
    expect(left).toBe(BUDGET - (row.charged_micros ?? NaN));
  } else {
    expect(['pending', 'review']).toContain(hold.state);
    expect(left).toBe(BUDGET - hold.amount_micros);
  }
}

test('a hold is kept until its session is settled, and is then charged or released exactly once', async () => {
  const place = await useBooks();
  let sessions = 0;
  await fc.assert(
    fc.asyncProperty(steps, async (chosen) => {
      const id = `session-${++sessions}`;
      const whose = { guildId: `guild of ${id}`, channelId: 'channel', userId: id, roleIds: [] };
      const request: SessionRequest = { ...whose, capability: 'voice_swap', voiceId: null, seconds: 60 };
      await place.books.reserve(id, request);
      let settled: SessionRow | undefined;
      for (const step of chosen) {
        await take(place, request, await rowOf(place, id), step);
        const row = await rowOf(place, id);
        await expectSettledOnce(place, row);
        if (settled) expect(row).toEqual(settled);
        if (row.state === 'settled') settled = row;
      }
    }),
    { numRuns: 40 },
  );
  await verifyLedger(place.db.kysely, (difference) => expect(difference).toBeUndefined());
});
