import type { MicroUsd } from '../../base/money.ts';
import type { PricedCapability } from '../../media-api/wire.ts';
import type { Database } from './database.ts';
import { readSetting, writeSetting } from './settings.ts';

/** The price of a capability: per unit, the minimum, and the estimate that is held at submission. */
export interface Rate {
  readonly rate: MicroUsd;
  readonly minimum: MicroUsd;
  readonly hold: MicroUsd;
}

/** Adds a capability with its first rates, unless it already exists. */
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

/** Switches a capability on or off. Returns whether it exists. */
export function switchCapability(db: Database, feature: PricedCapability, enabled: boolean): boolean {
  return db.run('UPDATE capabilities SET enabled = ? WHERE feature = ?', enabled ? 1 : 0, feature) > 0;
}

/**
 * Returns the rate that applies: the account's negotiated rate if it has one, otherwise the public one.
 * Billing and the rate card both use this function. Throws `TypeError` for a capability that was never
 * introduced.
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

/** Sets the public rate or an account's negotiated rate, and increments the version of the rate card. */
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

/** Deletes an account's negotiated rate, so that the public one applies again. Returns whether it had one. */
export function deleteRate(db: Database, feature: PricedCapability, accountId: string): boolean {
  return db.transact(() => {
    if (db.run('DELETE FROM rates WHERE feature = ? AND accountId = ?', feature, accountId) === 0)
      return false;
    writeSetting(db, 'rateCardVersion', rateCardVersion(db) + 1);
    return true;
  });
}

/** Returns whether the account has a negotiated rate. */
export function hasOwnRate(db: Database, feature: PricedCapability, accountId: string): boolean {
  return db.get('SELECT 1 FROM rates WHERE feature = ? AND accountId = ?', feature, accountId) !== undefined;
}

/** Returns the version of the rate card, which counts every change of a rate. */
export function rateCardVersion(db: Database): number {
  return readSetting(db, 'rateCardVersion', 0);
}

/** Returns all accounts' negotiated rates, sorted by capability. */
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
