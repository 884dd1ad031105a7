import { expect, onTestFinished } from 'vitest';
import { openDatabase } from '../../../db/database.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import type { JobRow } from '../../../db/schema/jobs.ts';
import type { HoldRow } from '../../../db/schema/ledger.ts';
import { silentLogger } from '../../../src/base/log.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import type { JobLimits } from '../../../src/bot/jobs/job-limits.ts';
import type { UseOfBot } from '../../../src/sandbox/script/use-of-bot.ts';
import { bookProblems } from '../../helpers/exactly-once.ts';
import { picture } from '../../media-server/test-engine.ts';
import { type Community, useCommunityWithoutBot } from '../../helpers/use-community.ts';
import { type FaultOrder, FaultProxy } from './fault-proxy.ts';

export interface FaultyServiceOptions {
  /** How the bot learns that jobs have ended. */
  readonly told: 'by webhook' | 'by polls';
  readonly limits?: Partial<JobLimits>;
  readonly orders: readonly FaultOrder[];
}

/** A community in which the bot and the media service reach each other through proxies that cause faults. */
export interface FaultyService extends Community {
  /** The proxy from the bot to the service. */
  readonly service: FaultProxy;
  /** The proxy from the service to the bot. */
  readonly webhooks: FaultProxy;
  /** Runs `/photo-swap` as Ada. */
  swaps(): Promise<UseOfBot>;
  /** Waits until the only job is settled, and returns it. */
  settled(): Promise<JobRow>;
  /** Returns the state of the job's hold. */
  holdState(): Promise<HoldRow['state']>;
  /** Returns what is lost, duplicated or left open, as `bookProblems` does. */
  problems(): Promise<string[]>;
}

/** Short deadlines, so that a request without an answer does not delay a test. */
const DEADLINES = { connectMs: 1_000, headersMs: 900, totalMs: 1_500 };
const RETRIES = { retryDelayMsFirst: 10, retryDelayMsMax: 100 };
const DOWNLOADS = { downloadStallMs: 900, downloadTotalMs: 3_000 };
/** Long enough for a busy machine. */
const SETTLED_MS_MAX = 120_000;
const IMAGE = { name: 'image.png', bytes: await picture(10, 64) };
const FACE = { name: 'face.png', bytes: await picture(200, 64) };

export async function useFaultyService(options: FaultyServiceOptions): Promise<FaultyService> {
  const service = await useProxy();
  const webhooks = await useProxy();
  for (const order of options.orders) {
    service.order(order);
    webhooks.order(order);
  }
  const place = await useCommunityWithoutBot({
    media: { publicUrl: service.origin },
    bot: (usual) => ({
      ...usual,
      logger: silentLogger,
      mediaApi: {
        ...usual.mediaApi,
        baseUrl: `${service.origin}/api/v1`,
        limits: { ...DEADLINES, ...RETRIES, ...DOWNLOADS },
      },
      ...(options.told === 'by webhook' ? { publicUrl: webhooks.origin } : {}),
      jobLimits: { pollMsFirst: 200, pollMsMax: 400, webhookMsMin: 300, ...options.limits },
    }),
  });
  const { media, dataDir, botOptions, general, ada } = place;
  service.target = new URL(media.baseUrl).origin;
  const { publicUrl: _none, ...unreachable } = botOptions;
  const bot = await createMasquerade(options.told === 'by webhook' ? botOptions : unreachable);
  onTestFinished(() => bot[Symbol.asyncDispose]());
  webhooks.target = bot.webUrl ?? undefined;
  return {
    ...place,
    bot,
    service,
    webhooks,
    swaps: () => ada.runs('/photo-swap', { in: general, options: { image: IMAGE, face: FACE } }),
    settled: () => settledJob(dataDir),
    holdState: () => onlyHold(dataDir),
    problems: () => bookProblems({ dataDir, media, messages: general.messages }),
  };
}

async function useProxy(): Promise<FaultProxy> {
  const proxy = await FaultProxy.open();
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

async function settledJob(dataDir: string): Promise<JobRow> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const query = db.kysely.selectFrom('jobs').selectAll().where('stage', '=', 'settled');
  await expect.poll(() => query.executeTakeFirst(), { timeout: SETTLED_MS_MAX, interval: 50 }).toBeDefined();
  return query.executeTakeFirstOrThrow();
}

async function onlyHold(dataDir: string): Promise<HoldRow['state']> {
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const holds = await db.kysely.selectFrom('holds').select('state').execute();
  expect(holds).toHaveLength(1);
  return holds[0]?.state ?? 'pending';
}
