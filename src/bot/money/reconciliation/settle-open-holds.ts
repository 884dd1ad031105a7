import { listOpenHolds } from '../../../../db/queries/holds.ts';
import { findJob } from '../../../../db/queries/jobs.ts';
import { recordSessionCharge } from '../../../../db/queries/session-calls.ts';
import { recordLateCharge } from '../../../../db/queries/service-calls.ts';
import { findSession } from '../../../../db/queries/sessions.ts';
import { putUsageOwner } from '../../../../db/queries/usage-owners.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { HoldRow } from '../../../../db/schema/ledger.ts';
import { type MicroUsd, ZERO } from '../../../base/money.ts';
import type { ReconcileContext } from './reconcile-context.ts';
import { jobCharge } from './job-charge.ts';

/** Holds younger than this are skipped, because their jobs and sessions are probably still running. */
const YOUNG_MS = 600_000;
const HOLDS_MAX = 5_000;
/** In one comparison, the service is asked about at most this many single jobs. */
const ASKED_MAX = 20;
/** The service is no longer asked about jobs older than this. */
const ASKED_MS_MAX = 30 * 86_400_000;

/**
 * Resolves the open holds of jobs that have ended, according to each job's outcome. A hold that no job or session will
 * resolve goes to review, and its amount stays held. Returns the subjects of the holds that are still open.
 */
export async function settleOpenHolds(
  context: ReconcileContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const { db, clock } = context;
  const createdBeforeMs = clock.now() - YOUNG_MS;
  const open: string[] = [];
  let asked = 0;
  for (const hold of await listOpenHolds(db.kysely, { createdBeforeMs, limit: HOLDS_MAX })) {
    signal.throwIfAborted();
    const job = await findJob(db.kysely, hold.subject);
    let charged = job ? knownCharge(job) : undefined;
    if (charged === undefined && job && isAskable(job, clock.now()) && asked++ < ASKED_MAX) {
      charged = await jobCharge(job, context, signal);
    }
    if (charged !== undefined) await settleHold(hold, charged, context);
    else if (await isLeft(hold, job, context)) open.push(hold.subject);
  }
  return open;
}

/**
 * Books the price of a guild's call. A price of 0 frees an open hold, and an estimated charge is adjusted. `asOfMs` is
 * the time at which the charge was learned. `recordId` names the only usage record that can belong to the call, and
 * this match is stored as a decision. If the operator has decided otherwise about that record, nothing is booked.
 */
export async function settleHold(
  hold: { readonly subject: string; readonly guild_id: string },
  charged: MicroUsd,
  { db, ledger, log, clock }: Pick<ReconcileContext, 'db' | 'ledger' | 'log' | 'clock'>,
  { asOfMs = clock.now(), recordId }: { readonly asOfMs?: number; readonly recordId?: string } = {},
): Promise<void> {
  const { subject } = hold;
  await db.transaction(`guild:${hold.guild_id}`, async (trx) => {
    if (recordId !== undefined) {
      const owner = { record_id: recordId, subject, decided_by: null, decided_at_ms: clock.now() };
      if (!(await putUsageOwner(trx, owner))) return;
    }
    const freed = charged === ZERO ? await ledger.void(trx, { subject }) : undefined;
    const { change, state } =
      freed?.state === 'voided' ? freed : await ledger.post(trx, { subject, charged, asOfMs });
    await recordLateCharge(trx, subject, charged);
    await recordSessionCharge(trx, { id: subject, charged, nowMs: clock.now() });
    log.info(
      { subject, chargedMicros: charged, changeMicros: change, state },
      'A hold was settled by comparison',
    );
  });
}

/** Returns the charge that the job pipeline knows; `undefined` if it knows none or the job has not ended. */
function knownCharge(job: JobRow): MicroUsd | undefined {
  if (job.stage === 'abandoned') return ZERO;
  if (job.stage !== 'settled' || job.outcome === 'unknown') return undefined;
  return job.charged_micros ?? undefined;
}

function isAskable(job: JobRow, nowMs: number): boolean {
  const isRecent = nowMs - job.accepted_at_ms < ASKED_MS_MAX;
  return job.stage === 'settled' && job.service_job_id !== null && isRecent;
}

/**
 * Returns whether the hold stays open. Sends the hold to review if no job will resolve it, or if it has been open for
 * too long.
 */
async function isLeft(hold: HoldRow, job: JobRow | undefined, context: ReconcileContext): Promise<boolean> {
  const { db, ledger, log, clock, limits } = context;
  // A session resolves its own hold, or sends it to review.
  const isSession = job === undefined && (await findSession(db.kysely, hold.subject)) !== undefined;
  const isUnderWay = isSession || (job !== undefined && job.stage !== 'settled');
  const isOld = clock.now() - hold.created_at_ms > limits.holdMsMax;
  if (hold.state === 'review' || (isUnderWay && !isOld)) return true;
  const { subject } = hold;
  const { state } = await db.transaction(`guild:${hold.guild_id}`, (trx) => ledger.review(trx, { subject }));
  if (state !== 'review') return false;
  log.warn(
    { subject, hasJob: job !== undefined, isUnderWay },
    'A hold that no job or session will end was set aside for review',
  );
  return true;
}
