import { micros } from '../../../src/base/money.ts';
import type { MasqueradeOptions, OwnClientOptions } from '../../../src/compose/masquerade-options.ts';
import type { MediaServer } from '../../../src/media-server/server.ts';
import type { Sandbox } from '../../../src/sandbox/sandbox.ts';
import { databaseUrlIn } from '../../db/database-url.ts';
import { BotProcess } from '../../helpers/bot-process.ts';

/** A bot's surroundings. */
export interface Surroundings {
  readonly sandbox: Sandbox;
  readonly media: MediaServer;
  readonly dataDir: string;
  /** The URL at which the service reaches the bot. Default: the bot's own, on loopback. */
  readonly publicUrl?: string;
  /** The shards that the bot runs, if it is not the only process. */
  readonly sharding?: Pick<OwnClientOptions, 'shards' | 'shardCount'>;
  /** The monthly budget of each guild in micro-dollars. Default 100 USD. */
  readonly budgetMicros?: number;
  /**
   * The number of lost leases after which a job is given up. Default: unlimited, because a kill from outside does
   * not prove that the step was at fault.
   */
  readonly lostLeasesMax?: number;
}

/** Creates a bot in its own process. It soon takes over a dead bot's jobs. */
export function killableBot(surroundings: Surroundings): BotProcess {
  const { sandbox, media, dataDir } = surroundings;
  const { publicUrl = 'loopback', sharding = {}, budgetMicros = 100_000_000 } = surroundings;
  const { lostLeasesMax = Number.MAX_SAFE_INTEGER } = surroundings;
  const options: MasqueradeOptions = {
    discord: { token: sandbox.token, apiUrl: sandbox.apiUrl, ...sharding },
    attachmentHosts: [sandbox.cdnHost],
    http: { port: 0 },
    mediaApi: {
      baseUrl: media.baseUrl,
      apiKey: media.apiKey,
      signingSecrets: [media.signingSecret],
      requestsPerMinute: 100_000,
    },
    publicUrl,
    dataDir,
    databaseUrl: databaseUrlIn(dataDir),
    defaultBudget: { limit: micros(budgetMicros), period: 'month', timeZone: 'UTC' },
    jobLimits: { leaseMs: 600, lostLeasesMax, webhookMsMin: 500, pollMsFirst: 200, pollMsMax: 500 },
  };
  return new BotProcess(options);
}
