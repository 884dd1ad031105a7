import type { Clock } from '../../../base/clock.ts';
import { derivedId, randomId } from '../../../base/ids.ts';
import type { Logger } from '../../../base/log.ts';
import { type MicroUsd, micros } from '../../../base/money.ts';
import { withinUse } from '../../../base/wire-notes.ts';
import type { Database } from '../../../../db/database.ts';
import { putInputOwners } from '../../../../db/queries/input-owners.ts';
import { hasOpenRetry } from '../../../../db/queries/job-desk.ts';
import { forgetInputLinks, insertJobInputs } from '../../../../db/queries/job-inputs.ts';
import {
  abandonJob,
  acknowledgeJob,
  countAllOpenJobs,
  countOpenJobs,
  findJob,
  findJobByInteraction,
  insertJob,
} from '../../../../db/queries/jobs.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Scope } from '../../../../db/scope.ts';
import { offUntil, switchOff } from '../capability-switch.ts';
import { expectedUnits } from '../prices/expected-units.ts';
import type { Ledger } from '../../money/ledger/ledger.ts';
import type { SpendingGate } from '../../money/ledger/spending-gate.ts';
import { takeTurn } from '../run/fair-turn.ts';
import { ownerRow, ownersOfAll } from '../inputs/input-owners.ts';
import { inputRows } from '../inputs/input-rows.ts';
import type { JobLimits } from '../job-limits.ts';
import type { InputProblem, InputRequest } from '../inputs/inputs.ts';
import type { Quotes } from '../prices/quote.ts';
import type { AccessGate } from './access-gate.ts';
import type { IntakeOutcome } from './intake-outcome.ts';
import type { JobRequest } from '../job-request.ts';

const TOKEN_LIFE_MS = 15 * 60_000;
/**
 * A job whose acknowledgement was never recorded starts by itself, for its process has died: one that lives
 * knows within 10 s whether the chat showed it, and must still be able to abandon it then.
 */
const ACKNOWLEDGE_MS = 15_000;
/** The share of all open jobs that only guilds with fewer open jobs than `FEW` may use. */
const KEPT_SHARE = 0.2;
const FEW = 5;
const COUNT_MS = 1_000;

interface IntakeOptions {
  readonly db: Database;
  readonly ledger: Ledger;
  readonly quotes: Quotes;
  readonly limits: JobLimits;
  readonly clock: Clock;
  readonly log: Logger;
  readonly nudge: () => void;
  /** Asked in this order, as part of the transaction. */
  readonly gates?: readonly AccessGate[] | undefined;
  /** Undefined: nothing is ever paused, and the service alone says what its account covers. */
  readonly spending?: SpendingGate | undefined;
}

/** Takes commands on: checks, quote, then the hold and the job in one transaction. */
export class Intake {
  readonly #options: IntakeOptions;
  /** Open jobs when last counted and those taken on since. */
  #open = 0;
  #countedAtMs = -Infinity;

  constructor(options: IntakeOptions) {
    this.#options = options;
  }

