import { type FastifyInstance, type FastifyServerOptions, fastify } from 'fastify';
import { onTestFinished } from 'vitest';
import { FakeClock } from '../../helpers/fake-clock.ts';
import { type Logger, silentLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { signDelivery } from '../../../src/base/signing.ts';
import type { Database } from '../../../db/database.ts';
import { insertJob } from '../../../db/queries/jobs.ts';
import { WebhookInbox } from '../../../src/bot/jobs/webhook-inbox.ts';
import { ResultLinks } from '../../../src/bot/jobs/results/result-links.ts';
import type { Readiness } from '../../../src/bot/web/register-health.ts';
import { webPlugin } from '../../../src/bot/web/web-plugin.ts';
import { aJob } from '../../db/a-job.ts';
import { useDatabase } from '../../db/use-database.ts';

export const SECRET = 'whsec_first';
export const TOKEN = 'cb_aaaaaaaaaaaaaaaa';

/** The bot's web routes with a real database. Requests use fastify's `inject`. */
export interface Web {
  readonly app: FastifyInstance;
  readonly db: Database;
  readonly inbox: WebhookInbox;
  readonly links: ResultLinks;
  readonly clock: FakeClock;
  /** Returns the number of nudges that the pipeline received. */
  nudges(): number;
}

export interface UseWebOptions {
  readonly secrets?: readonly string[];
  /** Options for the host's server. */
  readonly server?: FastifyServerOptions;
  readonly log?: Logger;
  readonly isOpen?: () => boolean;
  readonly readiness?: () => Promise<Readiness>;
}

export async function useWeb(options: UseWebOptions = {}): Promise<Web> {
  const { log = silentLogger } = options;
  const db = await useDatabase();
  const clock = new FakeClock();
  let nudges = 0;
  const inbox = new WebhookInbox({ db, clock, log: silentLogger, nudge: () => (nudges += 1) });
  const publicUrl = (path: string): string => path;
  const links = await ResultLinks.open({ db, clock, publicUrl, lifeMs: 3_600_000 });
  const app = fastify(options.server);
  await app.register(
    webPlugin({
      inbox,
      results: links,
      clock,
      log,
      headerPrefix: 'Service',
      signingSecrets: () => options.secrets ?? [SECRET],
      isOpen: options.isOpen ?? (() => true),
      readiness: options.readiness ?? (async () => ({ database: true, discord: false })),
    }),
  );
  onTestFinished(() => app.close());
  await db.transaction('guild:guild', (trx) =>
    insertJob(trx, {
      ...aJob('known'),
      id: 'job_known',
      stage: 'submitted',
      callback_token: TOKEN,
      service_job_id: 'srv_1',
      hold_micros: micros(60_000),
      due_at_ms: clock.now() + 3_600_000,
      updated_at_ms: clock.now() - 3_600_000,
    }),
  );
  return { app, db, inbox, links, clock, nudges: () => nudges };
}

/** Returns the bytes of a delivery for `serviceJobId`. */
export function deliveryBody(serviceJobId = 'srv_1', deliveryId = 'dlv_1', padding = ''): Buffer {
  const data = {
    id: serviceJobId,
    status: 'succeeded',
    output_url: 'http://127.0.0.1:1/out?sig=secret',
    charged_usd: 0.04,
    error: null,
  };
  const sentAt = '2026-01-01T00:00:00Z';
  const delivery = { event: 'job.succeeded', sent_at: sentAt, delivery_id: deliveryId, data, padding };
  return Buffer.from(JSON.stringify(delivery));
}

/** Returns headers as the service sends them; `t` is the time of signing, in seconds. */
export function signedHeaders(body: Buffer, t: number, secret: string = SECRET): Record<string, string> {
  return {
    'content-type': 'application/json',
    'service-signature': signDelivery(secret, t, body),
    'service-event': 'job.succeeded',
    'service-delivery': 'dlv_1',
  };
}
