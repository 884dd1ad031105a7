import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../base/clock.ts';
import type { Disposer } from '../base/disposer.ts';
import type { Logger } from '../base/log.ts';
import { buildApp } from './app.ts';
import type { Billing } from './billing.ts';
import type { JobCapability } from './capabilities/capability.ts';
import { acceptAllContent } from './content-check.ts';
import { Gate } from './gate.ts';
import { JobRunner } from './job-runner.ts';
import { Jobs } from './jobs.ts';
import { Links } from './links.ts';
import type { MediaFiles } from './media-files.ts';
import type { MediaServerOptions, ServerNumbers } from './options.ts';
import { Retention } from './retention.ts';
import type { SigningSecrets } from './signing-secrets.ts';
import type { Database } from './store/database.ts';
import { Uploads } from './uploads.ts';
import { WebhookDispatcher } from './webhooks/dispatcher.ts';
import { WebhookTransport } from './webhooks/transport.ts';

const UPLOADS_IN_FLIGHT_MAX = 64;

/** What every part stands on. */
export interface Foundation {
  readonly db: Database;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly files: MediaFiles;
  readonly billing: Billing;
  readonly signing: SigningSecrets;
  readonly capabilities: readonly JobCapability[];
  /** Keys the signed links. */
  readonly linkKey: string;
}

/** The working parts, made but not yet started. */
export interface Parts {
  readonly app: FastifyInstance;
  readonly jobs: Jobs;
  readonly runner: JobRunner;
  readonly dispatcher: WebhookDispatcher;
  readonly retention: Retention;
  /** Ends in `/api/v1`; right once the app listens. */
  readonly baseUrl: () => string;
}

/** Makes the parts in the order in which they need each other; `disposer` stops them in reverse. */
export function buildParts(
  options: MediaServerOptions,
  numbers: ServerNumbers,
  foundation: Foundation,
  disposer: Disposer,
): Parts {
  const { db, clock, files, billing, linkKey } = foundation;
  const { callbackPolicy = 'public-and-loopback' } = options;
  const baseUrl = (): string => `${options.publicUrl?.replace(/\/+$/, '') ?? originOf(app)}/api/v1`;
  const links = new Links({ key: linkKey, clock, baseUrl, lifetimeMs: numbers.linkLifetimeMs });
  const dispatcher = disposer.use(
    new WebhookDispatcher({
      ...foundation,
      links,
      transport: disposer.use(new WebhookTransport(callbackPolicy, options.resolve)),
      headerPrefix: options.headerPrefix ?? 'Service',
      reconcileBeforeWebhook: options.reconcileBeforeWebhook ?? true,
    }),
  );
  const jobs = new Jobs({
    ...foundation,
    ...numbers,
    onQueued: () => runner.wake(),
    onEnded: (jobId) => {
      runner.interrupt(jobId);
      dispatcher.wake();
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
  const uploads = new Uploads({
    db,
    clock,
    files,
    links,
    ...numbers,
    retentionMs: numbers.uploadRetentionMs,
    inFlightMax: UPLOADS_IN_FLIGHT_MAX,
  });
  const gate = new Gate(db, clock);
  const app = buildApp({ ...foundation, gate, jobs, uploads, links, billing, callbackPolicy });
  return { app, jobs, runner, dispatcher, retention, baseUrl };
}

/** How this machine reaches the app: wildcard addresses are answered for by loopback. */
function originOf(app: FastifyInstance): string {
  const address = app.server.address() as AddressInfo | null;
  if (!address) throw new TypeError('Cannot make a link: the server does not listen');
  const wildcard = address.address === '0.0.0.0' || address.address === '::';
  const host = wildcard ? '127.0.0.1' : address.address;
  return `http://${host.includes(':') ? `[${host}]` : host}:${address.port}`;
}
