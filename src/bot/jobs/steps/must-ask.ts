import type { Database } from '../../../../db/database.ts';
import { findBudgetSettings } from '../../../../db/queries/budget-settings.ts';
import type { JobRow } from '../../../../db/schema/jobs.ts';
import type { MicroUsd } from '../../../base/money.ts';

/** Returns whether the guild requires confirmation before a job of this price continues. */
export async function mustAsk(
  job: JobRow,
  price: MicroUsd,
  { db }: { readonly db: Database },
): Promise<boolean> {
  const settings = await findBudgetSettings(db.kysely, job.guild_id);
  const above = settings?.confirm_above_micros ?? null;
  return above !== null && price > above;
}
