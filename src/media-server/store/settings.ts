import type { Database } from './database.ts';

/** What an administrator may bound at run time: the setting's name, what it counts, and the most that it can be. */
export const CEILINGS = {
  jobsInFlightMax: { what: 'queued and processing jobs of all accounts at once', max: 100_000 },
  liveSessionsMax: { what: 'open Live Swap Pro sessions of all accounts at once', max: 1_000 },
  voiceSessionsMax: { what: 'open Voice Swap sessions of all accounts at once', max: 1_000 },
} as const;

export type Ceiling = keyof typeof CEILINGS;

/** Whole-number settings that change at run time. */
export type SettingName = 'rateCardVersion' | Ceiling;

export function readSetting(db: Database, name: SettingName, otherwise: number): number {
  return findSetting(db, name) ?? otherwise;
}

/** The setting, if it was ever set. */
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
