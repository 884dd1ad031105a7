import type { Clock } from '../../base/clock.ts';
import type { Database } from '../store/database.ts';
import { findJob } from '../store/jobs.ts';
import { findSession, listOpenSessions } from '../store/sessions.ts';
import { type WindowUse, countJobsByState, countPendingDeliveries, windowUse } from '../store/statistics.ts';
import { Counter, type Metric, type Sample } from './counter.ts';
import { formatMetrics } from './format-metrics.ts';
import { LedgerWatch } from './ledger-watch.ts';

/** The largest number of keys with samples of their own; the busiest keys get them. */
const KEYS_MAX = 100;
const WINDOW_MS = 60_000;

interface MetricsOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly renderWorkers: number;
}

/**
 * The metrics for operators. Counters start at 0 with the process; everything else is read from the database
 * on request. To add a counter, add one field here and one line to `#all`.
 */
export class Metrics {
  readonly requests: Counter = new Counter(
    'media_server_requests_total',
    'Requests answered, by route, HTTP status and error code',
  );
  readonly jobsEnded: Counter = new Counter(
    'media_server_jobs_ended_total',
    'Jobs that ended in this process, by capability, status and error code',
  );
  readonly webhookAttempts: Counter = new Counter(
    'media_server_webhook_attempts_total',
    'Webhook attempts: delivered, failed (tried again later) or abandoned (failed for the last time)',
  );
  readonly sessionSeconds: Counter = new Counter(
    'media_server_session_seconds_total',
    'Seconds streamed by sessions that ended in this process, by capability',
  );
  readonly #options: MetricsOptions;
  readonly #ledger: LedgerWatch;

  constructor(options: MetricsOptions) {
    this.#options = options;
    this.#ledger = new LedgerWatch(options.db);
  }

  /** Counts a job that has ended in this process. */
  countEnd(jobId: string): void {
    const job = findJob(this.#options.db, jobId);
    if (!job) return;
    this.jobsEnded.add({ feature: job.feature, status: job.status, code: job.errorCode ?? 'ok' });
  }

  /** Counts a session that was settled in this process. */
  countSession(sessionId: string): void {
    const session = findSession(this.#options.db, sessionId);
    if (session) this.sessionSeconds.add({ feature: session.feature }, (session.streamedMs ?? 0) / 1000);
  }

  /** Returns all metrics in Prometheus's text format. */
  toText(): string {
    return formatMetrics(this.#all());
  }

  #all(): readonly Metric[] {
    const { db, renderWorkers } = this.#options;
    const jobs = Object.entries(countJobsByState(db));
    const difference = Object.entries(this.#ledger.difference());
    const webhooks = countPendingDeliveries(db);
    const sessions = listOpenSessions(db).length;
    return [
      this.requests,
      ...this.#windows(),
      gauge(
        'jobs',
        'Unfinished jobs by state; the queued ones wait for a render worker',
        labelled('state', jobs),
      ),
      this.jobsEnded,
      gauge('render_workers', 'Renders that may run at once', [{ labels: {}, value: renderWorkers }]),
      gauge('sessions', 'Sessions that are open', [{ labels: {}, value: sessions }]),
      this.sessionSeconds,
      this.webhookAttempts,
      gauge('webhooks_pending', 'Webhooks that wait for a 2xx', [{ labels: {}, value: webhooks }]),
      gauge(
        'ledger_difference_micro_usd',
        'Totals of all accounts less the sums of their entries; anything but 0 is a fault',
        labelled('total', difference),
      ),
    ];
  }

  #windows(): readonly Metric[] {
    const { db, clock } = this.#options;
    const now = clock.now();
    const windows = windowUse(db, now - (now % WINDOW_MS), KEYS_MAX);
    const samples = (value: (use: WindowUse) => number): Sample[] =>
      windows.map((use) => ({ labels: { key: use.keyId }, value: value(use) }));
    return [
      gauge(
        'rate_window_requests',
        'Requests counted in the running minute, by key id, refused ones included',
        samples(({ used }) => used),
      ),
      gauge(
        'rate_window_limit',
        'Requests that a minute allows, by key id',
        samples(({ requestsPerMinute }) => requestsPerMinute),
      ),
    ];
  }
}

function gauge(name: string, help: string, samples: readonly Sample[]): Metric {
  return { name: `media_server_${name}`, help, type: 'gauge', samples };
}

function labelled(label: string, values: readonly (readonly [string, number])[]): Sample[] {
  return values.map(([name, value]) => ({ labels: { [label]: name }, value }));
}
