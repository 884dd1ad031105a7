import { type Clock, DeadlineError, type Timer, withDeadline } from '../../base/clock.ts';
import { systemErrorCode } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Billing } from '../billing/billing.ts';
import type { Links } from '../files/links.ts';
import type { ServerFaults } from '../server-faults.ts';
import type { SigningSecrets } from '../accounts/signing-secrets.ts';
import type { Database } from '../store/database.ts';
import {
  type DeliveryRow,
  beginAttempt,
  dueDeliveries,
  endAttempt,
  nextDueAt,
  undoAttempt,
} from '../store/deliveries.ts';
import { type JobRow, findJob } from '../store/jobs.ts';
import { toWireJob } from '../wire/to-wire-job.ts';
import { type Delivery, buildDelivery } from './delivery.ts';
import { ATTEMPTS_MAX, RESPONSE_WAIT_MS, retryDelayMs } from './retry-schedule.ts';
import type { WebhookTransport } from './webhook-transport.ts';

/**
 * The largest number of simultaneous attempts, in total and to one origin. A slow receiver can only fill its own share.
 */
const IN_FLIGHT_MAX = 256;
const IN_FLIGHT_PER_ORIGIN_MAX = 8;
/** How long to wait after a database error before looking for due deliveries again. */
const ASK_AGAIN_MS = 5_000;
/**
 * An attempt without an outcome counts as lost after this time, because its process must have ended. The time is longer
 * than the wait for a response.
 */
const LOST_AFTER_MS = RESPONSE_WAIT_MS + 20_000;

interface DispatcherOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly billing: Billing;
  readonly links: Links;
  readonly signing: SigningSecrets;
  readonly transport: WebhookTransport;
  readonly headerPrefix: string;
  readonly faults: Pick<ServerFaults, 'takeLostWebhook'>;
  /** Whether a job is settled before its webhook is built, so that `charged_usd` is a number. */
  readonly reconcileBeforeWebhook: boolean;
  /** Called when an attempt has ended and is recorded. */
  readonly onAttempt: (outcome: 'delivered' | 'failed' | 'abandoned') => void;
}

/**
 * Delivers the queued webhooks. The queue is in the database; this object only holds the attempts in
 * progress.
 */
