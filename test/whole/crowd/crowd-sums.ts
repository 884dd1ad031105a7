import { openDatabase } from '../../../db/database.ts';
import { parseUsd } from '../../../src/base/money.ts';
import { wireUsage } from '../../../src/media-api/wire.ts';

export interface Place {
  readonly media: { readonly baseUrl: string; readonly apiKey: string };
  readonly databaseUrl: string;
}

/** Returns how many jobs the service received, whatever their outcome, and what it charged. */
export async function atService({ media }: Place): Promise<{ jobs: number; chargedMicros: number }> {
  const headers = { authorization: `Bearer ${media.apiKey}` };
  const usage = wireUsage.parse(await (await fetch(`${media.baseUrl}/usage?limit=500`, { headers })).json());
  const charges = usage.map((record) => parseUsd(record.charged_usd));
  return { jobs: usage.length, chargedMicros: charges.reduce((sum, charge) => sum + charge, 0) };
}

/**
 * Returns the largest amount of the guild's budget that was ever in use, computed from the ledger entries in
 * the order in which they were made.
 */
export async function usedAtMost({ databaseUrl }: Place): Promise<number> {
  await using db = await openDatabase({ url: databaseUrl });
  const entries = await db.kysely.selectFrom('ledger_entries').selectAll().orderBy('id').execute();
  let used = 0;
  let most = 0;
  for (const { credit_account, debit_account, amount_micros } of entries) {
    if (credit_account === 'budget') used += amount_micros;
    if (debit_account === 'budget') used -= amount_micros;
    most = Math.max(most, used);
  }
  return most;
}
