import { type MicroUsd, addMicros, formatUsd, subtractMicros } from '../../base/money.ts';
import { MediaApi } from '../../media-api/media-api.ts';
import type { SandboxGuild } from '../../sandbox/script/guild-script.ts';
import type { Play } from './play.ts';

/** What the communities spent by their own ledger, against all that the service says. */
export async function checkSums(
  { stage, checks, transcript }: Play,
  guilds: readonly SandboxGuild[],
  budget: MicroUsd,
): Promise<void> {
  const { media, bot } = stage;
  await using api = new MediaApi({ baseUrl: media.baseUrl, apiKey: media.apiKey });
  const balance = await api.account.balance();
  const usage = await api.account.usage({ limit: 500 });
  const summary = await api.account.usageSummary();
  const failed = usage.filter((record) => record.status === 'failed');
  const logged = addMicros(...usage.map((record) => record.charged));
  transcript.scene('The sums');
  transcript.tell('Service', `charged ${formatUsd(balance.totalSpent)} for ${usage.length} jobs`);
  const spent: MicroUsd[] = [];
  for (const guild of guilds) {
    spent.push(subtractMicros(budget, (await bot.budget(guild.id)).left));
    transcript.tell(
      'Ledger',
      `${guild.name} spent ${formatUsd(addMicros(...spent.slice(-1)))} of ${formatUsd(budget)}`,
    );
  }
  const total = addMicros(...spent);
  checks.that(
    'ledger and service agree to the micro-dollar',
    total === balance.totalSpent,
    `${formatUsd(total)} and ${formatUsd(balance.totalSpent)}`,
  );
  const left = subtractMicros(balance.totalToppedUp, balance.balance);
  checks.that(
    'usage log, summary and balance agree too',
    logged === balance.totalSpent && summary.totalSpent === logged && logged === left,
    `${formatUsd(logged)}, ${formatUsd(summary.totalSpent)}, ${formatUsd(left)}`,
  );
  const isFree = failed.length === 1 && failed.every((record) => record.charged === 0);
  checks.that('the failed job cost nothing', isFree, `${failed.length} failed`);
}
