import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Disposer } from '../base/disposer.ts';
import { type ListeningAt, listen } from '../base/listen.ts';
import type { Logger } from '../base/log.ts';
import { buildApp } from './http/build-app.ts';
import type { Billing } from './billing/billing.ts';
import type { JobCapability } from './capabilities/capability.ts';
import { acceptAllContent } from './jobs/content-check.ts';
import { Gate } from './accounts/gate.ts';
import { JobRunner } from './jobs/job-runner.ts';
import { Jobs } from './jobs/jobs.ts';
import { Links } from './files/links.ts';
import type { MediaFiles } from './files/media-files.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { MediaServerOptions, ServerNumbers } from './options.ts';
import { Retention } from './retention.ts';
import type { ServerFaults } from './server-faults.ts';
import type { SessionKind } from './sessions/session-kind.ts';
import { Sessions } from './sessions/sessions.ts';
import type { Voices } from './sessions/voice/voices.ts';
import type { SigningSecrets } from './accounts/signing-secrets.ts';
import type { Database } from './store/database.ts';
import { Uploads } from './uploads/uploads.ts';
import { WebhookDispatcher } from './webhooks/webhook-dispatcher.ts';
import { WebhookTransport } from './webhooks/webhook-transport.ts';

const UPLOADS_IN_FLIGHT_MAX = 64;

/** The values and services that every part uses. */
export interface Foundation {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly files: MediaFiles;
  readonly billing: Billing;
  readonly signing: SigningSecrets;
  readonly capabilities: readonly JobCapability[];
  readonly metrics: Metrics;
  readonly sessionKinds: readonly SessionKind[];
  readonly voices: Voices;
  readonly faults: ServerFaults;
  /** The key that signs links. */
  readonly linkKey: string;
}

/** The working parts, created but not yet started. */
interface Parts {
  readonly app: FastifyInstance;
  readonly jobs: Jobs;
  readonly runner: JobRunner;
  readonly dispatcher: WebhookDispatcher;
  readonly retention: Retention;
  readonly sessions: Sessions;
  /** Starts listening. From then on, links contain the server's address. */
  listen(): Promise<ListeningAt>;
}

/** Creates the parts in the order of their dependencies; `disposer` stops them in reverse order. */
export function buildParts(
  options: MediaServerOptions,
  numbers: ServerNumbers,
  foundation: Foundation,
  disposer: Disposer,
): Parts {
  const { db, clock, linkKey, metrics } = foundation;
  const { callbackPolicy = 'public-and-loopback' } = options;
  let address: ListeningAt | undefined;
  const baseUrl = (): string => publicBase(options.publicUrl ?? address?.origin);
  const links = new Links({ key: linkKey, clock, baseUrl, lifetimeMs: numbers.linkLifetimeMs });
  const dispatcher = disposer.use(
    new WebhookDispatcher({
      ...foundation,
      links,
      transport: disposer.use(new WebhookTransport(callbackPolicy, options.resolve)),
      headerPrefix: options.headerPrefix ?? 'Service',
      reconcileBeforeWebhook: options.reconcileBeforeWebhook ?? true,
      onAttempt: (outcome) => metrics.webhookAttempts.add({ outcome }),
    }),
  );
  const jobs = new Jobs({
    ...foundation,
    ...numbers,
    onQueued: () => runner.wake(),
    onEnded: (jobId) => {
      runner.interrupt(jobId);
      dispatcher.wake();
      metrics.countEnd(jobId);
    },
  });
  const runner = disposer.use(
    new JobRunner({
      ...foundation,
      ...numbers,
      jobs,
      checkContent: options.checkContent ?? acceptAllContent,
      workers: numbers.renderWorkers,
      onSweep: () => dispatcher.wake(),
    }),
  );
  const retention = disposer.use(new Retention({ ...foundation, ...numbers }));
  const uploads = disposer.use(
    new Uploads({
      ...foundation,
      ...numbers,
      links,
      retentionMs: numbers.uploadRetentionMs,
      inFlightMax: UPLOADS_IN_FLIGHT_MAX,
    }),
  );
  const gate = new Gate(db, clock);
  const sessions = new Sessions({ ...foundation, ...numbers, baseUrl });
  const app = buildApp({ ...foundation, gate, jobs, uploads, links, callbackPolicy, sessions, baseUrl });
  return {
    app,
    jobs,
    runner,
    dispatcher,
    retention,
    sessions,
    async listen() {
      const bound = await listen(app, { host: options.host ?? '127.0.0.1', port: numbers.port });
      address = bound;
      return bound;
    },
  };
}

function publicBase(origin: string | undefined): string {
  if (origin === undefined) throw new TypeError('Cannot make a link: the server does not listen yet');
  return `${origin.replace(/\/+$/, '')}/api/v1`;
}
