import { openDatabase } from '../../db/database.ts';
import { databaseUrlIn } from '../db/database-url.ts';
import { listEntries } from '../db/list-entries.ts';
import type { JobRow } from '../../db/schema/jobs.ts';
import type { HoldRow } from '../../db/schema/ledger.ts';
import { parseUsd } from '../../src/base/money.ts';
import { type WireUsageRecord, wireUsage } from '../../src/media-api/wire.ts';
import { cardReference } from '../../src/bot/discord/words/replies/cards.ts';
import type { MessageView } from '../../src/sandbox/script/message-view.ts';

/** Everything that is recorded about a bot's jobs. */
export interface Books {
  /** The bot's data folder. */
  readonly dataDir: string;
  readonly media: { readonly baseUrl: string; readonly apiKey: string };
  /** Everything that can be read in the bot's channels. */
  readonly messages: readonly MessageView[];
}

interface Account {
  readonly job: JobRow;
  readonly hold: HoldRow | undefined;
  readonly charges: number;
  readonly cards: readonly MessageView[];
  readonly atService: readonly WireUsageRecord[];
}

/** The maximum number of records that the service returns at once. A check of more jobs would miss some of them. */
export const JOBS_CHECKED_MAX = 500;

/**
 * Returns what is lost, duplicated or left open among a bot's jobs, one sentence for each problem. The list is empty
 * if every job ended in one result or one explained failure, exists once at the service, was paid for once and has no
 * open hold.
 */
export async function bookProblems({ dataDir, media, messages }: Books): Promise<string[]> {
  const usage = await usageOf(media);
  await using db = await openDatabase({ url: databaseUrlIn(dataDir) });
  const jobs = await db.kysely.selectFrom('jobs').selectAll().execute();
  const holds = await db.kysely.selectFrom('holds').selectAll().execute();
  const accounts: Account[] = [];
  for (const job of jobs) {
    const entries = await listEntries(db.kysely, job.id);
    accounts.push({
      job,
      hold: holds.find((hold) => hold.subject === job.id),
      charges: entries.filter((entry) => entry.kind === 'charge').length,
      cards: messages.filter((message) => message.text.includes(cardReference(job.id))),
      atService: usage.filter((record) => record.id === job.service_job_id),
    });
  }
  return [
    ...accounts.flatMap((account) =>
      problemsOf(account).map((problem) => `${account.job.id} (${account.job.stage}): ${problem}`),
    ),
    ...sumProblems(accounts, usage, messages),
  ];
}

function problemsOf({ job, hold, charges, cards, atService }: Account): string[] {
  const isAbandoned = job.stage === 'abandoned';
  const isPaid = job.outcome === 'succeeded';
  const card = cards[0];
  const [record] = atService;
  const wrong: [boolean, string][] = [
    [job.stage !== 'settled' && !isAbandoned, 'has not ended'],
    [!isAbandoned && cards.length !== 1, `${cards.length} messages instead of one`],
    [isAbandoned && cards.length > 0, 'announced although nobody waits for it'],
    [isPaid && card?.attachments.length !== 1, 'its message has no result'],
    [isPaid && !card?.text.includes('$0.04'), 'its message does not show the cost'],
    [job.outcome === 'failed' && !card?.text.includes('othing was charged'), 'its cost is not explained'],
    [isPaid && atService.length !== 1, `${atService.length} jobs at the service instead of one`],
    [isPaid && record?.charged_usd !== 0.04, `the service charged ${record?.charged_usd}`],
    [isPaid && job.charged_micros !== 40_000, `its row has a charge of ${job.charged_micros}`],
    [isPaid && charges !== 1, `${charges} charges in the ledger instead of one`],
    [!isPaid && charges !== 0, `${charges} charges in the ledger although it failed`],
    [hold?.state !== holdStateOf(job), `its hold is ${hold?.state}, not ${holdStateOf(job)}`],
  ];
  return wrong.filter(([is]) => is).map(([, what]) => what);
}

function holdStateOf(job: JobRow): HoldRow['state'] {
  if (job.outcome === 'unknown') return 'review';
  return job.outcome === 'succeeded' ? 'posted' : 'voided';
}

function sumProblems(
  accounts: readonly Account[],
  usage: readonly WireUsageRecord[],
  messages: readonly MessageView[],
): string[] {
  const problems: string[] = [];
  const owned = new Set(accounts.map(({ job }) => job.service_job_id));
  const isUnsure = accounts.some(({ job }) => job.outcome === 'unknown');
  const strays = usage.filter((record) => !owned.has(record.id));
  if (strays.length > 0 && !isUnsure) problems.push(`${strays.length} jobs at the service belong to nobody`);
  if (usage.length >= JOBS_CHECKED_MAX) problems.push('there are more jobs than can be checked');
  const carded = accounts.reduce((sum, { cards }) => sum + cards.length, 0);
  if (messages.length !== carded) problems.push(`${messages.length - carded} messages belong to no job`);
  const posted = accounts.reduce((sum, { hold }) => sum + (hold?.charged_micros ?? 0), 0);
  const charged = usage
    .filter((record) => owned.has(record.id))
    .reduce((sum, record) => sum + parseUsd(record.charged_usd), 0);
  if (posted !== charged) problems.push(`the ledger says ${posted} micro-dollars, the service ${charged}`);
  return problems;
}

async function usageOf({ baseUrl, apiKey }: Books['media']): Promise<readonly WireUsageRecord[]> {
  const headers = { authorization: `Bearer ${apiKey}` };
  const answer = await fetch(`${baseUrl}/usage?limit=${JOBS_CHECKED_MAX}`, { headers });
  return wireUsage.parse(await answer.json());
}