export class WebhookDispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions;
  readonly #underWay = new Map<string, Promise<void>>();
  readonly #perOrigin = new Map<string, number>();
  readonly #stop = new AbortController();
  #timer: Timer | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
  }

  /**
   * Looks for due deliveries now. It is called whenever a delivery is queued or ends, and by this object's own
   * timer.
   */
  wake(): void {
    if (this.#stop.signal.aborted) return;
    const { db, clock, logger } = this.#options;
    this.#timer?.cancel();
    try {
      while (this.#startDue(db, clock.now())) continue;
      const dueAt = nextDueAt(db, clock.now());
      if (dueAt !== undefined) this.#wakeIn(dueAt - clock.now());
    } catch (error) {
      logger.error({ error }, 'Cannot look for due webhooks');
      this.#wakeIn(ASK_AGAIN_MS);
    }
  }

  /** Cancels the attempts in progress. Those attempts do not count and are repeated after the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('The server is stopping'));
    this.#timer?.cancel();
    await Promise.all(this.#underWay.values());
  }

  #wakeIn(delayMs: number): void {
    if (this.#stop.signal.aborted) return;
    this.#timer?.cancel();
    this.#timer = this.#options.clock.after(delayMs, () => this.wake(), { background: true });
  }

  /**
   * Starts as many deliveries as there is room for. Returns whether it started any, because the next query
   * may then find more.
   */
  #startDue(db: Database, now: number): boolean {
    const room = IN_FLIGHT_MAX - this.#underWay.size;
    if (room <= 0) return false;
    const full = [...this.#perOrigin].filter(([, there]) => there >= IN_FLIGHT_PER_ORIGIN_MAX);
    const due = dueDeliveries(db, { now, limit: room, except: full.map(([origin]) => origin) });
    return due.filter((delivery) => this.#start(delivery)).length > 0;
  }

  #start(delivery: DeliveryRow): boolean {
    const there = this.#perOrigin.get(delivery.origin) ?? 0;
    if (this.#underWay.has(delivery.id) || there >= IN_FLIGHT_PER_ORIGIN_MAX) return false;
    if (delivery.attempts >= ATTEMPTS_MAX) {
      this.#record(delivery.id, 'abandoned', 'lost');
      this.#options.onAttempt('abandoned');
      return true;
    }
    this.#perOrigin.set(delivery.origin, there + 1);
    this.#underWay.set(
      delivery.id,
      this.#attempt(delivery).then((recorded) => this.#leave(delivery, recorded)),
    );
    return true;
  }

  /**
   * Frees the delivery's place. If the outcome could not be recorded, the delivery is still due and would be repeated
   * in a loop without a pause.
   */
  #leave(delivery: DeliveryRow, recorded: boolean): void {
    const left = (this.#perOrigin.get(delivery.origin) ?? 1) - 1;
    if (left > 0) this.#perOrigin.set(delivery.origin, left);
    else this.#perOrigin.delete(delivery.origin);
    this.#underWay.delete(delivery.id);
    if (recorded) this.wake();
    else this.#wakeIn(ASK_AGAIN_MS);
  }

  /** Makes an attempt. Returns whether its outcome was recorded. */
  async #attempt(delivery: DeliveryRow): Promise<boolean> {
    const { db, clock, logger, onAttempt } = this.#options;
    try {
      const now = clock.now();
      const attempt = beginAttempt(db, { id: delivery.id, now, dueAt: now + LOST_AFTER_MS });
      const outcome = await this.#post(delivery);
      if (this.#stop.signal.aborted && typeof outcome === 'string') {
        undoAttempt(db, delivery.id, clock.now());
      } else if (typeof outcome === 'number' && outcome >= 200 && outcome < 300) {
        this.#record(delivery.id, 'delivered', String(outcome));
        onAttempt('delivered');
      } else {
        const delayMs = retryDelayMs(attempt);
        const state = delayMs === undefined ? 'abandoned' : 'pending';
        this.#record(delivery.id, state, String(outcome), delayMs);
        onAttempt(state === 'abandoned' ? 'abandoned' : 'failed');
      }
      logger.debug({ deliveryId: delivery.id, attempt, outcome }, 'Webhook attempted');
      return true;
    } catch (error) {
      logger.error({ error, deliveryId: delivery.id }, 'Cannot attempt a webhook');
      return false;
    }
  }

  /** Returns the status of the response, or a word that says why there was none. */
  async #post(delivery: DeliveryRow): Promise<number | string> {
    const { clock, transport, faults } = this.#options;
    if (faults.takeLostWebhook()) return 'lost_on_order';
    const { callbackUrl, body, headers } = this.#build(delivery);
    try {
      return await withDeadline(
        clock,
        RESPONSE_WAIT_MS,
        (signal) => transport.post(callbackUrl, body, headers, signal),
        this.#stop.signal,
      );
    } catch (error) {
      return error instanceof DeadlineError ? 'timeout' : (systemErrorCode(error) ?? 'failed');
    }
  }

  #build(delivery: DeliveryRow): Delivery & { callbackUrl: string } {
    const { clock, signing, headerPrefix, links } = this.#options;
    const job = this.#settledJob(delivery.jobId);
    if (job.callbackUrl === null) throw new TypeError('Cannot build a webhook: its job has no callback URL');
    const built = buildDelivery({
      deliveryId: delivery.id,
      data: toWireJob(job, links),
      now: clock.now(),
      secrets: signing.active(job.accountId),
      headerPrefix,
    });
    return { callbackUrl: job.callbackUrl, ...built };
  }

  #settledJob(jobId: string): JobRow {
    const { db, billing, reconcileBeforeWebhook } = this.#options;
    if (reconcileBeforeWebhook) billing.reconcile(jobId);
    const job = findJob(db, jobId);
    if (!job) throw new TypeError('Cannot build a webhook: its job is gone');
    return job;
  }

  #record(id: string, state: DeliveryRow['state'], outcome: string, delayMs = 0): void {
    const { db, clock } = this.#options;
    const now = clock.now();
    endAttempt(db, { id, state, now, dueAt: now + delayMs, outcome });
  }
}
