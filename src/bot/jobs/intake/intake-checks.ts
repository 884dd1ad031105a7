import { hasOpenRetry } from '../../../../db/queries/job-desk.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Clock } from '../../../base/clock.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';
import type { InputOwner } from '../inputs/inputs.ts';
import type { JobLimits } from '../job-limits.ts';
import type { Quote } from '../prices/quote.ts';
import type { OpenJobs } from './open-jobs.ts';
import type { Refusal } from './refusals.ts';
import type { AccessGate } from './access-gate.ts';
import type { JobRequest } from '../job-request.ts';

/** A command that may become a job, with the data that the checks need. */
export interface Candidate {
  readonly request: JobRequest;
  /** The owners of the pictures that the request uses, by body field. */
  readonly owners: ReadonlyMap<string, readonly InputOwner[]>;
  /**
   * The time (epoch milliseconds) from which the request's capability may be tried again; null if it is not known to be
   * switched off.
   */
  readonly offUntilMs: number | null;
  readonly quote: Quote;
}

/** The tools that the checks need. */
interface IntakeCheckTools {
  readonly clock: Clock;
  readonly limits: Pick<JobLimits, 'switchProbeMs'>;
  readonly openJobs: OpenJobs;
  /** The access gates, in the order in which they are asked. Default: none. */
  readonly gates?: readonly AccessGate[] | undefined;
  /**
   * Checks what is paused and the account balance. If `undefined`, nothing is paused, and the balance is not checked.
   */
  readonly spending?: SpendingGate | undefined;
}

/** Checks a candidate in the transaction that would accept it. Returns why it is refused, or null if it is allowed. */
type IntakeCheck = (trx: Trx, candidate: Candidate, tools: IntakeCheckTools) => Promise<Refusal | null>;

/**
 * The checks, in the order in which they run. The first refusal is returned. The budget is checked last, when the hold
 * is made.
 */
export const INTAKE_CHECKS: readonly IntakeCheck[] = [
  refusePaused,
  refuseSwitchedOff,
  refuseWithoutAccess,
  refuseSecondRetry,
  refuseTooManyOpen,
  refuseEmptyAccount,
];

/** Refuses if the operator has paused the guild or the whole bot. */
async function refusePaused(
  trx: Trx,
  { request }: Candidate,
  { spending }: IntakeCheckTools,
): Promise<Refusal | null> {
  const paused = await spending?.pausedBy(trx, request.guildId);
  return paused ? { reason: 'paused', paused } : null;
}

/** Refuses if the service has switched the capability off, and it is too early to try it again. */
function refuseSwitchedOff(
  _trx: Trx,
  { offUntilMs }: Candidate,
  { clock, limits }: IntakeCheckTools,
): Promise<Refusal | null> {
  if (offUntilMs === null) return Promise.resolve(null);
  const offMs = offUntilMs - clock.now();
  // A capability is never switched off for longer than `switchProbeMs`, unless the clock was set back.
  const isOff = offMs > 0 && offMs <= limits.switchProbeMs;
  return Promise.resolve(isOff ? { reason: 'switched_off', againAtMs: offUntilMs } : null);
}

/** Refuses if a rule of the guild, or the owner of one of the pictures, does not allow the job. */
async function refuseWithoutAccess(
  trx: Trx,
  { request, owners }: Candidate,
  { gates = [] }: IntakeCheckTools,
): Promise<Refusal | null> {
  for (const gate of gates) {
    const access = await gate.refuses(trx, request, [...owners.values()].flat());
    if (access) return { reason: 'access', access };
  }
  return null;
}

/** Refuses if a retry of the same job is already open. */
async function refuseSecondRetry(
  trx: Trx,
  { request: { retryOf } }: Candidate,
  _tools: IntakeCheckTools,
): Promise<Refusal | null> {
  return retryOf !== undefined && (await hasOpenRetry(trx, retryOf)) ? { reason: 'already_retrying' } : null;
}

/** Refuses if the guild, the member, or the whole bot has as many open jobs as the limits allow. */
async function refuseTooManyOpen(
  trx: Trx,
  { request }: Candidate,
  { openJobs }: IntakeCheckTools,
): Promise<Refusal | null> {
  return (await openJobs.hasRoom(trx, request)) ? null : { reason: 'busy' };
}

/** Refuses if the balance of the account at the service is known to be lower than the amount to set aside. */
async function refuseEmptyAccount(
  trx: Trx,
  { quote }: Candidate,
  { spending }: IntakeCheckTools,
): Promise<Refusal | null> {
  const isShort = await spending?.isShort(trx, quote.hold);
  return isShort === true ? { reason: 'account_empty', needed: quote.hold } : null;
}
