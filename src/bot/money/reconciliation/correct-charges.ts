import { findJob } from '../../../../db/queries/jobs.ts';
import { recordSessionCharge } from '../../../../db/queries/session-calls.ts';
import type { MicroUsd } from '../../../base/money.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import { jobCharge } from './job-charge.ts';
import type { Finding } from './judge.ts';

/** The most corrections per comparison. The next comparison makes the rest. */
const CORRECTIONS_MAX = 20;

type Disputed = Readonly<Record<string, MicroUsd>>;

/**
 * Corrects charges that differ between the usage log and the books. If the service reports a charge for the job itself,
 * that charge takes precedence. If that charge equals the booked one, the price in the log is used only if a later
 * comparison finds it again. Returns the prices that a later comparison must confirm.
 */
export async function correctCharges(
  differing: readonly Finding[],
  seen: { readonly disputed: Disputed; readonly readAtMs: number },
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<Disputed> {
  const disputed: Record<string, MicroUsd> = {};
  for (const { call, recordId, charged } of differing.slice(0, CORRECTIONS_MAX)) {
    signal.throwIfAborted();
    const askedAtMs = context.clock.now();
    const job = await findJob(context.db.kysely, call.subject);
    const told = job && (await jobCharge(job, context, signal));
    const hold = { subject: call.subject, guild_id: call.guildId };
    if (told !== undefined && told !== call.charged) await correct(hold, told, context, askedAtMs);
    else if (told === undefined || seen.disputed[recordId] === charged) {
      await correct(hold, charged, context, seen.readAtMs);
    } else disputed[recordId] = charged;
  }
  return disputed;
}

async function correct(
  hold: { readonly subject: string; readonly guild_id: string },
  charged: MicroUsd,
  { db, ledger, log, clock }: ReconcileContext,
  asOfMs: number,
): Promise<void> {
  await db.transaction(`guild:${hold.guild_id}`, async (trx) => {
    const { change } = await ledger.post(trx, { subject: hold.subject, charged, asOfMs });
    await recordSessionCharge(trx, { id: hold.subject, charged, nowMs: clock.now() });
    log.warn(
      { subject: hold.subject, chargedMicros: charged, changeMicros: change },
      'A charge was corrected',
    );
  });
}
