import type { Database } from './database.ts';

/** Whole-number settings that an administrator changes at run time. */
export type SettingName = 'rateCardVersion' | 'jobsInFlightMax' | 'liveSessionsMax' | 'voiceSessionsMax';

export function readSetting(db: Database, name: SettingName, otherwise: number): number {
  return db.get<{ value: number }>('SELECT value FROM settings WHERE name = ?', name)?.value ?? otherwise;
}

export function writeSetting(db: Database, name: SettingName, value: number): void {
  db.run(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
    name,
    value,
  );
}
