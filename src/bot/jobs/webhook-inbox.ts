import type { z } from 'zod';
import { Batcher } from '../../base/batcher.ts';
import type { Clock } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { Database } from '../../../db/database.ts';
import type { JobRow, JobStage } from '../../../db/schema/jobs.ts';
import type { NewDelivery } from '../../../db/schema/webhook-deliveries.ts';
import { findJobByServiceJobId, wakeJob } from '../../../db/queries/jobs.ts';
import { type CallbackJob, listJobsOfCallbacks, wakeJobs } from '../../../db/queries/job-callbacks.ts';
import {
  insertDeliveries,
  listDeliveriesOfJob,
  purgeDeliveries,
} from '../../../db/queries/webhook-deliveries.ts';
import { type Job, isTerminal, toJob } from '../../media-api/job.ts';
import { wireDelivery } from '../../media-api/wire.ts';

/** A verified delivery that the web server received. */
interface ReceivedDelivery {
  readonly deliveryId: string;
  /** The job's id at the service, from the signed body. */
  readonly serviceJobId: string;
  /** The secret segment of the URL path to which the delivery was sent. */
  readonly callbackToken: string;
  /** The exact bytes received. */
  readonly body: Uint8Array;
}

/** The result of receiving a delivery. */
interface KeptDelivery {
  readonly kept: 'stored' | 'duplicate';
  /** The interaction id of the job to whose URL the delivery was sent; null if there is no such job. */
  readonly interactionId: string | null;
}

const KEPT_MS = 7 * 86_400_000;
const HINT_GAP_MS = 10_000;
const DELIVERIES_READ_MAX = 20;
const PURGE_MAX = 10_000;
/**
 * The maximum number of deliveries in one commit, and the maximum number that may wait. Storing 5,000 takes a few
 * seconds.
 */
const BATCH_MAX = 200;
const WAITING_MAX = 5_000;
const END_UNKNOWN: readonly JobStage[] = ['accepted', 'fetched', 'uploaded', 'submitting', 'submitted'];

/**
 * The durable inbox of webhooks. A delivery is stored before the service gets its 2xx response, but the job's step
 * reads it only later. A delivery that arrives before the response to the submission stays here until the job is known.
 */
export class WebhookInbox {
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #log: Logger;
  readonly #nudge: () => void;
  readonly #batches: Batcher<ReceivedDelivery, KeptDelivery>;

  constructor(options: { db: Database; clock: Clock; log: Logger; nudge: () => void }) {
    this.#db = options.db;
    this.#clock = options.clock;
    this.#log = options.log;
    this.#nudge = options.nudge;
    this.#batches = new Batcher({
      run: (deliveries) => this.#receiveAll(deliveries),
      sizeMax: BATCH_MAX,
      waitingMax: WAITING_MAX,
    });
  }

  /**
   * Stores the delivery once and makes its job due, even if the service has not responded to the submission yet. A
   * repeated delivery changes nothing. If the outcome of the job is already known, only the delivery's id is stored.
   * Resolves after the commit. Throws if the delivery cannot be stored, or if too many deliveries are waiting.
   */
  receive(delivery: ReceivedDelivery): Promise<KeptDelivery> {
    return this.#batches.add(delivery);
  }

  /** Stores, in one commit, deliveries that arrive at the same time, because each commit waits for the disk. */
  async #receiveAll(deliveries: readonly ReceivedDelivery[]): Promise<KeptDelivery[]> {
    const nowMs = this.#clock.now();
    const { fresh, jobs } = await this.#db.transaction('rows', async (trx) => {
      const tokens = deliveries.map((delivery) => delivery.callbackToken);
      const jobs = new Map((await listJobsOfCallbacks(trx, tokens)).map((job) => [job.callback_token, job]));
      const rows = deliveries.map((delivery) => toRow(delivery, jobs.get(delivery.callbackToken), nowMs));
      const stored = new Set(await insertDeliveries(trx, rows));
      const woken = rows.flatMap(({ delivery_id: id, service_job_id: serviceJobId, ...row }) => {
        const job = jobs.get(row.callback_token);
        const isOfJob = job?.service_job_id === null || job?.service_job_id === serviceJobId;
        return job && isOfJob && row.processed_at_ms === null && stored.has(id) ? [job.id] : [];
      });
      await wakeJobs(trx, woken, nowMs);
      return { fresh: stored, jobs };
    });
    if (fresh.size > 0) this.#nudge();
    // Copies of one delivery may arrive at the same time; `delete` returns true only for the first of them.
    return deliveries.map(({ deliveryId, callbackToken }) => ({
      kept: fresh.delete(deliveryId) ? 'stored' : 'duplicate',
      interactionId: jobs.get(callbackToken)?.interaction_id ?? null,
    }));
  }

  /**
   * Makes the job due now, but at most once every 10 s per job. Called for an authentic but unusable delivery, which
   * shows that the job's state may have changed.
   */
  async hint(serviceJobId: string): Promise<void> {
    const job = await findJobByServiceJobId(this.#db.kysely, serviceJobId);
    const nowMs = this.#clock.now();
    if (!job || job.due_at_ms <= nowMs || job.updated_at_ms > nowMs - HINT_GAP_MS) return;
    await wakeJob(this.#db.kysely, { id: job.id }, nowMs);
    this.#nudge();
  }

  /**
   * Returns the newest final state of `job` that the stored webhooks report. Ignores bodies that are about another job.
   */
  async findReportedEnd(job: JobRow): Promise<Job | undefined> {
    const deliveries = await listDeliveriesOfJob(
      this.#db.kysely,
      { serviceJobId: null, callbackToken: job.callback_token },
      DELIVERIES_READ_MAX,
    );
    let ended: Job | undefined;
    for (const delivery of deliveries) {
      if (delivery.service_job_id !== job.service_job_id) {
        this.#log.warn({ jobId: job.id }, 'Ignored a webhook that was sent to the path of another job');
        continue;
      }
      const observed = toJob(parseDelivery(delivery.body).data);
      if (isTerminal(observed)) ended = observed;
    }
    return ended;
  }

  /** Removes old deliveries, because their bodies contain signed links. Returns their number. */
  async purge(): Promise<number> {
    return purgeDeliveries(this.#db.kysely, { beforeMs: this.#clock.now() - KEPT_MS, limit: PURGE_MAX });
  }
}

function toRow(
  delivery: ReceivedDelivery,
  job: CallbackJob | undefined,
  nowMs: number,
): NewDelivery & { readonly callback_token: string; readonly processed_at_ms: number | null } {
  const isNews = !job || END_UNKNOWN.includes(job.stage);
  return {
    delivery_id: delivery.deliveryId,
    service_job_id: delivery.serviceJobId,
    callback_token: delivery.callbackToken,
    body: isNews ? delivery.body : new Uint8Array(),
    received_at_ms: nowMs,
    processed_at_ms: isNews ? null : nowMs,
  };
}

function parseDelivery(body: Uint8Array): z.infer<typeof wireDelivery> {
  return wireDelivery.parse(JSON.parse(Buffer.from(body).toString('utf8')));
}
