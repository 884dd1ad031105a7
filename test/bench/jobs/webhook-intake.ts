import { join } from 'node:path';
import BetterSqlite from 'better-sqlite3';
import Fastify from 'fastify';
import { type Database, openDatabase } from '../../../db/database.ts';
import { insertJob } from '../../../db/queries/jobs.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { WebhookInbox } from '../../../src/bot/jobs/webhook-inbox.ts';
import { webPlugin } from '../../../src/bot/web/web-plugin.ts';
import { createWebServer } from '../../../src/bot/web/web-server.ts';
import { aJob } from '../../db/a-job.ts';
import { quantile } from '../quantile.ts';
import { benchFolder } from './bench-folder.ts';
import { BenchChild } from './child.ts';
import type { PostLoad } from './post-load.ts';

/**
 * The cost of verifying and storing webhook deliveries; the baseline is a bare fastify POST route that only writes the
 * same row.
 */
export interface WebhookIntakeBench {
  readonly deliveries: number;
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly baselinePerSecond: number;
  readonly baselineP99Ms: number;
}

interface Run {
  readonly perSecond: number;
  readonly p99Ms: number;
}

const SECRET = 'whsec_bench';
const CONNECTIONS = 16;
const TOKENS = Array.from({ length: 500 }, (_, index) => `cb_${String(index).padStart(16, '0')}`);

/** Measures both servers in this process; the client that posts runs in another process. The servers take turns. */
export async function benchWebhookIntake(deliveries: number): Promise<WebhookIntakeBench> {
  await using folder = await benchFolder();
  await using db = await openDatabase({ url: `sqlite:${join(folder.path, 'ours.db')}` });
  await storeJobs(db);
  await using ours = await serveOurs(db);
  await using bare = await serveBare(join(folder.path, 'bare.db'));
  const runs: { ours: Run[]; bare: Run[] } = { ours: [], bare: [] };
  for (const round of ['warm', 'a', 'b', 'c']) {
    const count = round === 'warm' ? Math.ceil(deliveries / 10) : Math.ceil(deliveries / 3);
    const [own, base] = [await load(ours.url, count, round), await load(bare.url, count, round)];
    if (round === 'warm') continue;
    runs.ours.push(own);
    runs.bare.push(base);
  }
  const middle = (of: readonly Run[], key: keyof Run): number =>
    quantile(
      of.map((run) => run[key]),
      0.5,
    );
  return {
    deliveries,
    perSecond: middle(runs.ours, 'perSecond'),
    p99Ms: middle(runs.ours, 'p99Ms'),
    baselinePerSecond: middle(runs.bare, 'perSecond'),
    baselineP99Ms: middle(runs.bare, 'p99Ms'),
  };
}

async function load(url: string, count: number, run: string): Promise<Run> {
  const options: PostLoad = { url, tokens: TOKENS, secret: SECRET, count, connections: CONNECTIONS, run };
  using child = new BenchChild('./post-load.ts', options);
  await child.says();
  child.tell({ go: true });
  const { tookMs, seconds } = await child.says<{ tookMs: number[]; seconds: number }>();
  return { perSecond: count / seconds, p99Ms: quantile(tookMs, 0.99) };
}

/** Inserts jobs that are at the service, one for each callback token. */
async function storeJobs(db: Database): Promise<void> {
  await db.transaction('guild:guild', async (trx) => {
    for (const token of TOKENS) {
      const atService = {
        stage: 'submitted',
        service_job_id: `srv_${token}`,
        callback_token: token,
      } as const;
      await insertJob(trx, aJob(token, { ...atService, due_at_ms: Date.now() + 3_600_000 }));
    }
  });
}

interface Serving extends AsyncDisposable {
  readonly url: string;
}

async function serveOurs(db: Database): Promise<Serving> {
  const inbox = new WebhookInbox({ db, clock: systemClock, log: silentLogger, nudge: () => undefined });
  const server = createWebServer({
    host: '127.0.0.1',
    port: 0,
    connectionsPerAddress: 100,
    log: silentLogger,
  });
  await server.fastify.register(
    webPlugin({
      inbox,
      results: { resolve: () => Promise.resolve({ kind: 'unknown' } as const) },
      clock: systemClock,
      log: silentLogger,
      headerPrefix: 'Service',
      signingSecrets: () => [SECRET],
      isOpen: () => true,
      readiness: () => Promise.resolve({}),
    }),
  );
  const url = await server.listen();
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

async function serveBare(path: string): Promise<Serving> {
  await (await openDatabase({ url: `sqlite:${path}` }))[Symbol.asyncDispose]();
  const sqlite = new BetterSqlite(path);
  sqlite.pragma('synchronous = FULL');
  const insert = sqlite.prepare(
    `insert into webhook_deliveries (delivery_id, service_job_id, callback_token, body, received_at_ms)
     values (?, ?, ?, ?, ?) on conflict do nothing`,
  );
  const fastify = Fastify();
  interface Delivery {
    readonly delivery_id: string;
    readonly data: { readonly id: string };
  }
  fastify.post<{ Params: { token: string }; Body: Delivery }>('/webhooks/:token', (request) => {
    const { body, params } = request;
    insert.run(body.delivery_id, body.data.id, params.token, Buffer.from(JSON.stringify(body)), Date.now());
    return { status: 'stored' };
  });
  const url = await fastify.listen({ host: '127.0.0.1', port: 0 });
  return {
    url,
    async [Symbol.asyncDispose]() {
      await fastify.close();
      sqlite.close();
    },
  };
}
