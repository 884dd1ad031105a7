import { silentLogger } from '../../../src/base/log.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { createMasquerade } from '../../../src/compose/create-masquerade.ts';
import { quantile } from '../quantile.ts';
import { benchFolder } from './bench-folder.ts';
import { BenchChild } from './child.ts';
import type { CommandLoad, CommandPlace, CommandResults } from './command-load.ts';

/**
 * The time from a member's command to the acknowledgement that Discord receives, while the jobs from all earlier
 * commands are in progress.
 */
export interface AcknowledgeLoadBench {
  readonly commandsPerSecond: number;
  readonly commands: number;
  readonly unanswered: number;
  readonly ackP50Ms: number;
  readonly ackP99Ms: number;
}

const PER_SECOND = 50;

/** Measures with only the bot in this process; everything else runs in another process. */
export async function benchAcknowledgeLoad(seconds: number): Promise<AcknowledgeLoadBench> {
  await using ours = await benchFolder();
  await using theirs = await benchFolder();
  const load: CommandLoad = { dataDir: theirs.path, perSecond: PER_SECOND, seconds };
  using child = new BenchChild('./command-load.ts', load);
  const place = await child.says<CommandPlace>();
  const { baseUrl, apiKey, signingSecret } = place;
  await using _bot = await createMasquerade({
    discord: { token: place.token, apiUrl: place.apiUrl },
    attachmentHosts: [place.cdnHost],
    http: { port: 0 },
    mediaApi: { baseUrl, apiKey, signingSecrets: [signingSecret], requestsPerMinute: 100_000 },
    publicUrl: 'loopback',
    dataDir: ours.path,
    defaultBudget: { limit: parseUsd('10000'), period: 'month', timeZone: 'UTC' },
    jobLimits: { openPerGuildMax: 1_000, openPerMemberMax: 1_000, openMax: 10_000 },
    logger: silentLogger,
  });
  child.tell({ go: true });
  const { acknowledgedMs, unanswered } = await child.says<CommandResults>();
  return {
    commandsPerSecond: PER_SECOND,
    commands: acknowledgedMs.length + unanswered,
    unanswered,
    ackP50Ms: quantile(acknowledgedMs, 0.5),
    ackP99Ms: quantile(acknowledgedMs, 0.99),
  };
}
