import type { Database } from './database.ts';

/**
 * The limits that an administrator can change at run time, by name: the objects that each one counts, and its largest
 * value.
 */
export const CEILINGS = {
  jobsInFlightMax: { what: 'queued and processing jobs of all accounts at once', max: 100_000 },
  liveSessionsMax: { what: 'open Live Swap Pro sessions of all accounts at once', max: 1_000 },
  voiceSessionsMax: { what: 'open Voice Swap sessions of all accounts at once', max: 1_000 },
} as const;

export type Ceiling = keyof typeof CEILINGS;

/** Integer settings that change at run time. */
export type SettingName = 'rateCardVersion' | Ceiling;

export function readSetting(db: Database, name: SettingName, otherwise: number): number {
  return findSetting(db, name) ?? otherwise;
}

/** Returns the setting, or `undefined` if it was never set. */
export function findSetting(db: Database, name: SettingName): number | undefined {
  return db.get<{ value: number }>('SELECT value FROM settings WHERE name = ?', name)?.value;
}

export function writeSetting(db: Database, name: SettingName, value: number): void {
  db.run(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}
