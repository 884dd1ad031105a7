import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Database } from '../../../db/database.ts';
import { MIGRATIONS, POSTGRES_MIGRATIONS } from '../../../db/migrations.ts';
import { useDatabase, useSqlite } from '../use-database.ts';
import { useFolder } from '../../helpers/use-folder.ts';

/** The tables by name, each described in terms that both kinds of database share. */
type Tables = Record<string, Record<'columns' | 'keys' | 'indexes' | 'checks' | 'triggers', string[]>>;

interface Part {
  readonly table: string;
  readonly text: string;
}

function tablesOf(parts: Readonly<Record<keyof Tables[string], readonly Part[]>>): Tables {
  const tables: Tables = {};
  for (const [kind, those] of Object.entries(parts)) {
    for (const { table, text } of those) {
      tables[table] ??= { columns: [], keys: [], indexes: [], checks: [], triggers: [] };
      tables[table][kind as keyof Tables[string]].push(text);
    }
  }
  for (const table of Object.values(tables)) for (const texts of Object.values(table)) texts.sort();
  return tables;
}

const rowsOf = async <T>(db: Database, query: string): Promise<T[]> =>
  (await sql.raw<T>(query).execute(db.kysely)).rows;

/** Returns SQL in a form common to both kinds of database, without the parts that only one of them adds. */
function plain(text: string): string {
  return text
    .replace(/::[a-z]+(\[\])?/gi, '')
    .replace(/\bCOLLATE "C"/g, '')
    .replace(/= ANY \(ARRAY\[([^\]]*)\]\)/g, 'in ($1)')
    .replace(/(\w+) = '\w+'(?: OR \1 = '\w+')+/g, (either, column) => {
      return `${column} in (${either.replaceAll(`${column} = `, '').replaceAll(' OR ', ', ')})`;
    })
    .replace(/<> ALL \(ARRAY\[([^\]]*)\]\)/g, 'not in ($1)')
    .toLowerCase()
    .replace(/[\s()"]/g, '');
}

const EXPRESSION = /coalesce\([^)]*\)/i;

/** Returns the columns of an index, with expressions in the common form. */
function inWords(columns: string): string {
  return columns.replace(EXPRESSION, plain);
}

async function sqliteTables(db: Database): Promise<Tables> {
  const made = await rowsOf<{ table: string; type: string; name: string; sql: string }>(
    db,
    `select tbl_name as "table", type, name, sql from sqlite_schema where sql is not null`,
  );
  const tables = made.filter(({ type }) => type === 'table');
  const columns = await rowsOf<Part & { type: string; required: number; pk: number; usual: string | null }>(
    db,
    `select m.name as "table", c.name as text, c.type, c."notnull" as required, c.pk, c.dflt_value as usual
       from sqlite_schema m join pragma_table_info(m.name) c where m.type = 'table'`,
  );
  const indexes = await rowsOf<{ table: string; name: string; is_unique: number; columns: string }>(
    db,
    `select m.name as "table", i.name, i."unique" as is_unique,
       (select group_concat(case when x.name is null then '?' when x.coll = 'NOCASE' then 'lower(' || x.name || ')' else x.name end, ', ')
          from (select * from pragma_index_xinfo(i.name) where key = 1 order by seqno) x) as columns
       from sqlite_schema m join pragma_index_list(m.name) i where m.type = 'table'`,
  );
  const rowKeys = columns.filter(({ table, type, pk }) => pk === 1 && type === 'INTEGER' && isSole(table));
  function isSole(table: string): boolean {
    return columns.filter((column) => column.table === table && column.pk > 0).length === 1;
  }
  /** Returns an index's columns, with the text of the expression for which SQLite lists only a `?`. */
  const columnsOf = ({ name, columns: listed }: { name: string; columns: string }): string =>
    listed.replace(
      '?',
      () => EXPRESSION.exec(made.find((index) => index.name === name)?.sql ?? '')?.[0] ?? '?',
    );
  const whereOf = (name: string): string => {
    const text = made.find((index) => index.name === name)?.sql ?? '';
    return plain(/\bWHERE\b([\s\S]*)$/i.exec(text)?.[1] ?? '');
  };
  const references = await rowsOf<Part>(
    db,
    `select m.name as "table", f."table" || '(' || group_concat(f."to", ', ') || ') of ' || group_concat(f."from", ', ')
       || ' ' || lower(f.on_delete) as text
       from sqlite_schema m join pragma_foreign_key_list(m.name) f where m.type = 'table' group by m.name, f.id`,
  );
  return tablesOf({
    columns: columns.map(({ table, text, type, required, pk, usual }) => ({
      table,
      text: `${text} ${type} ${required || pk ? 'required' : 'optional'} ${usual ?? 'no default'}`,
    })),
    keys: [
      ...indexes
        .filter(({ is_unique: isUnique }) => isUnique === 1)
        .map((index) => ({
          table: index.table,
          text: `unique ${inWords(columnsOf(index))} ${whereOf(index.name)}`,
        })),
      ...rowKeys.map(({ table, text }) => ({ table, text: `unique ${text} ` })),
      ...references,
    ],
    indexes: indexes
      .filter(({ is_unique: isUnique }) => isUnique === 0)
      .map(({ table, name, columns }) => ({ table, text: `${name} ${columns} ${whereOf(name)}` })),
    checks: tables.flatMap(({ table, sql: text }) =>
      checksIn(text).map((check) => ({ table, text: plain(check) })),
    ),
    triggers: made
      .filter(({ type }) => type === 'trigger')
      .map(({ table, name, sql: text }) => ({ table, text: `${name} ${triggerOf(text)}` })),
  });
}

