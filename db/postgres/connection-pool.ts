import type { PostgresPool, PostgresPoolClient, PostgresQueryResult } from 'kysely';
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import type { Logger } from '../../src/base/log.ts';
import { DatabaseError } from '../database-error.ts';
import { isLost, toPostgresError } from './to-postgres-error.ts';

interface ConnectionPoolOptions {
  readonly config: PoolConfig & { readonly max: number };
  /** The server name for errors. */
  readonly server: string;
  readonly log: Logger;
}

/**
 * The connections for Kysely. A broken connection is replaced by a new one, and connection errors become a
 * `DatabaseError`.
 */
export class ConnectionPool implements PostgresPool {
  readonly options: object = {};
  readonly #pool: Pool;
  readonly #max: number;
  readonly #server: string;
  readonly #broken = new WeakSet<PoolClient>();

  constructor({ config, server, log }: ConnectionPoolOptions) {
    this.#pool = new Pool(config);
    this.#max = config.max;
    this.#server = server;
    // Without a listener, a connection's `error` event would end the process. The pool listens only to idle
    // connections, but others can fail as well, even right after they open, so each gets a listener for its whole life.
    this.#pool.on('error', (error) => log.warn({ error }, 'A connection to the database broke'));
    this.#pool.on('connect', (client) => client.on('error', () => this.#broken.add(client)));
  }

  async connect(): Promise<PostgresPoolClient> {
    try {
      return new Connection(await this.#pool.connect(), { server: this.#server, broken: this.#broken });
    } catch (error) {
      throw toPostgresError(this.#server, this.#isExhausted() ? this.#exhausted(error) : error);
    }
  }

  end(): Promise<void> {
    return this.#pool.end();
  }

  #isExhausted(): boolean {
    return this.#pool.totalCount >= this.#max && this.#pool.idleCount === 0;
  }

  #exhausted(cause: unknown): DatabaseError {
    const text = `Cannot use PostgreSQL at ${this.#server}: all ${this.#max} connections of this process are in use`;
    return new DatabaseError('locked', text, { cause });
  }
}

class Connection implements PostgresPoolClient {
  readonly processID: number;
  readonly #client: PoolClient;
  readonly #server: string;
  readonly #broken: WeakSet<PoolClient>;

  /** `broken` holds the clients whose connection has ended. This class adds those that it finds broken. */
  constructor(
    client: PoolClient,
    { server, broken }: { readonly server: string; readonly broken: WeakSet<PoolClient> },
  ) {
    this.#client = client;
    this.#server = server;
    this.#broken = broken;
    this.processID = Number('processID' in client ? client.processID : 0);
  }

  query<R>(text: string, parameters: readonly unknown[]): Promise<PostgresQueryResult<R>>;
  query(cursor: never): never;
  async query<R>(text: string, parameters: readonly unknown[] = []): Promise<PostgresQueryResult<R>> {
    // The server rolls back the work of a broken connection by itself. Sending it a rollback would only fail, and that
    // error would hide the original one.
    if (text === 'rollback' && this.#broken.has(this.#client)) {
      return { command: 'ROLLBACK', rowCount: 0, rows: [] };
    }
    try {
      return (await this.#client.query(text, [...parameters])) as unknown as PostgresQueryResult<R>;
    } catch (error) {
      if (isLost(error)) this.#broken.add(this.#client);
      throw toPostgresError(this.#server, error);
    }
  }

  release(destroy = false): void {
    this.#client.release(destroy || this.#broken.has(this.#client));
  }
}
