/** One step of the schema. Never changed once released: a correction is a new step. */
export interface Migration {
  readonly number: number;
  readonly name: string;
  /** One SQL statement each. */
  readonly statements: readonly string[];
}

/** A step that is written for both databases: `statements` for SQLite, `postgres` for PostgreSQL. */
export interface DualMigration extends Migration {
  readonly postgres: readonly string[];
}
