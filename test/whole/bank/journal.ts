import { sql } from 'kysely';
import { isPostgres } from '../../../db/dialect.ts';
import type { Queryable, Trx } from '../../../db/schema.ts';
import type { CapPeriod, CapTargetKind } from '../../../db/schema/caps.ts';

/** A cap, in the terms of its database row. */
export interface JournalCap {
  readonly kind: CapTargetKind;
  readonly target: string;
  readonly capability: string;
  readonly period: CapPeriod;
  readonly limit: number;
}

/** A record of a change to a guild's books, written in the same transaction as the change. */
export type Note =
  | {
      readonly kind: 'hold';
      readonly subject: string;
      readonly userId: string;
      readonly roleIds: readonly string[];
      readonly capability: string;
      readonly amount: number;
      readonly atMs: number;
    }
  | { readonly kind: 'resize'; readonly subject: string; readonly amount: number; readonly isGone: boolean }
  | { readonly kind: 'post'; readonly subject: string; readonly charged: number; readonly asOfMs: number }
  | { readonly kind: 'void' | 'review'; readonly subject: string }
  | { readonly kind: 'zone'; readonly zone: string; readonly atMs: number }
  /** Triggers write these notes, so they cover every change of a cap. */
  | { readonly kind: 'cap'; readonly before: JournalCap | null; readonly after: JournalCap | null };

/** Adds the journal's table and triggers to an open database. */
export async function makeJournal(db: Queryable): Promise<void> {
  const row = (name: 'old' | 'new', make: string): string =>
    `${make}('kind', ${name}.target_kind, 'target', ${name}.target_id, 'capability', ${name}.capability,
      'period', ${name}.period, 'limit', ${name}.limit_micros)`;
  for (const text of isPostgres(db) ? postgres(row) : sqlite(row)) await sql.raw(text).execute(db);
}

const CHANGES = [
  ['insert', false, true],
  ['update', true, true],
  ['delete', true, false],
] as const;

type Row = (name: 'old' | 'new', make: string) => string;

function sqlite(row: Row): string[] {
  return [
    `create table bank_journal (id integer primary key autoincrement, guild_id text not null, note text not null)`,
    ...CHANGES.map(
      ([change, hasOld, hasNew]) => `create trigger bank_caps_${change} after ${change} on caps begin
        insert into bank_journal (guild_id, note) values (${hasNew ? 'new' : 'old'}.guild_id,
          json_object('kind', 'cap', 'before', ${hasOld ? row('old', 'json_object') : 'null'},
            'after', ${hasNew ? row('new', 'json_object') : 'null'})); end`,
    ),
  ];
}

function postgres(row: Row): string[] {
  return [
    `create table bank_journal (id bigserial primary key, guild_id text not null, note text not null)`,
    ...CHANGES.flatMap(([change, hasOld, hasNew]) => [
      `create function bank_caps_${change}() returns trigger language plpgsql as $$ begin
        insert into bank_journal (guild_id, note) values (${hasNew ? 'new' : 'old'}.guild_id,
          json_build_object('kind', 'cap', 'before', ${hasOld ? row('old', 'json_build_object') : 'null'},
            'after', ${hasNew ? row('new', 'json_build_object') : 'null'})::text);
        return null; end $$`,
      `create trigger bank_caps_${change} after ${change} on caps for each row
        execute function bank_caps_${change}()`,
    ]),
  ];
}

export async function writeNote(trx: Trx, guildId: string, note: Note): Promise<void> {
  await sql`insert into bank_journal (guild_id, note) values (${guildId}, ${JSON.stringify(note)})`.execute(
    trx,
  );
}

/** Returns all of a guild's notes in order. */
export async function readNotes(db: Queryable, guildId: string): Promise<Note[]> {
  const { rows } = await sql<{ note: string }>`
    select note from bank_journal where guild_id = ${guildId} order by id`.execute(db);
  return rows.map(({ note }) => JSON.parse(note) as Note);
}
