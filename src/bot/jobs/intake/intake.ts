import type { Database } from '../../../../db/database.ts';
import { clearInputLinks } from '../../../../db/queries/job-inputs.ts';
import { abandonJob, acknowledgeJob, findJob, findJobByInteraction } from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Scope } from '../../../../db/scope.ts';
import type { Clock } from '../../../base/clock.ts';
import { derivedId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import { micros } from '../../../base/money.ts';
import { withinUse } from '../../../base/wire-note.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';
import { offUntil, switchOff } from '../capability-switch.ts';
import type { InputProblem, InputRequest } from '../inputs/inputs.ts';
import { ownersOfInputs } from '../inputs/owners-of-inputs.ts';
import type { JobLimits } from '../job-limits.ts';
import { type InputSize, expectedUnits } from '../prices/expected-units.ts';
import type { Quotes } from '../prices/quote.ts';
import { type Candidate, INTAKE_CHECKS } from './intake-checks.ts';
import { OpenJobs } from './open-jobs.ts';
import type { AccessGate } from './access-gate.ts';
import type { IntakeOutcome } from './intake-outcome.ts';
import type { JobRequest } from '../job-request.ts';
import type { Refusal } from './refusals.ts';
import { storeJob } from './store-job.ts';

interface IntakeOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly quotes: Quotes;
  readonly limits: JobLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly nudge: () => void;
  /** The access gates, in the order in which the transaction asks them. */
  readonly gates?: readonly AccessGate[] | undefined;
  /**
   * Checks what is paused and the account balance. If `undefined`, nothing is paused, and the balance is not checked.
   */
  readonly spending?: SpendingGate | undefined;
}

/** Accepts commands. The checks, the hold and the job row share one transaction. */
export class Intake {
  readonly #options: IntakeOptions;
  readonly #openJobs: OpenJobs;

  constructor(options: IntakeOptions) {
    this.#options = options;
    this.#openJobs = new OpenJobs(options);
  }

