/** A bot of the soak test, which starts at once and follows its parent's messages. */
import { createLogger } from '../../../src/base/log.ts';
import { micros } from '../../../src/base/money.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import type { BotFigures, BotPlace, FromBot, ToBot } from './bot-wire.ts';

const WARNINGS_MAX = 20;

const place = JSON.parse(process.argv[2] ?? '') as BotPlace;
const warnings: string[] = [];
process.on('warning', ({ name, message }) => {
  if (warnings.length < WARNINGS_MAX) warnings.push(`${name}: ${message}`);
});

const bot = await createMasquerade({
  discord: { token: place.token, apiUrl: place.apiUrl },
  attachmentHosts: [place.cdnHost],
  http: { port: 0 },
  mediaApi: {
    baseUrl: place.baseUrl,
    apiKey: place.apiKey,
    signingSecrets: [place.signingSecret],
    requestsPerMinute: 100_000,
  },
  publicUrl: 'loopback',
  dataDir: place.dataDir,
  databaseUrl: place.databaseUrl,
  defaultBudget: { limit: micros(place.budgetMicros), period: 'month', timeZone: 'UTC' },
  logger: createLogger('error'),
});
process.on('message', (message: ToBot) => {
  answer(message).then(
    (told) => process.send?.(told, () => told.kind === 'stopped' && process.disconnect()),
    (error: unknown) => {
      process.stderr.write(`${String(error)}\n`);
      process.exit(1);
    },
  );
});
process.send?.({ kind: 'ready' } satisfies FromBot);

async function answer({ kind }: ToBot): Promise<FromBot> {
  switch (kind) {
    case 'measure':
      return { kind: 'figures', figures: await measure() };
    case 'reconcile':
      return { kind: 'report', report: (await bot.reconciliation.run()) ?? null };
    case 'stop':
      await bot[Symbol.asyncDispose]();
      return { kind: 'stopped' };
  }
}

async function measure(): Promise<BotFigures> {
  // The first collection releases objects such as decoder memories, and the second one frees them.
  globalThis.gc?.();
  await new Promise((resolve) => setImmediate(resolve));
  globalThis.gc?.();
  const { heapUsed, external, rss } = process.memoryUsage();
  const resources: Record<string, number> = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  return { heapBytes: heapUsed + external, rssBytes: rss, resources, warnings };
}
