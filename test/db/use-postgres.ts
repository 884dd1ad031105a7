import { createHash } from 'node:crypto';
import { Client } from 'pg';
import { onTestFinished } from 'vitest';
import { openDatabase } from '../../db/database.ts';
import { POSTGRES_MIGRATIONS } from '../../db/migrations.ts';
import { postgresUrlOf } from './database-url.ts';

/**
 * The migrated template database. It is made once and stays for later runs, because copying a database takes a tenth
 * of the time that migrating one takes.
 */
const TEMPLATE = `masquerade_${createHash('sha256').update(JSON.stringify(POSTGRES_MIGRATIONS)).digest('hex').slice(0, 12)}`;

/**
 * This process's connection for creating and removing databases. It stays open until the process ends, because
 * opening a connection takes longer than most of the statements sent on it.
 */
let administration: Promise<Client> | undefined;

/** Creates a migrated database with this name on the test server; it is removed after the test. */
export async function usePostgres(name: string): Promise<string> {
  administration ??= administer();
  const server = await administration;
  const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [name]);
  if (rowCount === 1) return postgresUrlOf(name);
  await server.query(`create database ${name} template ${TEMPLATE}`);
  onTestFinished(() => drop(server, name));
  return postgresUrlOf(name);
}

async function administer(): Promise<Client> {
  const server = new Client({ connectionString: postgresUrlOf() });
  await server.connect();
  await ensureTemplate(server);
  return server;
}

/** Creates a database without tables, which is removed after the test. */
export async function useEmptyPostgres(name: string): Promise<string> {
  await onServer((server) => server.query(`create database ${name}`));
  onTestFinished(() => onServer((server) => drop(server, name)));
  return postgresUrlOf(name);
}

/** Runs `work` on a separate connection to the database at `url`, by default the one in `TEST_POSTGRES_URL`. */
export async function onServer<T>(
  work: (server: Client) => Promise<T>,
  url: string = postgresUrlOf(),
): Promise<T> {
  const server = new Client({ connectionString: url });
  await server.connect();
  try {
    return await work(server);
  } finally {
    await server.end();
  }
}

async function ensureTemplate(server: Client): Promise<void> {
  await server.query('select pg_advisory_lock(1)');
  try {
    const { rowCount } = await server.query('select 1 from pg_database where datname = $1', [TEMPLATE]);
    if (rowCount === 1) return;
    const making = `${TEMPLATE}_making`;
    await drop(server, making);
    await server.query(`create database ${making}`);
    await (await openDatabase({ url: postgresUrlOf(making) }))[Symbol.asyncDispose]();
    await server.query(`alter database ${making} rename to ${TEMPLATE}`);
  } finally {
    await server.query('select pg_advisory_unlock(1)');
  }
}

async function drop(server: Client, name: string): Promise<void> {
  await server.query(`drop database if exists ${name} with (force)`);
}