  /**
   * Stores the job and its hold in one transaction, or refuses. If the same interaction is accepted again, the outcome
   * is the same and nothing more is stored.
   */
  accept(request: JobRequest): Promise<IntakeOutcome> {
    return withinUse(request.interactionId, () => this.#accept(request));
  }

  async #accept(request: JobRequest): Promise<IntakeOutcome> {
    for (const input of request.inputs) {
      const problem = this.#problemOf(input);
      if (problem) return refused({ reason: 'input', option: input.option, problem });
    }
    const scopes = await this.#scopesOf(request);
    const outcome = await this.#options.db.transaction(
      scopes,
      async (trx) => (await this.#outcomeOfRepeat(trx, request)) ?? (await this.#takeOn(trx, request)),
    );
    if (!outcome.accepted && outcome.refusal.reason === 'account_empty') {
      this.#options.spending?.wasShort(outcome.refusal.needed, 'balance');
    }
    this.#options.log.info(
      { interactionId: request.interactionId, guildId: request.guildId, accepted: outcome.accepted },
      'A command was accepted or refused',
    );
    return outcome;
  }

  /**
   * Records that the chat shows the deferred reply, so that work may start. `messageId` is the reply's id, if the chat
   * returned it.
   */
  async acknowledged(jobId: string, messageId: string | null): Promise<void> {
    await acknowledgeJob(this.#options.db.kysely, { id: jobId, messageId, nowMs: this.#options.clock.now() });
    this.#options.nudge();
  }

  /**
   * Voids a job's hold and abandons the job. Called if the acknowledgement failed, because nobody is waiting for the
   * job in that case.
   */
  async abandon(jobId: string): Promise<void> {
    const { db, clock, ledger, log } = this.#options;
    const known = await findJob(db.kysely, jobId);
    if (!known) return;
    const abandoned = await db.transaction(`guild:${known.guild_id}`, async (trx) => {
      const job = await abandonJob(trx, jobId, clock.now());
      if (job) {
        await ledger.void(trx, { subject: jobId });
        await clearInputLinks(trx, jobId, clock.now());
      }
      return job !== undefined;
    });
    log.warn(
      { jobId, abandoned },
      'A command was not acknowledged; if its job was abandoned, nothing is held for it',
    );
  }

  /**
   * Returns the scopes of the guild and of all members whose data the job uses. Because of these scopes, the removal of
   * a member's data either includes the job or has finished before the job is stored.
   */
  async #scopesOf({ guildId, userId, inputs }: JobRequest): Promise<readonly Scope[]> {
    const owners = [...(await ownersOfInputs(this.#options.db.kysely, inputs)).values()].flat();
    const others = owners.flatMap((owner) =>
      owner.kind === 'gone' ? [] : [`member:${owner.userId}` as const],
    );
    return [`guild:${guildId}`, `member:${userId}`, ...others];
  }

  #problemOf(input: InputRequest): InputProblem | undefined {
    const { source } = input;
    if (source.from !== 'chat' || source.sizeBytes === null) return undefined;
    const { sizeBytes } = source;
    const sizeBytesMax = this.#options.limits.inputBytesMax[input.kind];
    if (sizeBytes === 0) return { kind: 'empty' };
    return sizeBytes > sizeBytesMax ? { kind: 'too_large', sizeBytes, sizeBytesMax } : undefined;
  }

  /** Returns the outcome of a command that was accepted earlier; `undefined` for a new command. */
  async #outcomeOfRepeat(trx: Trx, { interactionId }: JobRequest): Promise<IntakeOutcome | undefined> {
    const known = await findJobByInteraction(trx, interactionId);
    if (!known) return undefined;
    const budget = await this.#options.ledger.budget(trx, known.guild_id);
    return { accepted: true, jobId: known.id, held: micros(known.hold_micros), budget };
  }

  async #takeOn(trx: Trx, request: JobRequest): Promise<IntakeOutcome> {
    const { clock, ledger, limits } = this.#options;
    const { capability, parameters } = request;
    const inputs: ReadonlyMap<string, InputSize> = new Map();
    const expected = expectedUnits(capability, {
      inputs,
      parameters,
      secondsDefault: limits.clipSecondsDefault,
    });
    const quote = this.#options.quotes.of(capability, expected);
    const offUntilMs = await offUntil(trx, capability);
    const owners = await ownersOfInputs(trx, request.inputs);
    const refusal = await this.#refusalOf(trx, { request, owners, offUntilMs, quote });
    if (refusal) return refused(refusal);
    // A price that is based on an assumed length is not shown, because the actual price could be very different.
    const price = expected.isKnown ? quote.price : null;
    const { guildId, userId, roleIds } = request;
    const jobId = derivedId('job', request.interactionId);
    const hold = await ledger.hold(trx, {
      subject: jobId,
      guildId,
      userId,
      roleIds,
      capability,
      amount: quote.hold,
      rateCard: quote.snapshot,
    });
    if (!hold.held) return refused({ reason: 'budget', price, needed: quote.hold, cap: hold.cap });
    // This job finds out whether the capability is on again. No other job tries it before the next interval.
    if (offUntilMs !== null) await switchOff(trx, capability, clock.now() + limits.switchProbeMs);
    await storeJob(trx, { jobId, request, owners, held: quote.hold, price }, clock.now());
    return { accepted: true, jobId, held: quote.hold, budget: hold.budget };
  }

  async #refusalOf(trx: Trx, candidate: Candidate): Promise<Refusal | null> {
    const tools = { ...this.#options, openJobs: this.#openJobs };
    for (const check of INTAKE_CHECKS) {
      const refusal = await check(trx, candidate, tools);
      if (refusal) return refusal;
    }
    return null;
  }
}

function refused(refusal: Refusal): IntakeOutcome {
  return { accepted: false, refusal };
}
