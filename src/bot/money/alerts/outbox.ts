import type { Database } from '../../../../db/database.ts';
import type { AlertQueue, ClaimedAlert } from '../../../../db/queries/alert-queue.ts';
import type { Trx } from '../../../../db/schema.ts';
import type { Scope } from '../../../../db/scope.ts';
import { type Clock, withDeadline } from '../../../base/clock.ts';
import { unreachable } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import type { AlertOutcome } from './alert-outcome.ts';
import { type Attempt, afterAttempt } from './after-attempt.ts';
import { DueLoop } from './due-loop.ts';

/** Sends one alert. `isRepeat` is true if an earlier attempt may have sent it. Throws if the chat does not answer. */
type Send = (options: { readonly isRepeat: boolean; readonly signal: AbortSignal }) => Promise<AlertOutcome>;

/** The way to handle an alert that was claimed. */
export type Decision =
  | { readonly step: 'send'; readonly send: Send }
  /** Nothing needs to be sent. */
  | { readonly step: 'close' }
  /** Nothing can be sent now. The alert waits until `untilMs`, and its number of attempts is reset to 0. */
  | { readonly step: 'wait'; readonly untilMs: number }
  /** The alert's row has been deleted. */
  | { readonly step: 'dropped' };

interface OutboxOptions<Row> {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Logger;
  readonly queue: AlertQueue<Row>;
  /** The scope of the transaction in which an alert is claimed. */
  readonly scopeOf: (row: Row) => Scope;
  /** Runs in the transaction that claims the alert. */
  readonly decide: (trx: Trx, claimed: ClaimedAlert<Row>, nowMs: number) => Promise<Decision>;
  /** The fields of log messages about an alert. */
  readonly fieldsOf: (row: Row) => Readonly<Record<string, string>>;
}

/** How long a claim lasts, which is longer than the deadline of an attempt. */
export const SEND_LEASE_MS = 60_000;
const SEND_DEADLINE_MS = 20_000;

/**
 * Sends a queue's alerts, from `start` until it is disposed. Each alert is sent once, even if processes crash or
 * several processes send. `afterAttempt` decides when a failed attempt is repeated.
 */
export class Outbox<Row> implements AsyncDisposable {
  readonly #options: OutboxOptions<Row>;
  readonly #loop: DueLoop;

  constructor(options: OutboxOptions<Row>) {
    const { db, clock, log, queue } = options;
    this.#options = options;
    this.#loop = new DueLoop({
      clock,
      log,
      handleNext: (stopping) => this.#handleNext(stopping),
      nextDueAtMs: () => queue.nextDueAtMs(db.kysely),
    });
  }

  /** Starts sending. It must not be called before the chat is connected. */
  start(): void {
    this.#loop.start();
  }

  /** Sends the alerts that are due now. Does nothing before `start`. */
  nudge(): void {
    this.#loop.nudge();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#loop[Symbol.asyncDispose]();
  }

  async #handleNext(stopping: AbortSignal): Promise<boolean> {
    const { db, clock, queue, scopeOf } = this.#options;
    const nowMs = clock.now();
    const due = await queue.findDue(db.kysely, nowMs);
    if (!due) return false;
    const toSend = await db.transaction(scopeOf(due), async (trx) => {
      const claimed = await queue.claim(trx, due, { nowMs, leaseUntilMs: nowMs + SEND_LEASE_MS });
      return claimed && this.#decide(trx, claimed, nowMs);
    });
    if (toSend) await this.#send(toSend.claimed, toSend.send, stopping);
    return true;
  }

  async #decide(
    trx: Trx,
    claimed: ClaimedAlert<Row>,
    nowMs: number,
  ): Promise<{ readonly claimed: ClaimedAlert<Row>; readonly send: Send } | undefined> {
    const { queue, decide } = this.#options;
    const decision = await decide(trx, claimed, nowMs);
    switch (decision.step) {
      case 'send':
        return { claimed, send: decision.send };
      case 'close':
        await queue.close(trx, claimed, nowMs);
        return undefined;
      case 'wait':
        await queue.rest(trx, claimed, decision.untilMs);
        return undefined;
      case 'dropped':
        return undefined;
      default:
        return unreachable(decision);
    }
  }

  async #send(claimed: ClaimedAlert<Row>, send: Send, stopping: AbortSignal): Promise<void> {
    const { db, clock, queue } = this.#options;
    const attempt = await this.#attempt(claimed, send, stopping);
    const nowMs = clock.now();
    const after = afterAttempt(attempt.outcome, { attempts: claimed.attempts, nowMs });
    this.#log(claimed.row, attempt, after.step === 'close');
    if (after.step === 'close') await queue.close(db.kysely, claimed, nowMs);
    else await queue.defer(db.kysely, claimed, after.dueAtMs);
  }

  async #attempt({ attempts }: ClaimedAlert<Row>, send: Send, stopping: AbortSignal): Promise<Attempt> {
    const isRepeat = attempts > 1;
    try {
      return await withDeadline(
        this.#options.clock,
        SEND_DEADLINE_MS,
        (signal) => send({ isRepeat, signal }),
        stopping,
      );
    } catch (error) {
      return stopping.aborted ? { outcome: 'stopped' } : { outcome: 'failed', error };
    }
  }

  #log(row: Row, attempt: Attempt, isLast: boolean): void {
    const { log, fieldsOf } = this.#options;
    if (attempt.outcome === 'refused') {
      const fields = { ...fieldsOf(row), reason: attempt.reason };
      log.warn(fields, 'An alert is given up: its channel accepts no message');
    } else if (attempt.outcome === 'failed') {
      log.warn(
        { ...fieldsOf(row), error: attempt.error },
        isLast ? 'An alert is given up: too many attempts failed' : 'Cannot send an alert, will try again',
      );
    }
  }
}