async function postgresTables(db: Database): Promise<Tables> {
  const columns = await rowsOf<Part & { type: string; required: string; usual: string | null }>(
    db,
    `select table_name as "table", column_name as text, data_type as type, is_nullable as required,
       column_default as usual from information_schema.columns where table_schema = 'public'`,
  );
  const types: Readonly<Record<string, string>> = { bigint: 'INTEGER', text: 'TEXT', bytea: 'BLOB' };
  const indexes = await rowsOf<{
    table: string;
    name: string;
    is_unique: boolean;
    columns: string;
    only: string;
  }>(
    db,
    `select t.relname as "table", i.relname as name, x.indisunique as is_unique,
       (select string_agg(pg_get_indexdef(x.indexrelid, n, true), ', ' order by n)
          from generate_series(1, x.indnkeyatts) n) as columns,
       coalesce(pg_get_expr(x.indpred, x.indrelid), '') as only
       from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
       where t.relnamespace = 'public'::regnamespace`,
  );
  const references = await rowsOf<Part>(
    db,
    `select conrelid::regclass::text as "table",
       confrelid::regclass::text || '(' || (select string_agg(a.attname, ', ' order by n) from unnest(confkey)
         with ordinality k (num, n) join pg_attribute a on a.attrelid = confrelid and a.attnum = num) || ') of '
       || (select string_agg(a.attname, ', ' order by n) from unnest(conkey)
         with ordinality k (num, n) join pg_attribute a on a.attrelid = conrelid and a.attnum = num)
       || case confdeltype when 'c' then ' cascade' when 'a' then ' no action' else confdeltype::text end as text
       from pg_constraint where contype = 'f' and connamespace = 'public'::regnamespace`,
  );
  const checks = await rowsOf<Part>(
    db,
    `select conrelid::regclass::text as "table", pg_get_constraintdef(oid) as text
       from pg_constraint where contype = 'c' and connamespace = 'public'::regnamespace`,
  );
  const triggers = await rowsOf<Part & { name: string }>(
    db,
    `select tgrelid::regclass::text as "table", tgname as name, pg_get_triggerdef(oid) as text
       from pg_trigger where not tgisinternal`,
  );
  return tablesOf({
    columns: columns.map(({ table, text, type, required, usual }) => ({
      table,
      text: `${text} ${types[type] ?? type} ${required === 'NO' ? 'required' : 'optional'} ${usual?.replace(/::.*$/, '') ?? 'no default'}`,
    })),
    keys: [
      ...indexes
        .filter(({ is_unique: isUnique }) => isUnique)
        .map(({ table, columns, only }) => ({ table, text: `unique ${inWords(columns)} ${plain(only)}` })),
      ...references,
    ],
    indexes: indexes
      .filter(({ is_unique: isUnique }) => !isUnique)
      .map(({ table, name, columns, only }) => ({ table, text: `${name} ${columns} ${plain(only)}` })),
    checks: checks.map(({ table, text }) => ({ table, text: plain(text.replace(/^CHECK /, '')) })),
    triggers: triggers
      // SQLite has no TRUNCATE.
      .filter(({ text }) => !text.includes('TRUNCATE'))
      .map(({ table, name, text }) => ({ table, text: `${name} ${triggerOf(text)}` })),
  });
}

/** Returns the operation that a trigger refuses, the trigger's condition, and its message. */
function triggerOf(text: string): string {
  const [, event = ''] = /BEFORE (UPDATE(?: OF [\w, ]+?)?|DELETE|INSERT)\s+ON/i.exec(text) ?? [];
  const [, only = ''] = /\bWHEN\s+([\s\S]*?)\s*(?:\bBEGIN\b|\bEXECUTE\b)/i.exec(text) ?? [];
  const [, words = ''] = /(?:ABORT, |refuse_change\()'([^']*)'/.exec(text) ?? [];
  return `${event.toLowerCase()} ${plain(only)} ${words}`;
}

/** Returns the complete conditions of a table's checks. */
function checksIn(text: string): string[] {
  const found: string[] = [];
  for (const { index } of text.matchAll(/\bCHECK \(/g)) {
    let depth = 0;
    let end = index + 'CHECK '.length;
    do {
      if (text[end] === '(') depth += 1;
      if (text[end] === ')') depth -= 1;
      end += 1;
    } while (depth > 0);
    found.push(text.slice(index + 'CHECK '.length, end));
  }
  return found;
}

test('has the tables, columns, keys, checks, indexes and triggers that SQLite has', async () => {
  const ours = await postgresTables(await useDatabase());
  const theirs = await sqliteTables(await useSqlite(`${await useFolder()}/plain.db`));
  expect(Object.keys(theirs).length).toBeGreaterThan(20);
  expect(Object.keys(ours).sort()).toEqual(Object.keys(theirs).sort());
  for (const [table, parts] of Object.entries(theirs))
    expect({ [table]: ours[table] }).toEqual({ [table]: parts });
});

test('has the same steps under the same names', () => {
  const named = ({ number, name }: (typeof MIGRATIONS)[number]) => ({ number, name });
  expect(POSTGRES_MIGRATIONS.map(named)).toEqual(MIGRATIONS.map(named));
});

test('compares all texts by their bytes, as SQLite does', async () => {
  const others = await rowsOf<Part>(
    await useDatabase(),
    `select table_name as "table", column_name as text from information_schema.columns
       where table_schema = 'public' and data_type = 'text' and collation_name is distinct from 'C'`,
  );
  expect(others).toEqual([]);
});
