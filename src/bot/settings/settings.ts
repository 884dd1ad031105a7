import type { KindValues } from './kinds.ts';
import type { Setting } from './setting.ts';
import type { SETTING_TABLE } from './setting-table.ts';

type Table = typeof SETTING_TABLE;

type Value<Row extends Setting> = KindValues[Row['kind']] | (Row['default'] extends null ? null : never);

type Values<Rows> = {
  readonly [Key in keyof Rows]: Rows[Key] extends Setting ? Value<Rows[Key]> : never;
};

type Files<Rows> = {
  readonly [
    Key in keyof Rows as Rows[Key] extends { readonly orFile: true } ? `${Key & string}File` : never
  ]: string | null;
};

/** The value of every variable, by its group and key in the settings table. */
export type VariableValues = {
  readonly [Group in keyof Table]: Values<Table[Group]['settings']> & Files<Table[Group]['settings']>;
};

/** The program's settings, such as `settings.web.port`. The settings table describes each of them. */
export type Settings = VariableValues & {
  /** The database URL. If its variable is not set, the database is a file in `dataDir`. */
  readonly storage: { readonly databaseUrl: string };
};
