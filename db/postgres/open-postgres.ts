import { Kysely, PostgresDialect } from 'kysely';
import { Client, type ClientConfig } from 'pg';
import type { Clock } from '../../src/base/clock.ts';
import type { Logger } from '../../src/base/log.ts';
import { DatabaseError } from '../database-error.ts';
import { migrate } from '../migrate.ts';
import { POSTGRES_MIGRATIONS } from '../migrations.ts';
import type { Schema } from '../schema.ts';
import { ConnectionPool } from './connection-pool.ts';
import { Listener } from './listener.ts';
import { PostgresDatabase } from './postgres-database.ts';
import { POSTGRES_VALUES } from './postgres-values.ts';

const CONNECTIONS_MAX = 10;
const STATEMENT_MS_MAX = 30_000;
/**
 * After this time the server ends an idle transaction and releases its locks. Transactions here never wait for anything
 * but the database, so an idle transaction belongs to a process that hangs.
 */
const IDLE_IN_TRANSACTION_MS_MAX = 5_000;
const KEEP_ALIVE_MS = 10_000;

/**
 * Statements that run first in the migration transaction. If several processes try to migrate, one migrates and the
 * others find nothing left to do.
 */
const PREPARE: readonly string[] = [
  'SET LOCAL statement_timeout = 0',
  `SELECT pg_advisory_xact_lock(hashtextextended('migrations', 0))`,
  'CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY, name TEXT COLLATE "C" NOT NULL, applied_at_ms BIGINT NOT NULL)',
];

/** Connects to the database that `url` names and migrates it. Throws `DatabaseError`. The caller disposes it. */
export async function openPostgres(
  url: string,
  options: { readonly clock: Clock; readonly logger: Logger; readonly lockWaitMs: number },
): Promise<PostgresDatabase> {
  const { clock, logger: log, lockWaitMs } = options;
  const server = serverOf(url);
  const config = configOf(url, lockWaitMs);
  const pool = new ConnectionPool({ config: { ...config, max: CONNECTIONS_MAX }, server, log });
  const kysely = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    const applied = await migrate(kysely, {
      name: server,
      nowMs: clock.now(),
      migrations: POSTGRES_MIGRATIONS,
      prepare: PREPARE,
    });
    if (applied.length > 0) log.info({ applied }, 'Migrated the database');
  } catch (error) {
    await pool.end();
    throw error;
  }
  const listener = new Listener({ kysely, config, log });
  return new PostgresDatabase({ kysely, listener, server, lockWaitMs });
}

function configOf(url: string, lockWaitMs: number): ClientConfig {
  return {
    connectionString: url,
    types: POSTGRES_VALUES,
    connectionTimeoutMillis: lockWaitMs,
    lock_timeout: lockWaitMs,
    statement_timeout: STATEMENT_MS_MAX,
    // By then, the server should have reported a statement's timeout. If it has not, it counts as unreachable.
    query_timeout: STATEMENT_MS_MAX * 2,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS_MAX,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    fallback_application_name: 'masquerade',
  };
}

/** Returns the server name for errors, without user, password or parameters. */
function serverOf(url: string): string {
  try {
    const { host, port, database } = new Client({ connectionString: url });
    return `"${host}:${port}/${database ?? ''}"`;
  } catch {
    // The original error is dropped, because its message may quote the URL, including the password.
    throw new DatabaseError(
      'unsupported',
      'Cannot read the database URL: it must look like "postgres://user:password@host:5432/database"',
    );
  }
}
