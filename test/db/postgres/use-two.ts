import { randomUUID } from 'node:crypto';
import { onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../../db/database.ts';
import { onServer, usePostgres } from '../use-postgres.ts';

/** One database that is open twice, as if by two processes. */
export interface Two {
  readonly url: string;
  readonly one: Database;
  readonly other: Database;
  /** Ends all connections to the database, as an operator or a restart of the server would. Returns their number. */
  readonly endConnections: () => Promise<number>;
}

export async function useTwo(lockWaitMs = 10_000): Promise<Two> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = await usePostgres(name);
  const open = async (): Promise<Database> => {
    const database = await openDatabase({ url, lockWaitMs });
    onTestFinished(() => database[Symbol.asyncDispose]());
    return database;
  };
  const ending =
    'select count(pg_terminate_backend(pid))::int as ended from pg_stat_activity where datname = $1';
  const endConnections = (): Promise<number> =>
    onServer(async (server) => (await server.query<{ ended: number }>(ending, [name])).rows[0]?.ended ?? 0);
  return { url, one: await open(), other: await open(), endConnections };
}
