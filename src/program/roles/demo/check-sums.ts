import { type MicroUsd, addMicros, formatUsd, subtractMicros } from '../../../base/money.ts';
import { MediaApi } from '../../../media-api/media-api.ts';
import type { SandboxGuild } from '../../../sandbox/script/sandbox-guild.ts';
import type { Play } from './play.ts';

/** Compares what the communities spent according to the ledger with the service's usage log, summary and balance. */
export async function checkSums(
  { stage, checks, transcript }: Play,
  guilds: readonly SandboxGuild[],
): Promise<void> {
  const { media, bot } = stage;
  await using api = new MediaApi({ baseUrl: media.baseUrl, apiKey: media.apiKey });
  const balance = await api.account.balance();
  const usage = await api.account.usage({ limit: 500 });
  const summary = await api.account.usageSummary();
  const failed = usage.filter((record) => record.status === 'failed');
  const logged = addMicros(...usage.map((record) => record.charged));
  transcript.scene('The sums');
  transcript.add('Service', `charged ${formatUsd(balance.totalSpent)} for ${usage.length} jobs and sessions`);
  const spent: MicroUsd[] = [];
  for (const guild of guilds) {
    const { limit, left } = await bot.budget(guild.id);
    const used = subtractMicros(limit, left);
    spent.push(used);
    transcript.add('Ledger', `${guild.name} spent ${formatUsd(used)} of ${formatUsd(limit)}`);
  }
  const total = addMicros(...spent);
  checks.that(
    'ledger and service agree to the micro-dollar',
    total === balance.totalSpent,
    `${formatUsd(total)} and ${formatUsd(balance.totalSpent)}`,
  );
  const takenOff = subtractMicros(balance.totalToppedUp, balance.balance);
  checks.that(
    'usage log, summary and balance agree',
    logged === balance.totalSpent && summary.totalSpent === logged && logged === takenOff,
    `${formatUsd(logged)}, ${formatUsd(summary.totalSpent)}, ${formatUsd(takenOff)}`,
  );
  const compared = await bot.reconciliation.run();
  const apart = compared ? [compared.drift, compared.books.foreign, compared.books.pending] : [];
  checks.that(
    'the bot finds no charge that only one side recorded',
    compared?.isComplete === true && apart.every((amount) => amount === 0),
    compared ? apart.map(formatUsd).join(', ') : 'the comparison failed',
  );
  const isFree = failed.length === 1 && failed.every((record) => record.charged === 0);
  checks.that('the failed job cost nothing', isFree, `${failed.length} failed`);
}
