import type { MicroUsd } from '../../base/money.ts';
import type { PricedCapability } from '../../media-api/wire.ts';
import type { Database } from './database.ts';
import { readSetting, writeSetting } from './settings.ts';

/** What a capability costs: per unit, at least, and the estimate held at submit. */
export interface Rate {
  readonly rate: MicroUsd;
  readonly minimum: MicroUsd;
  readonly hold: MicroUsd;
}

/** Makes a capability known with its first rates, unless it already is. */
export function introduceCapability(db: Database, feature: PricedCapability, rate: Rate): void {
  db.transact(() => {
    if (db.run('INSERT OR IGNORE INTO capabilities (feature, enabled) VALUES (?, 1)', feature) > 0) {
      writeRate(db, feature, undefined, rate);
    }
  });
}

export function isCapabilityEnabled(db: Database, feature: PricedCapability): boolean {
  return db.get('SELECT 1 FROM capabilities WHERE feature = ? AND enabled = 1', feature) !== undefined;
}

/** Says whether the capability is known. */
export function switchCapability(db: Database, feature: PricedCapability, enabled: boolean): boolean {
  return db.run('UPDATE capabilities SET enabled = ? WHERE feature = ?', enabled ? 1 : 0, feature) > 0;
}

/**
 * The rate that binds: the account's negotiated one if it has one, else the public one. Billing and the
 * rate card both ask here. Throws `TypeError` for a capability never introduced.
 */
export function resolveRate(db: Database, feature: PricedCapability, accountId: string | undefined): Rate {
  const found = db.get<Rate>(
    `SELECT rate, minimum, hold FROM rates
      WHERE feature = ? AND (accountId IS NULL OR accountId = ?)
      ORDER BY accountId IS NULL LIMIT 1`,
    feature,
    accountId ?? null,
  );
  if (!found) throw new TypeError(`Cannot price "${feature}": it has no rate`);
  return found;
}

/** Sets the public rate, or one account's; the rate card's version counts up. */
export function writeRate(
  db: Database,
  feature: PricedCapability,
  accountId: string | undefined,
  rate: Rate,
): void {
  db.transact(() => {
    db.run(
      "DELETE FROM rates WHERE feature = ? AND ifnull(accountId, '') = ifnull(?, '')",
      feature,
      accountId ?? null,
    );
    db.run(
      'INSERT INTO rates (feature, accountId, rate, minimum, hold) VALUES (?, ?, ?, ?, ?)',
      feature,
      accountId ?? null,
      rate.rate,
      rate.minimum,
      rate.hold,
    );
    writeSetting(db, 'rateCardVersion', rateCardVersion(db) + 1);
  });
}

/** Takes an account's negotiated rate away, so that the public one binds it again; says whether it had one. */
export function deleteRate(db: Database, feature: PricedCapability, accountId: string): boolean {
  return db.transact(() => {
    if (db.run('DELETE FROM rates WHERE feature = ? AND accountId = ?', feature, accountId) === 0)
      return false;
    writeSetting(db, 'rateCardVersion', rateCardVersion(db) + 1);
    return true;
  });
}

/** Whether the account has a rate of its own. */
export function hasOwnRate(db: Database, feature: PricedCapability, accountId: string): boolean {
  return db.get('SELECT 1 FROM rates WHERE feature = ? AND accountId = ?', feature, accountId) !== undefined;
}

/** Counts every change of a rate. */
export function rateCardVersion(db: Database): number {
  return readSetting(db, 'rateCardVersion', 0);
}

/** Rates that accounts have of their own, by capability. */
export function listOwnRates(
  db: Database,
  limit: number,
): (Rate & { readonly feature: PricedCapability; readonly accountId: string })[] {
  return db.all(
    `SELECT feature, accountId, rate, minimum, hold FROM rates WHERE accountId IS NOT NULL
      ORDER BY feature, accountId LIMIT ?`,
    limit,
  );
}
