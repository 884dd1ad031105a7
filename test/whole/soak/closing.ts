import { sumAccounts } from '../../../db/queries/ledger-entries.ts';
import { verifyLedger } from '../../../src/bot/money/ledger/verify-ledger.ts';
import { MediaApi } from '../../../src/media-api/media-api.ts';
import type { SoakPlace } from './soak-place.ts';
import { until } from './until.ts';

export interface ClosingResult {
  readonly sessions: number;
  readonly chargedMicros: number;
  readonly problems: readonly string[];
}

const PATIENCE_MS = 30_000;
/**
 * The bot looks for charges every ten seconds, and at growing intervals for those that were missing at first.
 */
const SETTLE_MS_MAX = 120_000;

/** Stops the voice conversion, and checks that everything is closed and all books agree. */
export async function close(place: SoakPlace): Promise<ClosingResult> {
  const { db, guild, media, bot, sandbox } = place;
  const problems: string[] = [];
  const claim = (is: boolean, problem: string): void => void (is || problems.push(problem));
  await stop(place);
  const areClosed = await until(async () => (await place.openSessions()) === 0, PATIENCE_MS);
  claim(areClosed, `${await place.openSessions()} sessions at the service are still open`);
  await until(async () => (await unsettled(place)) === 0, SETTLE_MS_MAX);
  claim((await unsettled(place)) === 0, `${await unsettled(place)} sessions are not settled in the books`);

  await using api = new MediaApi({ baseUrl: media.baseUrl, apiKey: media.apiKey });
  const usage = await api.account.usageSummary();
  const { balance, totalSpent, totalToppedUp } = await api.account.balance();
  const { spent, pending } = await sumAccounts(db.kysely, guild.id);
  claim(spent > 0, 'Nothing was charged');
  claim(
    spent === usage.totalSpent,
    `The books contain ${spent} micro-dollars, the usage ${usage.totalSpent}`,
  );
  claim(spent === totalSpent, `The books contain ${spent} micro-dollars, the account ${totalSpent}`);
  claim(balance === totalToppedUp - spent, `The balance is ${balance} of ${totalToppedUp} micro-dollars`);
  claim(pending === 0, `${pending} micro-dollars are still held`);
  claim(usage.inFlight === 0, `${usage.inFlight} sessions are in flight at the service`);
  const report = await bot.reconcile();
  const isEqual = report && report.difference === 0 && report.heldAtService === 0 && report.undecided === 0;
  claim(isEqual === true, `The comparison reports ${JSON.stringify(report)}`);
  await verifyLedger(db.kysely, (difference) => void problems.push(`Ledger: ${JSON.stringify(difference)}`));
  const { warnings } = await bot.measure();
  for (const warning of warnings) problems.push(`The bot was warned: ${warning}`);
  claim(await bot.stop(), 'The bot did not end by itself: something of it was still open');
  for (const { kind, what, detail } of sandbox.takeViolations()) problems.push(`${kind} ${what}: ${detail}`);
  return { sessions: usage.totalCalls, chargedMicros: spent, problems };
}

async function stop({ speaker, general }: SoakPlace): Promise<void> {
  await speaker.runs('/voice stop', { in: general });
  const isOver = ({ text }: { readonly text: string }): boolean =>
    text.includes('Voice conversion has ended');
  await general.messageWhere(isOver, { timeoutMs: PATIENCE_MS });
}

async function unsettled({ db }: SoakPlace): Promise<number> {
  const open = db.kysely.selectFrom('sessions').select('id').where('state', '!=', 'settled');
  return (await open.execute()).length;
}
