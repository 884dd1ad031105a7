import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely';
import type { Queryable } from './schema.ts';

type Parameters = Readonly<Record<string, string | number | null>>;

/** The adapter of a database that has a single connection. */
export interface RunsAtOnce {
  /** Runs a query of the open transaction, bypassing Kysely's queue, which takes longer than most statements. */
  runAtOnce<R>(text: string, parameters: readonly unknown[]): QueryResult<R>;
}

/** A placeholder for a named parameter in a query. */
class Place {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/**
 * Returns a query that is compiled once for each open database, because compiling takes several times as long as
 * reading a row. `build` must use its parameters as values only.
 */
export function prepared<P extends Parameters, R>(
  build: (db: Queryable, parameters: P) => Compilable<R>,
): (db: Queryable, parameters: P) => Promise<R[]> {
  const run = runner(build);
  return async (db, parameters) => (await run(db, parameters)).rows;
}

/** Does the same as `prepared` for a statement that changes rows. The result resolves to the number of changed rows. */
export function preparedChange<P extends Parameters>(
  build: (db: Queryable, parameters: P) => Compilable,
): (db: Queryable, parameters: P) => Promise<number> {
  const run = runner(build);
  return async (db, parameters) => Number((await run(db, parameters)).numAffectedRows);
}

function runner<P extends Parameters, R>(
  build: (db: Queryable, parameters: P) => Compilable<R>,
): (db: Queryable, parameters: P) => Promise<QueryResult<R>> | QueryResult<R> {
  const texts = new WeakMap<DialectAdapter, CompiledQuery<R>>();
  return (db, parameters) => {
    const { adapter } = db.getExecutor();
    let query = texts.get(adapter);
    if (!query) {
      query = build(db, places<P>()).compile();
      texts.set(adapter, query);
    }
    const values = query.parameters.map((value) => (value instanceof Place ? parameters[value.name] : value));
    if (db.isTransaction && runsAtOnce(adapter)) return adapter.runAtOnce<R>(query.sql, values);
    return db.executeQuery<R>({ ...query, parameters: values });
  };
}

function runsAtOnce(adapter: DialectAdapter): adapter is DialectAdapter & RunsAtOnce {
  return 'runAtOnce' in adapter;
}

/** Returns an object in which every property is a placeholder. */
function places<P extends Parameters>(): P {
  return new Proxy({}, { get: (_, name) => new Place(String(name)) }) as P;
}