  /**
   * Stores the intent and its hold in one transaction, or refuses. A repeat of the same interaction gets the same answer
   * and stores nothing.
   */
  accept(request: JobRequest): Promise<IntakeOutcome> {
    return withinUse(request.interactionId, () => this.#accept(request));
  }

  async #accept(request: JobRequest): Promise<IntakeOutcome> {
    for (const input of request.inputs) {
      const problem = this.#problemOf(input);
      if (problem) return { accepted: false, refusal: { reason: 'input', option: input.option, problem } };
    }
    const scopes = await this.#scopesOf(request);
    const outcome = await this.#options.db.transaction(scopes, (trx) => this.#store(trx, request));
    if (!outcome.accepted && outcome.refusal.reason === 'account_empty') {
      this.#options.spending?.wasShort(outcome.refusal.needed, 'balance');
    }
    this.#options.log.info(
      { interactionId: request.interactionId, guildId: request.guildId, accepted: outcome.accepted },
      'Command taken in',
    );
    return outcome;
  }

  /** The chat shows the deferred reply, so work may start. `messageId` is its id, if the chat returned it. */
  async acknowledged(jobId: string, messageId: string | null): Promise<void> {
    await acknowledgeJob(this.#options.db.kysely, { id: jobId, messageId, nowMs: this.#options.clock.now() });
    this.#options.nudge();
  }

  /** Voids the hold and deletes the job, because its acknowledgement failed and nobody waits for it. */
  async abandon(jobId: string): Promise<void> {
    const { db, clock, ledger, log } = this.#options;
    const known = await findJob(db.kysely, jobId);
    if (!known) return;
    const abandoned = await db.transaction(`guild:${known.guild_id}`, async (trx) => {
      const job = await abandonJob(trx, jobId, clock.now());
      if (job) {
        await ledger.void(trx, { subject: jobId });
        await forgetInputLinks(trx, jobId, clock.now());
      }
      return job !== undefined;
    });
    log.warn({ jobId, abandoned }, 'A command was not acknowledged; nothing is held for it if abandoned');
  }

  /** Of all members whose data it is too, so that a removal of it either sees the job or comes before it. */
  async #scopesOf({ guildId, userId, inputs }: JobRequest): Promise<readonly Scope[]> {
    const owners = [...(await ownersOfAll(this.#options.db.kysely, inputs)).values()].flat();
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

  async #store(trx: Trx, request: JobRequest): Promise<IntakeOutcome> {
    const { clock, ledger, limits, quotes } = this.#options;
    const known = await findJobByInteraction(trx, request.interactionId);
    if (known) {
      const budget = await ledger.budget(trx, known.guild_id);
      return { accepted: true, jobId: known.id, held: micros(known.hold_micros), budget };
    }
    const paused = await this.#options.spending?.pausedBy(trx, request.guildId);
    if (paused) return { accepted: false, refusal: { reason: 'paused', paused } };
    const offUntilMs = await offUntil(trx, request.capability);
    const offMs = (offUntilMs ?? 0) - clock.now();
    // It is never switched off for longer than that, unless the clock was set back.
    if (offUntilMs !== null && offMs > 0 && offMs <= limits.switchProbeMs) {
      return { accepted: false, refusal: { reason: 'switched_off', againAtMs: offUntilMs } };
    }
    const owners = await ownersOfAll(trx, request.inputs);
    for (const gate of this.#options.gates ?? []) {
      const access = await gate.refuses(trx, request, [...owners.values()].flat());
      if (access) return { accepted: false, refusal: { reason: 'access', access } };
    }
    const { retryOf } = request;
    if (retryOf !== undefined && (await hasOpenRetry(trx, retryOf))) {
      return { accepted: false, refusal: { reason: 'already_retrying' } };
    }
    if (await this.#isFull(trx, request)) {
      return { accepted: false, refusal: { reason: 'busy' } };
    }
    const jobId = derivedId('job', request.interactionId);
    const { capability, parameters } = request;
    const expected = expectedUnits(capability, new Map(), parameters, limits.clipSecondsDefault);
    const quote = quotes.of(capability, expected);
    // A price that rests on an assumed length is not told: it could be far off.
    const price = expected.isKnown ? quote.price : null;
    if (await this.#options.spending?.isShort(trx, quote.hold)) {
      return { accepted: false, refusal: { reason: 'account_empty', needed: quote.hold } };
    }
    const hold = await ledger.hold(trx, {
      subject: jobId,
      guildId: request.guildId,
      userId: request.userId,
      roleIds: request.roleIds,
      capability,
      amount: quote.hold,
      rateCard: quote.snapshot,
    });
    if (!hold.held) {
      return { accepted: false, refusal: { reason: 'budget', price, needed: quote.hold, cap: hold.cap } };
    }
    // This job finds out whether it is on again; no other one does until the next interval.
    if (offUntilMs !== null) await switchOff(trx, capability, clock.now() + limits.switchProbeMs);
    await this.#insert(trx, jobId, request, { held: quote.hold, quote: price });
    for (const [field, those] of owners) {
      await putInputOwners(
        trx,
        those.map((owner) => ownerRow({ jobId, field }, owner)),
      );
    }
    return { accepted: true, jobId, held: quote.hold, budget: hold.budget };
  }

  /** Whether the guild, the member, or the whole bot has as many open jobs as they may. */
  async #isFull(trx: Trx, { guildId, userId }: JobRequest): Promise<boolean> {
    const { openPerGuildMax, openPerMemberMax, openMax } = this.#options.limits;
    const ofGuild = await countOpenJobs(trx, { guildId });
    if (ofGuild >= openPerGuildMax) return true;
    if ((await countOpenJobs(trx, { userId })) >= openPerMemberMax) return true;
    return this.#isWholeFull(trx, ofGuild < FEW ? openMax : openMax * (1 - KEPT_SHARE));
  }

  /** Counts all open jobs at most once a second, unless there seem to be too many: it takes longer the more there are. */
  async #isWholeFull(trx: Trx, openMax: number): Promise<boolean> {
    const { limits, clock } = this.#options;
    const nowMs = clock.monotonic();
    if (nowMs - this.#countedAtMs >= COUNT_MS || this.#open >= limits.openMax) {
      this.#open = await countAllOpenJobs(trx, limits.openMax);
      this.#countedAtMs = nowMs;
    }
    if (this.#open >= openMax) return true;
    this.#open += 1;
    return false;
  }

  async #insert(
    trx: Trx,
    jobId: string,
    request: JobRequest,
    { held, quote }: { readonly held: MicroUsd; readonly quote: MicroUsd | null },
  ): Promise<void> {
    const nowMs = this.#options.clock.now();
    await insertJob(trx, {
      id: jobId,
      interaction_id: request.interactionId,
      capability: request.capability,
      parameters: JSON.stringify(request.parameters),
      retry_of: request.retryOf ?? null,
      application_id: request.applicationId,
      guild_id: request.guildId,
      channel_id: request.channelId,
      user_id: request.userId,
      interaction_token: request.interactionToken,
      token_expires_at_ms: request.receivedAtMs + TOKEN_LIFE_MS,
      attachment_size_limit_bytes: request.attachmentSizeLimitBytes,
      stage: 'accepted',
      turn: await takeTurn(trx, request),
      idempotency_key: derivedId('intent', request.interactionId, request.interactionToken),
      callback_token: randomId('cb'),
      hold_micros: held,
      quote_micros: quote,
      due_at_ms: nowMs + ACKNOWLEDGE_MS,
      accepted_at_ms: nowMs,
      updated_at_ms: nowMs,
    });
    await insertJobInputs(trx, inputRows(jobId, request.inputs));
  }
}
