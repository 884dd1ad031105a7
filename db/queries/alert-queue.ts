import { type RawBuilder, sql } from 'kysely';
import type { Queryable, Trx } from '../schema.ts';

/** The columns that make a table a queue of alerts. */
interface QueueColumns<Row> {
  readonly table: 'budget_alerts' | 'operator_alerts' | 'overrun_watches';
  readonly key: keyof Row & string;
  readonly dueAt: keyof Row & string;
  /** The number of times that a process has claimed the alert. */
  readonly attempts: keyof Row & string;
  /** The time at which the alert was closed. In a table without this column, `dueAt` is set to null instead. */
  readonly closedAt?: keyof Row & string;
}

/** An alert that one process has claimed. A later claim has a higher number of attempts. */
export interface ClaimedAlert<Row> {
  readonly row: Row;
  readonly attempts: number;
}

/**
 * A table that works as a queue of alerts to send. It claims, defers and closes alerts of any kind. A change has no
 * effect once another process has claimed the alert.
 */
export class AlertQueue<Row> {
  readonly #columns: QueueColumns<Row>;
  readonly #table: RawBuilder<unknown>;
  readonly #key: RawBuilder<unknown>;
  readonly #dueAt: RawBuilder<unknown>;
  readonly #attempts: RawBuilder<unknown>;
  readonly #isOpen: RawBuilder<unknown>;

  constructor(columns: QueueColumns<Row>) {
    this.#columns = columns;
    this.#table = sql.table(columns.table);
    this.#key = sql.ref(columns.key);
    this.#dueAt = sql.ref(columns.dueAt);
    this.#attempts = sql.ref(columns.attempts);
    this.#isOpen = columns.closedAt
      ? sql`${sql.ref(columns.closedAt)} is null`
      : sql`${sql.ref(columns.dueAt)} is not null`;
  }

  /** Returns the open alert that has been due for the longest time. */
  async findDue(db: Queryable, nowMs: number): Promise<Row | undefined> {
    const { rows } = await sql<Row>`select * from ${this.#table}
      where ${this.#isOpen} and ${this.#dueAt} <= ${nowMs}
      order by ${this.#dueAt} limit 1`.execute(db);
    return rows[0];
  }

  /** Claims the alert until `leaseUntilMs`. Returns `undefined` if it is closed or another process has claimed it. */
  async claim(
    trx: Trx,
    due: Row,
    { nowMs, leaseUntilMs }: { readonly nowMs: number; readonly leaseUntilMs: number },
  ): Promise<ClaimedAlert<Row> | undefined> {
    const { rows } = await sql<Row>`update ${this.#table}
      set ${this.#dueAt} = ${leaseUntilMs}, ${this.#attempts} = ${this.#attempts} + 1
      where ${this.#key} = ${due[this.#columns.key]} and ${this.#isOpen} and ${this.#dueAt} <= ${nowMs}
      returning *`.execute(trx);
    const [row] = rows;
    return row && { row, attempts: Number(row[this.#columns.attempts]) };
  }

  /** Makes the alert due at `dueAtMs`. */
  async defer(db: Queryable, claimed: ClaimedAlert<Row>, dueAtMs: number): Promise<void> {
    await this.#change(db, claimed, sql`${this.#dueAt} = ${dueAtMs}`);
  }

  /** Makes the alert due at `dueAtMs`, and sets its number of attempts to 0. */
  async rest(db: Queryable, claimed: ClaimedAlert<Row>, dueAtMs: number): Promise<void> {
    await this.#change(db, claimed, sql`${this.#dueAt} = ${dueAtMs}, ${this.#attempts} = 0`);
  }

  /** Records that nothing is left to send. */
  async close(db: Queryable, claimed: ClaimedAlert<Row>, nowMs: number): Promise<void> {
    const { closedAt } = this.#columns;
    await this.#change(
      db,
      claimed,
      closedAt ? sql`${sql.ref(closedAt)} = ${nowMs}` : sql`${this.#dueAt} = null`,
    );
  }

  /** Returns when the next alert is due, or `undefined` if no alert is open. */
  async nextDueAtMs(db: Queryable): Promise<number | undefined> {
    const { rows } = await sql<{ readonly due_at_ms: number }>`select ${this.#dueAt} as due_at_ms
      from ${this.#table} where ${this.#isOpen} order by ${this.#dueAt} limit 1`.execute(db);
    return rows[0]?.due_at_ms;
  }

  async #change(
    db: Queryable,
    { row, attempts }: ClaimedAlert<Row>,
    set: RawBuilder<unknown>,
  ): Promise<void> {
    await sql`update ${this.#table} set ${set}
      where ${this.#key} = ${row[this.#columns.key]} and ${this.#attempts} = ${attempts} and ${this.#isOpen}`.execute(
      db,
    );
  }
}
